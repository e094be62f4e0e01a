"""The shell around one room: commands in, one after the other; durable first, then told.

Theory of operation
-------------------
An actor holds a room's inbox. While anything is in it a task works it off; an idle room has no
task. A command is decided, its entries are appended, and only when the store says they are durable
the decision is committed and told. So nothing can be decided while an append is in flight, and
nobody sees what is not on disk.

Joining, leaving, talking take effect at once, unless the same socket has something in the inbox:
requests of one socket are decided in the order sent.

If the store fails in the middle, nobody knows what it wrote. The room is dropped from memory and
read back, and the same command is decided again: by its id it finds out whether it was carried out.
Sockets that followed get a view of the new epoch.

Chores (`_archive`, `_put_away`) stand in the same inbox, so they never meet a decision in flight.
"""

import asyncio
import logging
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

from saleroom_protocol.errors import Reason
from saleroom_protocol.http import RoomSummary
from saleroom_rules.games import GAMES
from saleroom_server.clock import Bell
from saleroom_server.owner.head import head_of
from saleroom_server.owner.surroundings import Surroundings
from saleroom_server.rooms.commands import (
    Command,
    Decision,
    Gone,
    Join,
    Leave,
    Mute,
    Refusal,
    Remark,
    Restart,
    Ring,
    Say,
)
from saleroom_server.rooms.journal import decode, encode, record_of
from saleroom_server.rooms.loading import JournalFault, load
from saleroom_server.rooms.room import Room
from saleroom_server.rooms.standing import Standing
from saleroom_server.store.interface import Answer, StoreError

log = logging.getLogger("saleroom.rooms")

SEQ_GAP = 1_000_000  # presence changes take a seq and are not stored: a load skips so many
Reply: TypeAlias = Callable[[Any], None]  # an answer, or a Refusal
Answering: TypeAlias = Callable[[Any], Answer]  # what to remember of an answer
Chore: TypeAlias = Callable[[], Awaitable[None]]


class _Asked(Struct, frozen=True):
    command: Command | Remark | Chore
    reply: Reply
    answering: Answering | None = None

    @property
    def session(self) -> int | None:
        return getattr(self.command, "session", None)


