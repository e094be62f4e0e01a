"""All rooms of this server: made, found, listed, loaded, put away."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import msgspec

from saleroom_protocol.document import OVER, Status
from saleroom_protocol.errors import Reason
from saleroom_protocol.http import NewRoom, NewRoomInfo, RoomSummary
from saleroom_server.logs import logger
from saleroom_server.owner.actor import Actor
from saleroom_server.owner.elsewhere import Kept
from saleroom_server.owner.founding import found_room
from saleroom_server.owner.head import Head, head_from, head_of
from saleroom_server.owner.keeping import Keep
from saleroom_server.owner.roll import Roll, place_of
from saleroom_server.owner.surroundings import Surroundings
from saleroom_server.rooms.commands import Caller, Refusal
from saleroom_server.rooms.journal import encode
from saleroom_server.rooms.standing import Standing
from saleroom_server.store import interface as stores
from saleroom_server.store.interface import Unavailable

log = logger("rooms")


class Hall:
    """The rooms that have a journal, by id; the longest there first."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._actors: dict[str, Actor] = {}
        self._heads: dict[str, Head] = {}  # as of the last load; a room in memory knows better
        self._roll = Roll()
        self._made: dict[str, set[str]] = defaultdict(set)  # by creator, and by address
        self._addresses: dict[str, str] = {}  # from where each was made, since this server runs
        self._in_hand: Counter[str] = Counter()  # being made right now, by creator and by address
        self._beginning = 0  # being made right now
        self._loading: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Learn which rooms there are, and begin to read them back."""
        for stored in await self._around.store.heads():
            await self._recognise(stored)
        self.load_all()

    def load_all(self) -> None:
        """Begin to read back the rooms that are in no node's memory."""
        if self._loading is None or self._loading.done():
            self._loading = asyncio.create_task(self._load_all())

    async def _recognise(self, stored: stores.Head) -> None:
        """Take a room in by its head; if that cannot be read, by its journal; else leave it out."""
        head = head_from(stored.room, stored.body)
        if head is None:
            actor = Actor(stored.room, self._around)
            try:
                room = await actor.loaded()
                if room is None:  # its owner will write a new one
                    return
                head = head_of(room.standing)
            except Refusal:
                log.error("room_left_out", room=stored.room)
                return
            finally:
                actor.stop()
                await actor.settled()
                actor.account.drops()
        self._admit(stored.room, head)

    def learn(self, stored: stores.Head, node: str = "") -> None:
        """Take note of a room that another node has made, or of what has become of one.

        Args:
            stored: its head; one that cannot be read tells nothing.
            node: who owns it, if that is known.
        """
        head = head_from(stored.room, stored.body)
        actor = self._actors.get(stored.room)
        if head is None:
            return
        if actor is None:
            actor = self._admit(stored.room, head)
            if node:
                actor.is_at(node)
        elif actor.room is None:
            self._heads[stored.room] = head
            actor.account.becomes(head.summary.status)

    def miss(self, room: str) -> bool:
        """Take note that a room has no journal any more; its owner knows that by itself.

        Returns:
            Whether it was there till now.
        """
        actor = self._actors.get(room)
        if actor is None or actor.room is not None:
            return False
        actor.account.closes()
        self._forget(room)
        return True

    def actors(self) -> list[Actor]:
        """List the actors of all rooms, in memory or not."""
        return [*self._actors.values()]

    async def close(self) -> None:
        """Finish what is in hand; nothing more happens to any room."""
        if self._loading is not None:
            self._loading.cancel()
            await asyncio.gather(self._loading, return_exceptions=True)
        for actor in self._actors.values():
            actor.stop()
        await asyncio.gather(*(actor.settled() for actor in self._actors.values()))

    async def release(self) -> None:
        """Let other nodes have the rooms; some at a time, so that each is without an owner briefly.

        To be called after `close`.

        Raises:
            StoreError: what was not given up will be taken when this node is no more.
        """
        owned = [actor for actor in self._actors.values() if actor.room is not None]
        at_once = self._around.limits.released_at_once
        for begin in range(0, len(owned), at_once):
            await asyncio.gather(*(actor.release() for actor in owned[begin : begin + at_once]))

    def actor(self, room: str) -> Actor | None:
        """Return a room's actor, loaded or not; None if there is no such room."""
        actor = self._actors.get(room)
        return None if actor is None or actor.gone else actor

    async def create(
        self, asked: NewRoom, caller: Caller, keep: Keep | None, address: str = ""
    ) -> NewRoomInfo:
        """Make a room, and return what its creator is told.

        Args:
            asked: what it should be.
            caller: its creator.
            keep: what the store keeps of the answer.
            address: from where it is made; kept while the room is here, and never stored.

        Raises:
            Refusal: as `found_room`, or `full`.
            Kept: it was made before.
            Unavailable: the store failed.
        """
        makers = Counter(filter(None, (caller.player, address)))
        self._check_space(caller.player or "", address)
        self._in_hand += makers
        self._beginning += 1
        try:
            return await self._create(asked, caller, keep, address)
        finally:
            self._in_hand -= makers
            self._beginning -= 1

    async def _create(
        self, asked: NewRoom, caller: Caller, keep: Keep | None, address: str
    ) -> NewRoomInfo:
        around = self._around
        founded = found_room(asked, caller, around.levels, around.clock.now())
        standing, name = founded.decision.standing, founded.founding.room
        head = head_of(standing)
        body = msgspec.msgpack.encode(head)
        info = _info(standing, head.summary, caller)
        answer = None if keep is None else keep.answer(info)
        entries = [*map(encode, founded.decision.entries)]
        try:
            fence = await around.store.create(name, entries, body, answer)
            if answer is not None:
                await self._give_way(name, fence, answer)
        except Unavailable:
            # Perhaps it was made; else it will be forgotten.
            self._admit(name, head, address).load_soon()
            raise
        room = around.room(founded.rules, standing, seq=standing.seq)
        self._admit(name, head, address).begin(room, fence)
        await around.others.made(name, body)
        log.info("room_made", room=name, game=asked.game, seats=asked.seats)
        return info

    async def _give_way(self, room: str, fence: int, answer: stores.Answer) -> None:
        """Forget a new room if another node was asked for the same, and made one first.

        Raises:
            Kept: so it is.
        """
        store, now = self._around.store, self._around.clock.now()
        first = await store.recall(answer.player, answer.key, now)
        if first is not None and first != answer:
            await store.forget(room, fence)
            raise Kept(first)

    def rooms(self, after: str | None = None) -> Iterator[str]:
        """Yield every room, the newest first; from behind a place on, if one is given."""
        return (room for room in self._roll.rooms(after) if self.actor(room) is not None)

    def head(self, room: str) -> Head:
        """Return what a room was when it was last read; what never changes is right in it."""
        return self._heads[room]

    def status(self, room: str) -> Status:
        """Return a room's status, as fresh as it is at hand."""
        loaded = self._actors[room].room
        return self._heads[room].summary.status if loaded is None else loaded.standing.status

    async def fresh_status(self, room: str) -> Status:
        """Return a room's status, also of one that another node owns, as of now.

        Raises:
            StoreError: the store does not say.
        """
        await self._around.others.catch_up()
        return self.status(room)

    def summary(self, room: str) -> RoomSummary:
        """Return a room's summary, as fresh as it is at hand."""
        return self._actors[room].summary() or self._heads[room].summary

    def sees(self, room: str, caller: Caller, watch: str) -> bool:
        """Whether somebody may know that a room exists.

        Raises:
            KeyError: it does not.
        """
        loaded = self._actors[room].room
        return (self._heads[room] if loaded is None else loaded).sees(caller, watch)

    def holds_seat(self, player: str) -> bool:
        """Whether a player sits in a room that has not ended."""
        return any(
            player in self._players(room) and not self._is_over(room) for room in self._actors
        )

    def sweep(self) -> None:
        """Put away rooms that ended long ago, and forget those that are gone."""
        now = self._around.clock.now()
        for name, actor in list(self._actors.items()):
            if actor.gone:
                self._forget(name)
            elif actor.kept_until is not None and now >= actor.kept_until:
                actor.put_away()

    async def _load_all(self) -> None:
        """Read every room back, one after the other; a demanded one waits for no other."""
        for name, actor in list(self._actors.items()):
            if actor.room is not None or actor.elsewhere:
                continue
            try:
                await actor.loaded()
            except Refusal as refusal:
                log.error("room_not_loaded", room=name, reason=refusal.reason)
            await self._around.clock.sleep(self._around.limits.load_pause_ms)
        log.info("rooms_loaded", rooms=len(self._actors))

    def _admit(self, room: str, head: Head, address: str = "") -> Actor:
        """Take a room in. One just made here may be known by the news, if its receipt came late."""
        if address:
            self._addresses[room] = address
            self._made[address].add(room)
        if room in self._actors:
            return self._actors[room]
        actor = Actor(room, self._around)
        actor.account.opens(head.summary.game, head.summary.status)
        self._actors[room], self._heads[room] = actor, head
        self._roll.add(place_of(head.summary))
        self._made[head.creator].add(room)
        return actor

    def _forget(self, room: str) -> None:
        head = self._heads.pop(room)
        self._roll.remove(place_of(head.summary))
        for maker in filter(None, (head.creator, self._addresses.pop(room, ""))):
            self._made[maker].discard(room)
            if not self._made[maker]:
                del self._made[maker]
        del self._actors[room]

    def _is_over(self, room: str) -> bool:
        return self.status(room) in OVER

    def _players(self, room: str) -> Sequence[str]:
        loaded = self._actors[room].room
        return (
            self._heads[room].players
            if loaded is None
            else [sitter.player for sitter in loaded.standing.sitters.values()]
        )

    def _check_space(self, creator: str, address: str) -> None:
        limits = self._around.limits
        if (
            len(self._actors) + self._beginning >= limits.rooms
            or self._unfinished(creator) >= limits.rooms_per_player
            or (address and self._unfinished(address) >= limits.rooms_per_address)
        ):
            raise Refusal(Reason.FULL, retry_after_ms=limits.busy_retry_ms)

    def _unfinished(self, maker: str) -> int:
        made = self._made.get(maker, ())
        return self._in_hand[maker] + sum(not self._is_over(room) for room in made)


def _info(standing: Standing, summary: RoomSummary, caller: Caller) -> NewRoomInfo:
    founding, seat = standing.founding, standing.seat_of(caller.player)
    return NewRoomInfo(
        **msgspec.structs.asdict(summary),
        invite=founding.invite,
        watch=founding.watch,
        seat=msgspec.UNSET if seat is None else seat,
    )
