"""One room as this server holds it: in memory, in the store, and how the one becomes the other."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

import msgspec
from msgspec import UNSET, Struct

from saleroom_protocol.errors import Reason
from saleroom_protocol.games import record
from saleroom_rules.contract import AnyRules
from saleroom_rules.games import GAMES
from saleroom_server.logs import logger
from saleroom_server.owner.account import Account
from saleroom_server.owner.head import head_of
from saleroom_server.owner.surroundings import Surroundings
from saleroom_server.rooms.commands import HERE, Attach, Decision, Effect, Refusal, Restart
from saleroom_server.rooms.draft import Draft
from saleroom_server.rooms.journal import decode, encode, record_of
from saleroom_server.rooms.loading import (
    EditionRetired,
    JournalFault,
    Loaded,
    loading,
    seq_after_load,
)
from saleroom_server.rooms.room import Room
from saleroom_server.rooms.standing import Standing
from saleroom_server.store.interface import Answer, StoreError

log = logger("rooms")


class _Sent(Struct, frozen=True):
    """A decision the store was given, and has not said to be durable."""

    first: int
    bodies: list[bytes]
    decision: Decision

    def stands_in(self, entries: Sequence[bytes]) -> bool:
        """Whether it was carried out after all."""
        begin = self.first - 1
        return list(entries[begin : begin + len(self.bodies)]) == self.bodies


class Holding:
    """The room, and the token to write its journal with.

    Attributes:
        room: None while it is not in memory.
        gone: whether there is no such room (any more).
        unsure: whether the last decision may be durable without having been told.
        landed: whether it was found in the journal; then `sent` is what was decided.
    """

    def __init__(self, name: str, around: Surroundings, account: Account) -> None:
        self._name, self._around, self._account = name, around, account
        self.room: Room | None = None
        self.gone = False
        self._fence = 0
        self._former: Room | None = None  # dropped; its sockets wait for the next one
        self._sent: _Sent | None = None
        self.landed = False
        self._read = 0  # entries, when it was last read back: it may have failed at one of them
        self._is_unreadable = False  # which was said: whoever asks for the room, it is read again

    def begin(self, room: Room, fence: int) -> None:
        """Take charge of a room that has just been made."""
        self.room, self._fence = room, fence
        self._account.holds(room)

    @property
    def unsure(self) -> bool:
        """See `Holding`."""
        return self._sent is not None

    @property
    def sent(self) -> Decision:
        """See `Holding`."""
        assert self._sent is not None, "something has landed"
        return self._sent.decision

    def tell(self, effects: Sequence[Effect]) -> None:
        """Have effects carried out."""
        self._around.deliver(self._name, effects)

    # Deciding

    def forget_sent(self) -> None:
        """Forget the last decision: it is told, or another command's turn has come."""
        self._sent, self.landed = None, False

    async def append(self, decision: Decision, kept: Answer | None) -> None:
        """Make a decision durable; `kept` in the same write.

        Raises:
            StoreError: perhaps it is; `load` finds out.
        """
        first, bodies = decision.entries[0].entry.entry, [*map(encode, decision.entries)]
        # A move changes nothing of what the lobby tells, unless it is the last one.
        same = decision.answered and not decision.standing.is_over
        head = None if same else msgspec.msgpack.encode(head_of(decision.standing))
        self._sent = _Sent(first, bodies, decision)
        await self._around.store.append(self._name, self._fence, first, bodies, head, kept)

    async def confirm(self, room: Room) -> None:
        """Ask whether the room is still ours, and the journal as it is known here.

        Raises:
            Fenced: another node has taken it.
            OutOfOrder: the journal is another one.
            Unavailable: the store does not say.
        """
        await self._around.store.append(self._name, self._fence, room.standing.entry + 1, ())

    async def note(self, room: Room) -> None:
        """Have the head say how the room stands. If the store does not write, it does not."""
        next_, head = max(room.standing.entry, self._read) + 1, head_of(room.standing)
        body = msgspec.msgpack.encode(head)
        with suppress(StoreError):
            await self._around.store.append(self._name, self._fence, next_, (), body)

    def drop(self) -> None:
        """Forget the room: what is on disk may be more than what is known here."""
        if self.room is not None:
            self._former, self.room = self.room, None
            self._account.drops()

    def give_up(self) -> bool:
        """Forget the room for good: another node owns it. Return whether it was ours."""
        was_ours = self.room is not None or self._former is not None
        self.drop()
        self._former = None
        self.forget_sent()
        return was_ours

    async def release(self) -> None:
        """Let another node have the room at once."""
        if self.room is not None:
            await self._around.store.release(self._name, self._fence)

    # Loading

    async def load(self) -> Room:
        """Read the room back; the sockets that followed it go on.

        Raises:
            Refusal: `unknown_room`, also of what cannot be shown: its founding cannot be read, or
                its rules are gone. Its journal stays.
        """
        entries = await self._acquire()
        self.landed = self._sent is not None and self._sent.stands_in(entries)
        try:
            loaded = await _replayed(entries, self._around.limits.entries_per_turn)
        except EditionRetired as retired:
            return await self._retire(retired.standing)
        except JournalFault as fault:
            if not self._is_unreadable:
                log.error("journal_unreadable", room=self._name, problem=str(fault))
            self._is_unreadable = True
            rules = None if fault.standing is None else GAMES.get(fault.standing.founding.game)
            if fault.standing is None or rules is None:
                raise self._unknown() from fault
            room = self._take_up(rules, fault.standing)
            self.fail(room)
            return room
        return self._take_up(loaded.rules, loaded.standing)

    def restart(self, room: Room) -> None:
        """Tell that the clock began anew."""
        now = self._around.clock.now()
        self.tell(room.commit(room.decide(Restart(), now), now))

    def fail(self, room: Room) -> None:
        """Stop the room's play, as far as this program goes."""
        self.tell(room.fail(self._around.clock.now()))
        self._account.holds(room)

    async def _retire(self, standing: Standing) -> Room:
        """Close a room by rules that are not played any more; it keeps its record."""
        rules = GAMES.get(standing.founding.game)
        if rules is None or standing.is_over:
            raise self._unknown()
        seq, now = self._seq(standing), self._around.clock.now()
        draft = Draft(rules, standing, seq, now)
        draft.add(record.Closed, reason="edition_retired")
        await self.append(draft.decision(), None)
        self.forget_sent()
        return self._take_up(rules, draft.standing)

    async def _acquire(self) -> tuple[bytes, ...]:
        owned = await self._around.store.acquire(self._name)
        if owned is None:
            raise self._unknown()
        self._fence, self._read = owned.fence, len(owned.entries)
        return owned.entries

    def _take_up(self, rules: AnyRules, standing: Standing) -> Room:
        self.room = room = self._around.room(rules, standing, seq=self._seq(standing))
        former, self._former = self._former, None
        if former is not None:
            self.tell(room.adopt(former))
        else:
            self._around.others.took_over(self._name)
            here = Attach(HERE, self._around.others.members(self._name))
            self.tell(room.attach(here, self._around.clock.now()))
        self._account.holds(room)
        return room

    def _seq(self, standing: Standing) -> int:
        told = 0 if self._former is None else self._former.seq
        return seq_after_load(standing, told, self._around.clock.now())

    # Ending

    async def archive(self, room: Room) -> None:
        """Keep the record for good. Taking the room over anew is how its journal is read."""
        store, standing = self._around.store, room.standing
        if await store.archived(self._name) is not None:
            return
        entries = [*map(decode, await self._acquire())]
        assert standing.outcome is not UNSET, "a room that is over has an outcome"
        kept = record_of(standing.founding, standing.contributions, entries, standing.outcome)
        head = msgspec.msgpack.encode(head_of(standing))
        await store.archive(self._name, self._fence, head, kept)

    async def put_away(self, room: Room) -> None:
        """Delete the journal, then let everybody go; the record stays.

        The journal of a room that has failed stays too: a program without the fault takes it up,
        another node's perhaps.
        """
        if not room.standing.is_over:  # it has been read back, and had not failed after all
            return
        if room.standing.status == "failed":
            await self._around.store.release(self._name, self._fence)
        else:
            await self.archive(room)
            await self._around.store.forget(self._name, self._fence)
        self._vanish()

    def _unknown(self) -> Refusal:
        self._vanish()
        return Refusal(Reason.UNKNOWN_ROOM)

    def _vanish(self) -> None:
        """Let every socket go: from now on there is no such room."""
        room = self.room or self._former
        self.room = self._former = None
        self.gone = True
        self._account.closes()
        if room is not None:
            self.tell(room.dismiss())


async def _replayed(entries: Sequence[bytes], per_turn: int) -> Loaded:
    """Replay a journal, and let others have their turn meanwhile."""
    for loaded in loading(entries, per_turn):
        if loaded is not None:
            return loaded
        await asyncio.sleep(0)
    raise AssertionError("a replay ends with the room, or raises")
