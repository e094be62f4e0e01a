"""All rooms of this server: made, found, listed, loaded, put away."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import msgspec

from saleroom_protocol.document import OVER
from saleroom_protocol.errors import Reason
from saleroom_protocol.http import NewRoom, NewRoomInfo, RoomSummary
from saleroom_server.logs import logger
from saleroom_server.owner.actor import Actor
from saleroom_server.owner.founding import found_room
from saleroom_server.owner.head import Head, head_of
from saleroom_server.owner.inbox import Answering
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
        self._made: dict[str, set[str]] = defaultdict(set)  # by creator
        self._in_hand: Counter[str] = Counter()  # being made right now, by creator
        self._loading: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Learn which rooms there are, and begin to read them back."""
        for stored in await self._around.store.heads():
            await self._recognise(stored)
        self._loading = asyncio.create_task(self._load_all())

    async def _recognise(self, stored: stores.Head) -> None:
        """Take a room in by its head; if that cannot be read, by its journal; else leave it out."""
        try:
            head = msgspec.msgpack.decode(stored.body, type=Head)
        except (msgspec.DecodeError, UnicodeDecodeError):
            log.error("head_unreadable", room=stored.room)
            actor = Actor(stored.room, self._around)
            try:
                head = head_of((await actor.loaded()).standing)
            except Refusal:
                log.error("room_left_out", room=stored.room)
                return
            finally:
                actor.stop()
                await actor.settled()
                actor.account.drops()
        self._admit(stored.room, head)

    async def close(self) -> None:
        """Finish what is in hand; nothing more happens to any room."""
        if self._loading is not None:
            self._loading.cancel()
            await asyncio.gather(self._loading, return_exceptions=True)
        for actor in self._actors.values():
            actor.stop()
        await asyncio.gather(*(actor.settled() for actor in self._actors.values()))

    def actor(self, room: str) -> Actor | None:
        """Return a room's actor, loaded or not; None if there is no such room."""
        actor = self._actors.get(room)
        return None if actor is None or actor.gone else actor

    async def create(
        self, asked: NewRoom, caller: Caller, answering: Answering | None
    ) -> NewRoomInfo:
        """Make a room, and return what its creator is told.

        Raises:
            Refusal: as `found_room`, or `full`.
            Unavailable: the store failed.
        """
        creator = caller.player or ""
        self._check_space(creator)
        self._in_hand[creator] += 1
        try:
            return await self._create(asked, caller, answering)
        finally:
            self._in_hand[creator] -= 1
            self._in_hand += Counter()  # forgets who is at nought

    async def _create(
        self, asked: NewRoom, caller: Caller, answering: Answering | None
    ) -> NewRoomInfo:
        around = self._around
        founded = found_room(asked, caller, around.levels, around.clock.now())
        standing, name = founded.decision.standing, founded.founding.room
        head = head_of(standing)
        info = _info(standing, head.summary, caller)
        try:
            fence = await around.store.create(
                name,
                [encode(journalled) for journalled in founded.decision.entries],
                msgspec.msgpack.encode(head),
                None if answering is None else answering(info),
            )
        except Unavailable:
            self._admit(name, head).load_soon()  # perhaps it was made; else it will be forgotten
            raise
        room = around.room(founded.rules, standing, fence=fence, seq=standing.seq)
        self._admit(name, head).begin(room, fence)
        log.info("room_made", room=name, game=asked.game, seats=asked.seats)
        return info

    def summaries(self) -> Iterator[RoomSummary]:
        """Yield the summary of every room, the newest first; of one age, the greater id first."""
        made = ((head.summary.created_at, name) for name, head in self._heads.items())
        for _, name in sorted(made, reverse=True):
            if self.actor(name) is not None:
                yield self.summary(name)

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
            try:
                await actor.loaded()
            except Refusal as refusal:
                log.error("room_not_loaded", room=name, reason=refusal.reason)
            await self._around.clock.sleep(self._around.limits.load_pause_ms)
        log.info("rooms_loaded", rooms=len(self._actors))

    def _admit(self, room: str, head: Head) -> Actor:
        actor = Actor(room, self._around)
        actor.account.opens(head.summary.game, head.summary.status)
        self._actors[room], self._heads[room] = actor, head
        self._made[head.creator].add(room)
        return actor

    def _forget(self, room: str) -> None:
        creator = self._heads[room].creator
        self._made[creator].discard(room)
        if not self._made[creator]:
            del self._made[creator]
        del self._actors[room], self._heads[room]

    def _is_over(self, room: str) -> bool:
        return self.summary(room).status in OVER

    def _players(self, room: str) -> Sequence[str]:
        loaded = self._actors[room].room
        return (
            self._heads[room].players
            if loaded is None
            else [sitter.player for sitter in loaded.standing.sitters.values()]
        )

    def _check_space(self, creator: str) -> None:
        limits, in_hand = self._around.limits, self._in_hand
        made = sum(not self._is_over(room) for room in self._made.get(creator, ()))
        too_many = len(self._actors) + in_hand.total() >= limits.rooms
        if too_many or made + in_hand[creator] >= limits.rooms_per_player:
            raise Refusal(Reason.FULL, retry_after_ms=limits.busy_retry_ms)


def _info(standing: Standing, summary: RoomSummary, caller: Caller) -> NewRoomInfo:
    founding, seat = standing.founding, standing.seat_of(caller.player)
    return NewRoomInfo(
        **msgspec.structs.asdict(summary),
        invite=founding.invite,
        watch=founding.watch,
        seat=msgspec.UNSET if seat is None else seat,
    )
