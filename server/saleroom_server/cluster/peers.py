"""What this node has to do with the others.

Theory of operation
-------------------
Every node takes sockets for every room. A room has one owner; the store says who (`Held`). A node
whose sockets ask for a room of another one sends the owner an *errand*, and again until it is
answered: the owner does an errand once, and keeps the answers of the last ones.
What the room tells comes back as effects, addressed to players' sockets of the asking node; what
spectators see is told once to each node, which shows it to all of them (`relays.py`).

News travel by a bus that may lose them, so they are counted (`post.py`). A gap in the count, a
line that was down: any of these is a *doubt*. Then whoever follows rooms there is attached anew,
and gets a view. Nothing that matters travels by the bus alone: what was accepted stands in the
journal.

A node is dead when the store says so; one that nobody hears has to prove soon that it lives
(`cluster/lookout.py`). A dead node's sockets leave our rooms; its rooms are taken over by whoever
asks for them, or else by whoever is first to read them back.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from itertools import count
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from saleroom_server.clock import Clock
from saleroom_server.cluster.bus import Bus
from saleroom_server.cluster.interest import Interest, abroad
from saleroom_server.cluster.lookout import Lookout
from saleroom_server.cluster.messages import (
    Answer,
    Before,
    Body,
    Do,
    Done,
    GaveUp,
    Known,
    LookOn,
    NotHere,
    Nothing,
    Refused,
    Told,
    encode,
)
from saleroom_server.cluster.peer_limits import PeerLimits
from saleroom_server.cluster.post import Post
from saleroom_server.cluster.relays import Relays
from saleroom_server.gateway.gateway import Gateway
from saleroom_server.logs import logger
from saleroom_server.metrics import Metrics
from saleroom_server.owner.actor import Actor
from saleroom_server.owner.elsewhere import Errand, Kept, Others, Silent, Undone
from saleroom_server.owner.hall import Hall
from saleroom_server.owner.inbox import unheard
from saleroom_server.owner.keeping import Keep
from saleroom_server.rooms.commands import (
    HERE,
    Attach,
    Effect,
    Group,
    Join,
    Member,
    PassedOn,
    Refusal,
    Remark,
    Say,
    Session,
    Watch,
    Watching,
)
from saleroom_server.rooms.limits import RoomLimits
from saleroom_server.rooms.relay import Relay
from saleroom_server.store.interface import Head, StoreError
from saleroom_server.store.shared import News, SharedStore, TooLongAgo

log = logger("cluster")


class Peers(Others):
    """The other nodes of the service, as one of them sees them."""

    def __init__(
        self,
        store: SharedStore,
        bus: Bus,
        clock: Clock,
        limits: PeerLimits,
        room_limits: RoomLimits,
        metrics: Metrics,
    ) -> None:
        self._store, self._clock = store, clock
        self._limits, self._room_limits, self._metrics = limits, room_limits, metrics
        self._node = store.node
        self._post = Post(store.node, bus)
        self._homes: dict[str, int] = {}  # the nodes that have asked for something, numbered
        self._names: dict[int, str] = {}
        self._home_numbers = count(HERE + 1)
        self._interest = Interest()
        self._numbers = count(1)
        self._waiting: dict[int, tuple[str, asyncio.Future[Answer]]] = {}  # for whom, for what
        self._answers: OrderedDict[tuple[int, int], Answer | None] = OrderedDict()
        self._alive: frozenset[str] = frozenset()
        self._dead: dict[str, int] = {}  # since when, until they are forgotten
        self._settled_at = 0  # from then on a node that is not to be seen is dead
        self._seen_at = 0  # when the store last said who is alive
        self._mark = 0
        self._tasks: list[asyncio.Task[None]] = []
        self._lookout = Lookout(store, clock, self._look_for_nodes)

    def serve(self, hall: Hall, gateway: Gateway) -> None:
        """Say where the rooms and the sockets of this node are, and begin to listen."""
        self._hall, self._gateway = hall, gateway
        self._relays = Relays(gateway, hall.sees, self._room_limits)
        self._metrics.relays.set_function(self._relays.__len__)
        self._metrics.nodes.set_function(lambda: len(self._alive))
        self._post.listen(self._hear, self._doubt, self._line_was_down, self._unheard)

    async def open(self) -> None:
        """Learn who else is alive, and look after that from now on.

        Raises:
            StoreError: the store does not answer.
        """
        self._mark = (await self._store.news(None)).mark  # of before the rooms are read
        self._alive, self._seen_at = frozenset(await self._store.alive()), self._clock.now()
        for look, every_ms in (
            (self._look_for_nodes, self._limits.beat_ms),
            (self.catch_up, self._limits.news_ms),
        ):
            self._tasks.append(asyncio.create_task(self._again_and_again(look, every_ms)))

    async def close(self) -> None:
        """Look after nobody any more."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._lookout.close()

    # As who asks

    def errand(self, room: str, command: PassedOn, keep: Keep | None) -> Errand:
        """See `Others`. What cannot be told raises here, where one request alone bears it."""
        errand = Errand(next(self._numbers), room, command, keep)
        encode(errand)
        return errand

    async def ask(self, node: str, errand: Errand) -> Any:
        """See `Others`."""
        try:
            answer = await self._answer(node, errand.number, Do(errand), self._limits.resend_ms)
        except Silent:
            self._metrics.errands["silent"].inc()
            raise
        self._metrics.errands["answered"].inc()
        match answer:
            case Refused(reason=reason, facts=facts):
                raise Refusal(reason, **facts)
            case Before(answer=kept):
                raise Kept(kept)
            case NotHere():
                await self._clock.sleep(self._limits.not_here_ms)
                raise Undone
            case Nothing():
                return None
            case _:
                return answer

    def members(self, room: str) -> tuple[Member, ...]:
        """See `Others`."""
        return self._gateway.members(room)

    def suspend(self, room: str) -> bool:
        """See `Others`."""
        self._relays.drop(room)
        return self._gateway.suspend(room)

    def relay(self, room: str) -> Relay | None:
        """See `Others`."""
        return self._relays.get(room)

    def group(self, room: str, session: Session) -> Group | None:
        """See `Others`."""
        return self._gateway.group(room, session)

    def is_relayed(self, room: str, remark: Remark) -> bool:
        """See `Others`."""
        return self._relays.serves(room, remark)

    def relayed(self, room: str, remark: Remark) -> list[Effect]:
        """See `Others`."""
        return self._relays.serve(room, remark, self._clock.now())

    def took_over(self, room: str) -> None:
        """See `Others`."""
        self._relays.drop(room)

    def gave_up(self, room: str) -> None:
        """See `Others`."""
        for home in self._interest.homes(room):
            self._tell(home, GaveUp(room))
        self._interest.forget(room)

    async def made(self, room: str, head: bytes) -> None:
        """See `Others`. Who does not answer in time is not waited for, and will see the news."""
        try:
            alive = frozenset(await self._store.alive())  # one may have come this very moment
        except StoreError:
            alive = self._alive
        asking = []
        for node in alive - {self._node}:
            number = next(self._numbers)
            known = Known(number, room, head)
            asking.append(self._answer(node, number, known, self._limits.known_ms))
        await asyncio.gather(*asking, return_exceptions=True)

    async def _answer(self, node: str, number: int, body: Body, patience_ms: int) -> Answer:
        waiting: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting[number] = node, waiting
        self._post.send(node, body)
        bell = self._clock.ring_at(self._clock.now() + patience_ms, partial(_fall_silent, waiting))
        try:
            return await waiting
        finally:
            bell.cancel()
            self._waiting.pop(number, None)

    # As the owner of rooms

    def deliver(self, room: str, effects: Sequence[Effect]) -> None:
        """Carry out a room's effects: on the sockets of this node, and those of others."""
        for home, parcel in self._interest.sorted(room, effects).items():
            if home == HERE:
                self._gateway.deliver(room, parcel)
            else:
                self._tell(home, Told(room, tuple(parcel)))

    def _do(self, sender: str, errand: Errand) -> None:
        """Do an errand once. A join may be done again: what it told the socket may be lost."""
        home, actor = self._home(sender), self._hall.actor(errand.room)
        done = home, errand.number
        if done in self._answers and (
            self._answers[done] is None or not isinstance(errand.command, Join | Watch | Say)
        ):
            self._report(sender, done, self._answers[done])
        elif actor is None:
            self._report(sender, done, NotHere())
        else:
            command = _arrived(errand.command, home)
            if done in self._answers:
                command = _again(command)
            self._keep(done, None)
            reply = partial(self._done, sender, done)
            actor.submit(command, reply, errand.keep, foreign=True)

    def _done(self, sender: str, done: tuple[int, int], result: Any) -> None:
        answer = _written(result)
        if isinstance(answer, NotHere):
            self._answers.pop(done, None)
        else:
            self._keep(done, answer)
        self._report(sender, done, answer)

    def _report(self, sender: str, done: tuple[int, int], answer: Answer | None) -> None:
        if answer is not None:  # else it is still being done
            self._post.send(sender, Done(done[1], answer))

    def _keep(self, done: tuple[int, int], answer: Answer | None) -> None:
        self._answers[done] = answer
        self._answers.move_to_end(done)
        if len(self._answers) > self._limits.answers:
            self._answers.popitem(last=False)

    def _home(self, node: str) -> int:
        if node not in self._homes:
            self._homes[node] = home = next(self._home_numbers)
            self._names[home] = node
        return self._homes[node]

    # What is heard

    def _tell(self, home: int, body: Body) -> None:
        if home in self._names:  # or else it is long dead
            self._post.send(self._names[home], body)

    def _hear(self, sender: str, body: Body) -> None:
        match body:
            case Do(errand):
                self._do(sender, errand)
            case Done(number, answer):
                if number in self._waiting:
                    _settle(self._waiting[number][1], answer)
            case Told(room, effects):
                self._told(sender, room, effects)
            case Known(number, room, head):
                self._hall.learn(Head(room, head), sender)
                self._post.send(sender, Done(number, Nothing()))
            case GaveUp(room):
                self._move(sender, room)
            case LookOn(room, spectators, seq):
                self._count(room, Watching(self._home(sender), spectators, seq))

    def _told(self, sender: str, room: str, effects: tuple[Effect, ...]) -> None:
        actor = self._owned_by(sender, room)
        if actor is None:
            return
        declined = self._relays.told(room, effects)
        if declined is None:
            return
        if self._gateway.spectators(room):
            actor.attach()
        else:
            self._post.send(sender, LookOn(room, 0, declined))

    def _count(self, room: str, watching: Watching) -> None:
        """Take note of how many look on at a room of ours from another node."""
        actor = self._hall.actor(room)
        if actor is not None and actor.room is not None:
            actor.submit(watching, unheard, foreign=True)

    def _move(self, sender: str, room: str) -> None:
        actor = self._owned_by(sender, room)
        if actor is not None:
            actor.moves()

    def _owned_by(self, node: str, room: str) -> Actor | None:
        """Return the actor of a room that is a node's, as far as is known here."""
        actor = self._hall.actor(room)
        return actor if actor is not None and actor.elsewhere == node else None

    def _line_was_down(self) -> None:
        self._metrics.doubts["line"].inc()
        self._was_cut_off()

    def _was_cut_off(self) -> None:
        """Attach who follows rooms of any node, and look which rooms are still ours."""
        for actor in self._hall.actors():
            actor.attach()
        self._stood_still()

    def _stood_still(self) -> None:
        """Look which rooms are still ours: we may be back alive, and have been taken for dead.

        Whatever kept us may have kept the others.
        """
        self._settled_at = self._clock.now() + self._limits.settling_ms
        for actor in self._hall.actors():
            actor.doubt()

    def _doubt(self, node: str) -> None:
        """Attach anew who follows rooms of a node: something of it was not heard."""
        self._metrics.doubts["gap"].inc()
        for room in self._gateway.followed():
            actor = self._owned_by(node, room)
            if actor is not None:
                actor.attach()

    # Who is alive, and what has become of rooms

    async def _again_and_again(
        self, look: Callable[[], Coroutine[Any, Any, None]], every_ms: int
    ) -> None:
        while True:
            await self._clock.sleep(every_ms)
            try:
                await look()
            except StoreError:  # it is told where the store is watched
                self._settled_at = self._clock.now() + self._limits.settling_ms
                self._consider()
            except Exception:  # a fault of ours: without this nobody would be looked for again
                log.exception("peers_fault")

    async def _look_for_nodes(self) -> None:
        asked_at, met = self._clock.now(), self._post.known() | self._homes.keys()
        alive = frozenset(await self._store.alive())
        stood_still = asked_at - self._seen_at >= self._limits.sure_ms
        self._seen_at = asked_at
        was_away = self._clock.now() - asked_at >= self._limits.sure_ms  # the store, for us
        if was_away or self._node not in alive:
            self._was_cut_off()
        elif stood_still:
            self._stood_still()
        dead = self._alive - alive - {self._node}
        if asked_at < self._settled_at:  # they may not have come back yet
            dead, alive = frozenset(), alive | dead
        self._alive = alive
        for node in dead:
            log.info("node_is_gone", node=node)
            self._bury(node)
        for node in (dead | met) - alive - self._dead.keys():  # of some it was never seen
            self._dead[node] = asked_at
        self._forget_dead(asked_at)
        if dead:
            self._hall.load_all()
        for counted in self._relays.counted():
            looked_at = self._hall.actor(counted.room)
            if looked_at is not None:
                self._post.send(looked_at.elsewhere, counted)
        self._post.beat()

    def _unheard(self, node: str) -> None:
        if node in self._alive - {self._node}:
            self._lookout.unheard(node)

    def _consider(self) -> None:
        """Be no longer sure of our rooms if nobody can have seen us alive for long."""
        if self._clock.now() - self._seen_at >= self._limits.sure_ms:
            self._was_cut_off()

    async def catch_up(self) -> None:
        """See `Others`."""
        try:
            news = await self._store.news(self._mark)
        except TooLongAgo:
            news = await self._all_news()
        for head in news.heads:
            self._hall.learn(head)
        for room in news.gone:
            if self._hall.miss(room):
                self._relays.dismiss(room)
        self._mark = news.mark

    async def _all_news(self) -> News:
        """Read all heads. Rooms that were known before, and have none, are gone."""
        known = {actor.name for actor in self._hall.actors()}
        mark = (await self._store.news(None)).mark
        heads = await self._store.heads()
        return News(mark, tuple(heads), tuple(known.difference(head.room for head in heads)))

    def _bury(self, node: str) -> None:
        """Let a dead node's sockets leave our rooms, and look for new owners of its rooms."""
        for asked, waiting in self._waiting.values():
            if asked == node:
                _fall_silent(waiting)
        for actor in self._hall.actors():
            if actor.elsewhere == node:
                actor.moves()
        self._part(node)

    def _part(self, node: str) -> None:
        """Let a node's sockets leave our rooms."""
        home = self._homes.pop(node, HERE)
        if home == HERE:
            return
        del self._names[home]  # should it live after all, its sockets are not sent away
        for room in self._interest.rooms(home):
            leaving = self._hall.actor(room)
            if leaving is not None:
                leaving.submit(Attach(home, ()), unheard, foreign=True)
            self._post.send(node, GaveUp(room))  # if it lives after all, it will attach them again

    def _forget_dead(self, now: int) -> None:
        for node, since in list(self._dead.items()):
            if node in self._alive:
                del self._dead[node]
            elif now - since >= self._limits.forget_ms:
                del self._dead[node]
                self._part(node)
                self._post.forget(node)