class Actor:
    """One room of this server, in memory or about to be.

    Attributes:
        room: the room, once it is loaded.
        ended_at: since when it is over, by this server's reckoning; None while it is not.
        gone: whether there is no such room (any more).
    """

    def __init__(self, name: str, around: Surroundings) -> None:
        self.name = name
        self.room: Room | None = None
        self.ended_at: int | None = None
        self.gone = False
        self._around = around
        self._fence = 0
        self._in_flight = False  # a decision is being made durable and told
        self._former: Room | None = None  # dropped; its sockets wait for the next one
        self._inbox: deque[_Asked] = deque()
        self._pending: Counter[int] = Counter()  # what is in the inbox, by session
        self._task: asyncio.Task[None] | None = None
        self._bell: Bell | None = None
        self._bell_at: int | None = None

    def begin(self, room: Room, fence: int) -> None:
        """Take charge of a room that has just been made."""
        self.room, self._fence = room, fence
        self._arm()

    def submit(
        self, command: Command | Remark, reply: Reply, answering: Answering | None = None
    ) -> None:
        """Have a command carried out; `reply` gets its answer or a `Refusal`, once.

        `answering` turns the answer into what the store keeps with the entries.
        """
        if isinstance(command, Remark) and self._can_serve(command):
            reply(self._remark(self._loaded(), command))
        elif len(self._inbox) >= self._around.limits.inbox and not isinstance(command, Gone):
            reply(Refusal(Reason.BUSY, retry_after_ms=self._around.limits.busy_retry_ms))
        else:
            self._enqueue(_Asked(command, reply, answering))

    def ask(
        self, command: Command | Remark, answering: Answering | None = None
    ) -> "asyncio.Future[Any]":
        """Have a command carried out; the future gets the answer, or raises the `Refusal`."""
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

        def reply(answer: Any) -> None:
            if future.done():
                return
            if isinstance(answer, Refusal):
                future.set_exception(answer)
            else:
                future.set_result(answer)

        self.submit(command, reply, answering)
        return future

    async def loaded(self) -> Room:
        """Return the room, read back first if it is not in memory.

        Raises:
            Refusal: `unknown_room`, `unavailable`, `internal_error`.
        """
        if self.room is None:
            done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._enqueue(_Asked(_nothing, _settling(done)))
            await done
        return self._loaded()

    def summary(self) -> RoomSummary | None:
        """Return what the lobby tells of the room, if it is in memory."""
        return None if self.room is None else self.room.summary()

    async def is_over(self) -> bool:
        """Whether the room has ended; it is read back first if need be.

        Raises:
            Refusal: as `loaded`.
        """
        return (await self.loaded()).standing.is_over

    def put_away(self) -> None:
        """Let everybody go, and delete the journal: the room ended long ago."""
        self._enqueue(_Asked(self._put_away, _ignore))

    async def settled(self) -> None:
        """Wait until nothing is in the inbox."""
        if self._task is not None:
            await asyncio.shield(self._task)

    def stop(self) -> None:
        """Ring no more."""
        if self._bell is not None:
            self._bell.cancel()

    # The inbox

    def _enqueue(self, asked: _Asked, place: int | None = None) -> None:
        self._inbox.insert(len(self._inbox) if place is None else place, asked)
        if asked.session is not None:
            self._pending[asked.session] += 1
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._work())

    async def _work(self) -> None:
        while self._inbox:
            asked = self._inbox[0]
            answer = await self._settle(asked)
            self._inbox.remove(asked)
            if asked.session is not None:
                self._pending -= Counter((asked.session,))
            asked.reply(answer)
            self._arm()
        self._task = None

    async def _settle(self, asked: _Asked) -> Any:
        """Carry a command out, through reloads if need be; return its answer or refusal."""
        clock, limits = self._around.clock, self._around.limits
        patient_until = clock.now() + limits.patience_ms
        while True:
            try:
                return await self._carry_out(asked)
            except Refusal as refusal:
                return refusal
            except StoreError as error:
                log.warning("room %s: the store failed: %s", self.name, type(error).__name__)
                self._drop()
                if clock.now() >= patient_until:
                    return Refusal(Reason.UNAVAILABLE, retry_after_ms=limits.retry_ms)
                await clock.sleep(limits.retry_ms)
            except Exception:  # a fault of ours: this room alone bears it
                log.exception("room %s: %s", self.name, type(asked.command).__name__)
                return self._after_fault(asked)

    async def _carry_out(self, asked: _Asked) -> Any:
        room = self.room or await self._load()
        command = asked.command
        if isinstance(command, Remark):
            return self._remark(room, command)
        if isinstance(command, Command):
            return await self._decide(room, command, asked.answering)
        return await command()

    async def _decide(self, room: Room, command: Command, answering: Answering | None) -> Any:
        """Decide, append, commit, tell: in this order, always."""
        clock = self._around.clock
        decision = room.decide(command, clock.now())
        self._in_flight = True
        if decision.entries:
            await self._append(decision, answering)
        self._tell(room.commit(decision, clock.now()))
        self._in_flight = False
        if decision.standing.is_over and self.ended_at is None:
            self._end()
        return decision.answer

    async def _append(self, decision: Decision, answering: Answering | None) -> None:
        head = None if decision.answered else msgspec.msgpack.encode(head_of(decision.standing))
        await self._around.store.append(
            self.name,
            self._fence,
            decision.entries[0].entry.entry,
            [encode(journalled) for journalled in decision.entries],
            head,
            None if answering is None else answering(decision.answer),
        )

    def _remark(self, room: Room, remark: Remark) -> Any:
        """Carry out what takes effect at once; return None or the refusal."""
        now = self._around.clock.now()
        try:
            match remark:
                case Join():
                    self._tell(room.join(remark, now))
                case Leave():
                    self._tell(room.leave(remark, now))
                case Gone():
                    self._tell(room.gone(remark, now))
                case Say():
                    self._tell(room.say(remark, now))
                case Mute():
                    room.mute(remark)
        except Refusal as refusal:
            return refusal
        self._arm()
        return None

    def _can_serve(self, remark: Remark) -> bool:
        """Whether nothing this socket sent before is still waiting."""
        session = getattr(remark, "session", None)
        return self.room is not None and session not in self._pending

    # Loading, ending

    async def _load(self) -> Room:
        owned = await self._around.store.acquire(self.name)
        if owned is None:
            self.gone = True
            raise Refusal(Reason.UNKNOWN_ROOM)
        self._fence = owned.fence
        try:
            loaded = load(owned.entries)
        except JournalFault as fault:
            return self._failed(fault)
        room = self._room(loaded.rules, loaded.standing)
        self._take_up(room)
        if loaded.standing.is_over:
            self._end()
        else:
            # Right after whoever asked for the room has its view.
            self._enqueue(_Asked(Restart(), _ignore), place=1)
        return room

    def _failed(self, fault: JournalFault) -> Room:
        log.error("room %s has failed: %s", self.name, fault)
        if fault.standing is None:
            raise Refusal(Reason.INTERNAL_ERROR)
        rules = GAMES[fault.standing.founding.game]
        room = self._room(rules, fault.standing)
        self._take_up(room)
        self._tell(room.fail(self._around.clock.now()))
        return room

    def _room(self, rules: Any, standing: Standing) -> Room:
        around = self._around
        return Room(
            rules,
            standing,
            around.room_limits,
            around.think,
            around.levels,
            fence=self._fence,
            seq=standing.seq + SEQ_GAP,
            now=around.clock.now(),
        )

    def _take_up(self, room: Room) -> None:
        self.room = room
        if self._former is not None:
            self._tell(room.adopt(self._former))
            self._former = None

    def _drop(self) -> None:
        """Forget the room: what is on disk may be more than what is known here."""
        self._in_flight = False
        if self.room is not None:
            self._former, self.room = self.room, None

    def _after_fault(self, asked: _Asked) -> Refusal:
        """A refused request has changed nothing; a bell that cannot ring ends the room's play."""
        if self._in_flight:
            self._drop()  # it may be durable without having been told
        if isinstance(asked.command, Ring) and self.room is not None:
            self._tell(self.room.fail(self._around.clock.now()))
        return Refusal(Reason.INTERNAL_ERROR)

    def _end(self) -> None:
        self.ended_at = self._around.clock.now()
        self._enqueue(_Asked(self._archive, _ignore))

    async def _archive(self) -> None:
        """Keep the record for good. Taking the room over anew is how its journal is read."""
        store, standing = self._around.store, self._loaded().standing
        if standing.status == "failed" or await store.archived(self.name) is not None:
            return
        owned = await store.acquire(self.name)
        assert owned is not None, "a room has a journal until it is put away"
        self._fence = owned.fence
        entries = [decode(body) for body in owned.entries]
        assert not isinstance(standing.outcome, msgspec.UnsetType), "a room that is over has one"
        record = record_of(standing.founding, standing.contributions, entries, standing.outcome)
        await store.archive(
            self.name, self._fence, msgspec.msgpack.encode(head_of(standing)), record
        )

    async def _put_away(self) -> None:
        self._tell(self._loaded().dismiss())
        await self._around.store.forget(self.name, self._fence)
        self.gone = True
        self.stop()

    # The bell

    def _arm(self) -> None:
        """Set the bell for when the room next wants it."""
        due = None if self.room is None or self.gone else self.room.due()
        if due == self._bell_at:
            return
        self.stop()
        self._bell_at, self._bell = due, None
        if due is not None:
            self._set_bell(max(due, self._around.clock.now()), self._ring)

    def _set_bell(self, when: int, ring: Callable[[int], None]) -> None:
        self._bell = self._around.clock.ring_at(when, lambda: ring(when))

    def _ring(self, expected: int) -> None:
        """Let the bell ring; but if this program is late, first read what came in meanwhile."""
        now = self._around.clock.now()
        late = now - expected
        if late > self._around.limits.late_bell_ms:
            self._set_bell(now + late, self._ring_now)
        else:
            self._ring_now(now)

    def _ring_now(self, _: int) -> None:
        self._bell, self._bell_at = None, None
        self._enqueue(_Asked(Ring(), _ignore))

    def _tell(self, effects: Sequence[Any]) -> None:
        self._around.deliver(self.name, effects)

    def _loaded(self) -> Room:
        if self.room is None:
            raise Refusal(Reason.UNAVAILABLE, retry_after_ms=self._around.limits.retry_ms)
        return self.room


async def _nothing() -> None:
    """Do nothing: by the time it is done, the room is loaded."""


def _ignore(answer: Any) -> None:
    """Nobody waits for this answer."""


def _settling(future: "asyncio.Future[None]") -> Reply:
    def reply(answer: Any) -> None:
        if isinstance(answer, Refusal):
            future.set_exception(answer)
        else:
            future.set_result(None)

    return reply
