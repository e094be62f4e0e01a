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
read back. If the entries stand in the journal, the command was carried out and is answered so; else
it is decided again. Sockets that followed get a view of the new epoch. When the store fails for too
long, what waits is refused, and the bell goes on trying: a room that was wanted comes back.

A fault of ours in `decide` has changed nothing, so the command is refused and play goes on. A bell
that cannot ring would be a room that stands still for ever, so that one has failed.

Chores (`archive`, `put_away`) stand in the same inbox, so they never meet a decision in flight.

Where several nodes share a store a room may be another's (`remote.py`). Then what is asked is
passed on, one thing after the other as here, and again until it is answered. If the owner falls
silent the store is asked anew; as soon as it lets us have the room, we are the owner. What it may
have done is known by its id or its key; what has neither is not done by another.
"""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from saleroom_protocol.errors import Reason
from saleroom_protocol.http import RoomSummary
from saleroom_protocol.messages import Cursor
from saleroom_server.logs import logger
from saleroom_server.owner.account import Account
from saleroom_server.owner.bell import RoomBell
from saleroom_server.owner.elsewhere import Kept, Silent
from saleroom_server.owner.holding import Holding
from saleroom_server.owner.inbox import Asked, Chore, Inbox, Reply, unheard
from saleroom_server.owner.keeping import Keep
from saleroom_server.owner.remarks import remarked
from saleroom_server.owner.remote import Remote
from saleroom_server.owner.surroundings import Surroundings
from saleroom_server.rooms.commands import (
    HERE,
    Command,
    Effect,
    Gone,
    Join,
    Refusal,
    Remark,
    Restart,
    Ring,
    Watch,
)
from saleroom_server.rooms.room import Room
from saleroom_server.store.interface import Fenced, Held, OutOfOrder, StoreError

log = logger("rooms")


class Actor:
    """One room of this server, in memory or about to be.

    Attributes:
        kept_until: when a room that is over, or has failed, may be put away; None while it is not.
        account: what is logged and counted of the room.
    """

    def __init__(self, name: str, around: Surroundings) -> None:
        self.name = name
        self.kept_until: int | None = None
        self._around = around
        self.account = Account(name, around.metrics)
        self._holding = Holding(name, around, self.account)
        self._given_up = False  # the store failed for too long; the bell goes on trying
        self._stopped = False
        self._remote = Remote(name, around, self._make, self._attach_soon)
        self._in_doubt = False  # whether the room is still ours
        self._inbox = Inbox()
        self._task: asyncio.Task[None] | None = None
        self._bell = RoomBell(around.clock, around.limits.late_bell_ms, self._ring)

    @property
    def room(self) -> Room | None:
        """The room, while it is in memory."""
        return self._holding.room

    @property
    def elsewhere(self) -> str:
        """The node that owns the room, as far as is known; empty if it is this one, or nobody."""
        return self._remote.node

    @property
    def is_at_hand(self) -> bool:
        """Whether spectators here can be shown the room without asking anybody."""
        return self.room is not None or self._around.others.relay(self.name) is not None

    @property
    def gone(self) -> bool:
        """Whether there is no such room (any more)."""
        return self._holding.gone

    def begin(self, room: Room, fence: int) -> None:
        """Take charge of a room that has just been made."""
        self._holding.begin(room, fence)
        self._set_bell()

    def submit(
        self,
        command: Command | Remark,
        reply: Reply,
        keep: Keep | None = None,
        *,
        foreign: bool = False,
    ) -> None:
        """Have a command carried out; `reply` gets its answer or a `Refusal`, once.

        Args:
            command: what.
            reply: gets a `Silent` instead, if the command is foreign and the room is not here.
            keep: what the store keeps of the answer, with the entries.
            foreign: whether it comes from another node, or is done for one.
        """
        if isinstance(command, Remark) and self._is_done_at_once(command, reply):
            return
        full = len(self._inbox) >= self._around.limits.inbox
        # What another node asks has waited there: one thing after the other, and nobody else would
        # ask for its sockets again.
        if full and not (foreign or isinstance(command, Gone)):
            reply(Refusal(Reason.BUSY, retry_after_ms=self._around.limits.busy_retry_ms))
        else:
            self._enqueue(command, reply, keep, foreign=foreign)

    def ask(self, command: Command | Remark, keep: Keep | None = None) -> "asyncio.Future[Any]":
        """Have a command carried out; the future gets the answer, or raises the `Refusal`."""
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.submit(command, _settling(future), keep)
        return future

    async def has_told_the_end(self, cursor: Cursor) -> bool:
        """Whether the room is over, and a spectator who has come so far knows.

        Raises:
            Refusal: `unknown_room`, `unavailable`, `internal_error`.
        """
        room = await self.loaded()
        if room is not None:
            return room.has_told_the_end(cursor)
        await self.ask(Watch(HERE, 0))
        relay = self._around.others.relay(self.name)
        return relay is not None and relay.has_told_the_end(None, cursor)

    async def loaded(self) -> Room | None:
        """Return the room, read back first if it is not in memory; None if it is elsewhere.

        Raises:
            Refusal: `unknown_room`, `unavailable`, `internal_error`.
        """
        while self.room is None and not self._remote.node:
            done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
            self._enqueue(_nothing, _settling(done))
            await done
        return self.room

    def load_soon(self) -> None:
        """Read the room back, or find out that there is none."""
        self._enqueue(_nothing, unheard)

    def is_at(self, node: str) -> None:
        """Take note that a node has made the room."""
        self._remote.node = node

    def attach(self) -> None:
        """Have the owner go on with the sockets that follow the room here: news may be lost."""
        if self._remote.node:
            self._remote.suspend()

    def doubt(self) -> None:
        """Look whether a room of ours still is, before anybody sees more of it.

        This node may have been taken for dead, and the room taken over: what is here may be old.
        """
        if self.room is not None and not self._in_doubt:
            self._in_doubt = True
            self._enqueue(self._look, unheard)

    def moves(self) -> None:
        """Look for the owner anew: the one there was is no more, or has given the room up."""
        self._remote.node = ""
        self._remote.suspend()

    async def release(self) -> None:
        """Give the room up: this node ends."""
        await self._holding.release()
        self._around.others.gave_up(self.name)

    def summary(self) -> RoomSummary | None:
        """Return what the lobby tells of the room, if it is in memory."""
        return None if self.room is None else self.room.summary()

    def put_away(self) -> None:
        """Let everybody go: the room ended long ago."""
        self._keep()  # if it cannot be now, it will be tried again
        self._enqueue(self._holding.put_away, unheard)

    async def settled(self) -> None:
        """Wait until nothing is in the inbox."""
        if self._task is not None:
            await asyncio.shield(self._task)

    def stop(self) -> None:
        """Ring no more, and have no more patience with the store."""
        self._stopped = True
        self._bell.silence()

    # The inbox

    def _is_done_at_once(self, remark: Remark, reply: Reply) -> bool:
        """Carry out what need not wait; requests of one socket are done in the order sent."""
        room = self.room
        if self._in_doubt or self._inbox.holds(getattr(remark, "session", None)):
            return False
        if room is not None and isinstance(remark, Join) and room.is_behind(remark):
            return False
        if room is not None:
            reply(self._remark(room, remark))
        elif self._remote.can_serve(remark):
            reply(self._remote.serve(remark))
        else:
            return False
        return True

    def _enqueue(
        self,
        command: Command | Remark | Chore,
        reply: Reply,
        keep: Keep | None = None,
        *,
        next_: bool = False,
        foreign: bool = False,
    ) -> None:
        until = self._around.clock.now() + self._around.limits.patience_ms
        self._inbox.put(Asked(command, reply, until, keep, foreign), next_=next_)
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._work())

    async def _work(self) -> None:
        while self._inbox:
            asked = self._inbox.first
            answer = await self._settle(asked)
            self._inbox.done()
            asked.reply(answer)
            self._set_bell()
            if self.room is not None:
                self._around.advisers.seek(self.room)
        self._task = None

    async def _settle(self, asked: Asked) -> Any:
        """Carry a command out, through reloads if need be; return its answer or refusal."""
        clock, limits, faults = self._around.clock, self._around.limits, 0
        self._holding.forget_sent()
        self._given_up = False
        while True:
            try:
                return await self._reach(asked)
            except Refusal as refusal:
                self.account.refused(refusal)
                return refusal
            except Kept as kept:
                return kept
            except StoreError as error:
                log.debug("room_waits_for_store", room=self.name, problem=type(error).__name__)
                self._holding.drop()
                if self._stopped or clock.now() >= asked.until:
                    self._given_up = True
                    return Refusal(Reason.UNAVAILABLE, retry_after_ms=limits.retry_ms)
                if not isinstance(error, Fenced):  # then the store works, and says whose it is
                    await clock.sleep(limits.retry_ms)
            except Exception:  # a fault of ours: this room alone bears it
                log.exception("command_fault", room=self.name, command=asked.name)
                faults += 1
                if not self._holding.unsure or faults > 1:
                    return self._after_fault(asked)
                self._holding.drop()  # the journal knows whether it was carried out

    async def _carry_out(self, asked: Asked) -> Any:
        room, command = self.room, asked.command
        if room is None:
            room = await self._load(told_next=isinstance(command, Remark))
            if self._holding.landed:
                return self._landed(room, command)
        if isinstance(command, Remark):
            if isinstance(command, Join) and room.is_behind(command):
                await self._holding.confirm(room)  # it may be another node's by now
            return self._remark(room, command)
        if isinstance(command, Command):
            self._remote.check_undone(asked)
            return await self._decide(room, command, asked.keep)
        return await command(room)

    async def _decide(self, room: Room, command: Command, keep: Keep | None) -> Any:
        """Decide, append, commit, tell: in this order, always.

        Raises:
            Refusal: it leads to nothing.
            Kept: it was done before.
        """
        holding, clock = self._holding, self._around.clock
        holding.forget_sent()
        if keep is not None:
            await self._recall(keep)
        self.account.decides(room)
        decision = room.decide(command, clock.now())
        if decision.fault is not None:
            log.error("house_bot_fault", room=self.name, exc_info=decision.fault)
        if decision.entries:
            kept = None if keep is None else keep.answer(decision.answer)
            await holding.append(decision, kept)
        holding.tell(room.commit(decision, clock.now()))
        holding.forget_sent()
        self.account.decided(command, decision, room)
        if decision.standing.is_over and self.kept_until is None:
            self._end()
        return decision.answer

    async def _recall(self, keep: Keep) -> None:
        """See that something was not done meanwhile: for another node, or by an owner now dead."""
        answer = await self._around.store.recall(keep.player, keep.key, self._around.clock.now())
        if answer is not None:
            raise Kept(answer)

    def _landed(self, room: Room, command: Any) -> Any:
        """Answer what was carried out before the room was read back."""
        decision = self._holding.sent
        self.account.decided(command, decision, room)
        return decision.answer

    def _remark(self, room: Room, remark: Remark) -> Any:
        """Carry out what takes effect at once; return None or the refusal."""
        now = self._around.clock.now()
        refusal = self._make(remark, partial(remarked, room, remark, now))
        if refusal is None:
            self.account.watched(room)
            self._set_bell()
        return refusal

    def _make(self, remark: Remark, effects: Callable[[], Sequence[Effect]]) -> Refusal | None:
        """Tell what a remark leads to; return None or the refusal."""
        try:
            told = effects()
            self._holding.tell(told)
            if isinstance(remark, Join):
                self.account.joined(remark, told)
        except Refusal as refusal:
            return refusal
        except Exception:  # a fault of ours, whoever asks
            log.exception("command_fault", room=self.name, command=type(remark).__name__)
            return Refusal(Reason.INTERNAL_ERROR)
        return None

    # Elsewhere

    async def _reach(self, asked: Asked) -> Any:
        """Carry a command out where the room is."""
        silent = False
        while True:
            try:
                if self._remote.node and not silent:
                    return await self._remote.pass_on(asked)
                return await self._carry_out(asked)
            except Held as held:
                self._is_elsewhere(held.node)
                silent = False
            except Silent as silence:
                if asked.foreign:
                    return silence
                silent = True
                self._consider(asked)

    def _consider(self, asked: Asked) -> None:
        """Before something is asked again that may be done: has it taken too long?

        Raises:
            Refusal: `unavailable`.
        """
        clock, limits = self._around.clock, self._around.limits
        if self._stopped or clock.now() >= asked.until:
            raise Refusal(Reason.UNAVAILABLE, retry_after_ms=limits.retry_ms)

    def _is_elsewhere(self, node: str) -> None:
        """Take note of who owns the room, and have who follows it here attached to that node."""
        moved, self._remote.node, self.kept_until = node != self._remote.node, node, None
        if self._holding.give_up():
            self._around.others.gave_up(self.name)
        if moved:
            self._remote.suspend()

    def _attach_soon(self) -> None:
        self._enqueue(_nothing, self._attached)

    def _attached(self, answer: Any) -> None:
        """Try again what could not be done: sockets that are not attached hear nothing."""
        unavailable = isinstance(answer, Refusal) and answer.reason is Reason.UNAVAILABLE
        if unavailable and self._remote.unattached and not self._stopped:
            self._attach_soon()

    async def _look(self, room: Room) -> None:
        """Go on with the room if it is still ours. It is not read back: many may be in doubt."""
        try:
            await self._holding.confirm(room)
        except (Fenced, OutOfOrder):
            self._holding.drop()
            self.load_soon()
        finally:
            self._in_doubt = False

    def _after_fault(self, asked: Asked) -> Refusal:
        """A refused request has changed nothing; a bell that cannot ring ends the room's play."""
        if self._holding.unsure:
            return Refusal(Reason.UNAVAILABLE, retry_after_ms=self._around.limits.retry_ms)
        if isinstance(asked.command, Ring | Restart):
            self._enqueue(self._fail, unheard, next_=True)
        return Refusal(Reason.INTERNAL_ERROR)

    # Loading, ending

    async def _load(self, *, told_next: bool) -> Room:
        """Read the room back, and tell that its clock began anew.

        That is told before what is being done now; or right behind it, so that whoever joins hears
        it too.
        """
        had_failed = self.account.status == "failed"  # so its head says
        room = await self._holding.load()
        self._remote.returned()
        self._in_doubt, self.kept_until = False, None
        if room.standing.status == "failed":
            self._keep()  # it has no clock any more, and no record
        elif room.standing.is_over:
            self._end()
        elif told_next:
            self._enqueue(Restart(), unheard, next_=True)
        else:
            self._holding.restart(room)
        if had_failed != (room.standing.status == "failed"):
            await self._holding.note(room)
        return room

    async def _fail(self, room: Room) -> None:
        if room.standing.status == "failed":
            self._bell.silence()  # not even that can be told
        else:
            self._holding.fail(room)
            self._keep()
        await self._holding.note(room)

    def _end(self) -> None:
        self._keep()
        self._enqueue(self._holding.archive, unheard)

    def _keep(self) -> None:
        self.kept_until = self._around.clock.now() + self._around.room_limits.kept_ms

    # The bell

    def _set_bell(self) -> None:
        """Set the bell for when the room next wants it, or for when the store is tried again."""
        if self.room is not None:
            self._bell.set(self.room.due())
        elif self._given_up:
            self._bell.set(self._around.clock.now() + self._around.limits.retry_ms)
        else:
            self._bell.set(None)

    def _ring(self, late_ms: int) -> None:
        self.account.rang(late_ms)
        self._enqueue(Ring(), unheard)


async def _nothing(room: Room) -> None:
    """Do nothing: by now the room is loaded."""


def _settling(future: "asyncio.Future[Any]") -> Reply:
    def reply(answer: Any) -> None:
        if future.done():  # nobody waits any more
            return
        if isinstance(answer, Refusal | Kept):
            future.set_exception(answer)
        else:
            future.set_result(answer)

    return reply