def _arrived(command: PassedOn, home: int) -> PassedOn:
    """Return a command as it is here: its sockets by their numbers here."""
    if isinstance(command, Attach):
        members = (
            replace(member, session=abroad(member.session, home)) for member in command.members
        )
        return Attach(home, tuple(members))
    if isinstance(command, Watch):
        return Watch(home, command.spectators)
    if hasattr(command, "session"):
        return replace(command, session=abroad(command.session, home))
    return command


def _again(command: PassedOn) -> PassedOn:
    """Return what is done a second time: from a view on, for no update may come twice."""
    if isinstance(command, Join):
        return replace(command, asked=replace(command.asked, cursor=UNSET))
    return command


def _written(result: Any) -> Answer:
    if result is None:
        return Nothing()
    if isinstance(result, Refusal):
        return Refused(result.reason, result.facts)
    if isinstance(result, Kept):
        return Before(result.answer)
    if isinstance(result, Silent):
        return NotHere()
    answer: Answer = result
    return answer


def _fall_silent(waiting: "asyncio.Future[Answer]") -> None:
    if not waiting.done():
        waiting.set_exception(Silent())


def _settle(waiting: "asyncio.Future[Answer]", answer: Answer) -> None:
    if not waiting.done():
        waiting.set_result(answer)
