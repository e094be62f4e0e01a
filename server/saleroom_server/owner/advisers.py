"""Has advice worked out in processes of their own, so that no room waits for another's.

The rules say what is worth a search (`Rules.puzzle`); a room asks as soon as a window opens, and
takes what comes while it is of use. Nobody waits for an answer. So what is too much is not taken
on, what is of no use any more is passed over, a process that takes too long is killed, one that has
ended is started again: each time the room plays the default, and goes on.

What leaves the server is a seat's puzzle: no state, no seed, nothing of other seats.
"""

import asyncio
import pickle
from collections import deque
from collections.abc import Callable
from typing import Any, Protocol

from msgspec import Struct

from saleroom_server.again import pause_ms
from saleroom_server.clock import Clock
from saleroom_server.logs import logger
from saleroom_server.metrics import Metrics
from saleroom_server.owner.adviser import Adviser, AdviserGone
from saleroom_server.owner.advising import Fault
from saleroom_server.rooms.advice import Question
from saleroom_server.rooms.room import Room

log = logger("rooms")


class AdviceLimits(Struct, frozen=True, kw_only=True):
    """How much is worked out at once, and how long that may take. All are settings."""

    processes: int = 1
    waiting: int = 256  # questions; more are not taken on
    answer_ms: int = 5_000  # then the process is killed
    restart_ms: int = 1_000  # until there is another one; if it ends soon too, twice the last
    restart_most_ms: int = 60_000  # and never longer than this


class Advising(Protocol):
    """One process, as `Adviser` is."""

    @property
    def runs(self) -> bool:
        """See `Adviser.runs`."""

    async def start(self) -> None:
        """See `Adviser.start`."""

    async def solve(self, work: bytes) -> bytes:
        """See `Adviser.solve`."""

    def kill(self) -> None:
        """See `Adviser.kill`."""

    async def close(self) -> None:
        """See `Adviser.close`."""


class Advisers(Protocol):
    """Where rooms have advice worked out."""

    def seek(self, room: Room) -> None:
        """Take on what a room has to ask; it is told as soon as there are answers."""


class NoAdvisers:
    """Every room goes by its defaults."""

    def seek(self, room: Room) -> None:
        """See `Advisers`."""


class Sought(Struct, frozen=True, eq=False):
    """A question, who asked it, and when, in server milliseconds."""

    room: Room
    question: Question
    at: int

    @property
    def is_wanted(self) -> bool:
        """Whether the room could still use an answer."""
        return self.room.wants(self.question)

    @property
    def game(self) -> str:
        """What is played."""
        return self.room.standing.founding.game


class Desk(Struct, eq=False):
    """An adviser, and how it fares."""

    adviser: Advising
    began: int = 0  # when its last life did, in server milliseconds
    paused_ms: int = 0  # what was waited before that


class ProcessAdvisers:
    """A few processes, each started for the first question it gets."""

    def __init__(
        self,
        limits: AdviceLimits,
        clock: Clock,
        metrics: Metrics,
        adviser: Callable[[], Advising] = Adviser,
    ) -> None:
        self._limits, self._clock, self._metrics = limits, clock, metrics
        self._waiting: deque[Sought] = deque()
        self._desks = [Desk(adviser()) for _ in range(limits.processes)]
        self._idle = [*self._desks]
        self._working: set[asyncio.Task[None]] = set()

    def seek(self, room: Room) -> None:
        """See `Advisers`."""
        try:
            questions = room.questions()
        except Exception:  # a fault of ours, and no reason to stop the room
            log.exception("advice_fault", room=room.standing.room)
            return
        for question in questions:
            self._take_on(Sought(room, question, self._clock.now()))

    async def close(self) -> None:
        """End all processes; what they were asked is not answered any more."""
        self._waiting.clear()
        for task in self._working:
            task.cancel()
        await asyncio.gather(*self._working, return_exceptions=True)
        for desk in self._desks:
            await desk.adviser.close()

    def _take_on(self, sought: Sought) -> None:
        if not self._limits.processes or len(self._waiting) >= self._limits.waiting:
            self._count(sought, "refused")
            return
        self._waiting.append(sought)
        if self._idle:
            task = asyncio.create_task(self._work(self._idle.pop()))
            self._working.add(task)
            task.add_done_callback(self._working.discard)

    async def _work(self, desk: Desk) -> None:
        while self._waiting:
            sought = self._waiting.popleft()
            if not sought.is_wanted:
                self._count(sought, "too_late")
                continue
            try:
                self._tell(sought, await self._solved(desk, sought))
            except AdviserGone:
                self._count(sought, "lost")
                await self._pause(desk)
            except Exception:  # a fault of ours; the next question may do better
                log.exception("advice_fault", room=sought.room.standing.room)
                self._count(sought, "failed")
        self._idle.append(desk)

    async def _pause(self, desk: Desk) -> None:
        """Wait before there is another process: what goes wrong for long is told now and then."""
        lived_ms = self._clock.now() - desk.began
        desk.paused_ms = pause_ms(self._limits, desk.paused_ms, lived_ms)
        await self._clock.sleep(desk.paused_ms)

    async def _solved(self, desk: Desk, sought: Sought) -> Any:
        def give_up() -> None:
            log.error("adviser_stuck", room=sought.room.standing.room, ms=self._limits.answer_ms)
            desk.adviser.kill()

        if not desk.adviser.runs:
            desk.began = self._clock.now()
            await desk.adviser.start()
        bell = self._clock.ring_at(self._clock.now() + self._limits.answer_ms, give_up)
        try:
            return pickle.loads(await desk.adviser.solve(pickle.dumps(sought.question.work)))
        finally:
            bell.cancel()

    def _tell(self, sought: Sought, answer: Any) -> None:
        if isinstance(answer, Fault):
            log.error("advice_fault", room=sought.room.standing.room, problem=answer.problem)
            self._count(sought, "failed")
            return
        sought.room.advised(sought.question, answer)
        self._metrics.advice_seconds.observe((self._clock.now() - sought.at) / 1000)
        self._count(sought, "given" if sought.is_wanted else "too_late")

    def _count(self, sought: Sought, outcome: str) -> None:
        self._metrics.advice[sought.game, outcome].inc()
