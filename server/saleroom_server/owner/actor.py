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

Chores (`_archive`, `_put_away`) stand in the same inbox, so they never meet a decision in flight.
"""

import asyncio
from typing import Any

from saleroom_protocol.errors import Reason
from saleroom_protocol.http import RoomSummary
from saleroom_server.logs import logger
from saleroom_server.owner.account import Account
from saleroom_server.owner.bell import RoomBell
from saleroom_server.owner.holding import Holding
from saleroom_server.owner.inbox import Answering, Asked, Chore, Inbox, Reply
from saleroom_server.owner.surroundings import Surroundings
from saleroom_server.rooms.commands import (
    Command,
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
from saleroom_server.rooms.room import Room
from saleroom_server.store.interface import StoreError

log = logger("rooms")


class Actor:
    """One room of this server, in memory or about to be.

    Attributes:
        kept_until: when a room that is over may be put away; None while it is not over.
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
        self._inbox = Inbox()
        self._task: asyncio.Task[None] | None = None
        self._bell = RoomBell(around.clock, around.limits.late_bell_ms, self._ring)

    @property
    def room(self) -> Room | None:
        """The room, while it is in memory."""
        return self._holding.room

    @property
    def gone(self) -> bool:
        """Whether there is no such room (any more)."""
        return self._holding.gone

    def begin(self, room: Room, fence: int) -> None:
        """Take charge of a room that has just been made."""
        self._holding.begin(room, fence)
        self._set_bell()

    def submit(
        self, command: Command | Remark, reply: Reply, answering: Answering | None = None
    ) -> None:
        """Have a command carried out; `reply` gets its answer or a `Refusal`, once.

        `answering` turns the answer into what the store keeps with the entries.
        """
        room, session = self.room, getattr(command, "session", None)
        if isinstance(command, Remark) and room is not None and not self._inbox.holds(session):
            reply(self._remark(room, command))
        elif len(self._inbox) >= self._around.limits.inbox and not isinstance(command, Gone):
            reply(Refusal(Reason.BUSY, retry_after_ms=self._around.limits.busy_retry_ms))
        else:
            self._enqueue(command, reply, answering)

    def ask(
        self, command: Command | Remark, answering: Answering | None = None
    ) -> "asyncio.Future[Any]":
        """Have a command carried out; the future gets the answer, or raises the `Refusal`."""
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.submit(command, _settling(future), answering)
        return future

    async def loaded(self) -> Room:
        """Return the room, read back first if it is not in memory.

        Raises:
            Refusal: `unknown_room`, `unavailable`, `internal_error`.
        """
        while self.room is None:
            done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
            self._enqueue(_nothing, _settling(done))
            await done
        return self.room

    def load_soon(self) -> None:
        """Read the room back, or find out that there is none."""
        self._enqueue(_nothing, _ignore)

    def summary(self) -> RoomSummary | None:
        """Return what the lobby tells of the room, if it is in memory."""
        return None if self.room is None else self.room.summary()

    def put_away(self) -> None:
        """Let everybody go, and delete the journal: the room ended long ago."""
        self._keep()  # if it cannot be now, it will be tried again
        self._enqueue(self._holding.put_away, _ignore)

    async def settled(self) -> None:
        """Wait until nothing is in the inbox."""
        if self._task is not None:
            await asyncio.shield(self._task)

    def stop(self) -> None:
        """Ring no more, and have no more patience with the store."""
        self._stopped = True
        self._bell.silence()

    # The inbox

    def _enqueue(
        self,
        command: Command | Remark | Chore,
        reply: Reply,
        answering: Answering | None = None,
        *,
        next_: bool = False,
    ) -> None:
        until = self._around.clock.now() + self._around.limits.patience_ms
        self._inbox.put(Asked(command, reply, until, answering), next_=next_)
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._work())

    async def _work(self) -> None:
        while self._inbox:
            asked = self._inbox.first
            answer = await self._settle(asked)
            self._inbox.done()
            asked.reply(answer)
            self._set_bell()
        self._task = None

    async def _settle(self, asked: Asked) -> Any:
        """Carry a command out, through reloads if need be; return its answer or refusal."""
        clock, limits, faults = self._around.clock, self._around.limits, 0
        self._holding.forget_sent()
        self._given_up = False
        while True:
            try:
                return await self._carry_out(asked)
            except Refusal as refusal:
                self.account.refused(refusal)
                return refusal
            except StoreError as error:
                log.debug("room_waits_for_store", room=self.name, problem=type(error).__name__)
                self._holding.drop()
                if self._stopped or clock.now() >= asked.until:
                    self._given_up = True
                    return Refusal(Reason.UNAVAILABLE, retry_after_ms=limits.retry_ms)
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
            return self._remark(room, command)
        if isinstance(command, Command):
            return await self._decide(room, command, asked.answering)
        return await command(room)

    async def _decide(self, room: Room, command: Command, answering: Answering | None) -> Any:
        """Decide, append, commit, tell: in this order, always."""
        holding, clock = self._holding, self._around.clock
        holding.forget_sent()
        self.account.decides(room)
        decision = room.decide(command, clock.now())
        if decision.fault is not None:
            log.error("house_bot_fault", room=self.name, exc_info=decision.fault)
        if decision.entries:
            await holding.append(decision, answering and answering(decision.answer))
        holding.tell(room.commit(decision, clock.now()))
        holding.forget_sent()
        self.account.decided(command, decision, room)
        if decision.standing.is_over and self.kept_until is None:
            self._end()
        return decision.answer

    def _landed(self, room: Room, command: Any) -> Any:
        """Answer what was carried out before the room was read back."""
        decision = self._holding.sent
        self.account.decided(command, decision, room)
        return decision.answer

    def _remark(self, room: Room, remark: Remark) -> Any:
        """Carry out what takes effect at once; return None or the refusal."""
        try:
            self._make(room, remark)
        except Refusal as refusal:
            return refusal
        except Exception:  # a fault of ours, whoever asks
            log.exception("command_fault", room=self.name, command=type(remark).__name__)
            return Refusal(Reason.INTERNAL_ERROR)
        self.account.watched(room)
        self._set_bell()
        return None

    def _make(self, room: Room, remark: Remark) -> None:
        now = self._around.clock.now()
        match remark:
            case Join():
                effects = room.join(remark, now)
                self._holding.tell(effects)
                self.account.joined(remark, effects)
            case Leave():
                self._holding.tell(room.leave(remark, now))
            case Gone():
                self._holding.tell(room.gone(remark, now))
            case Say():
                self._holding.tell(room.say(remark, now))
            case Mute():
                room.mute(remark)

    def _after_fault(self, asked: Asked) -> Refusal:
        """A refused request has changed nothing; a bell that cannot ring ends the room's play."""
        if self._holding.unsure:
            return Refusal(Reason.UNAVAILABLE, retry_after_ms=self._around.limits.retry_ms)
        if isinstance(asked.command, Ring | Restart):
            self._enqueue(self._fail, _ignore, next_=True)
        return Refusal(Reason.INTERNAL_ERROR)

    # Loading, ending

    async def _load(self, *, told_next: bool) -> Room:
        """Read the room back, and tell that its clock began anew.

        That is told before what is being done now; or right behind it, so that whoever joins hears
        it too.
        """
        room = await self._holding.load()
        if room.standing.status == "failed":
            pass  # it has no clock any more, and no record
        elif room.standing.is_over:
            self._end()
        elif told_next:
            self._enqueue(Restart(), _ignore, next_=True)
        else:
            self._holding.restart(room)
        return room

    async def _fail(self, room: Room) -> None:
        if room.standing.status == "failed":
            self._bell.silence()  # not even that can be told
        else:
            self._holding.fail(room)

    def _end(self) -> None:
        self._keep()
        self._enqueue(self._holding.archive, _ignore)

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
        self._enqueue(Ring(), _ignore)


async def _nothing(room: Room) -> None:
    """Do nothing: by now the room is loaded."""


def _ignore(answer: Any) -> None:
    """Nobody waits for this answer."""


def _settling(future: "asyncio.Future[Any]") -> Reply:
    def reply(answer: Any) -> None:
        if future.done():  # nobody waits any more
            return
        if isinstance(answer, Refusal):
            future.set_exception(answer)
        else:
            future.set_result(answer)

    return reply
