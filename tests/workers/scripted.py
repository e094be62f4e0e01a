"""Workers whose lives go as a test says."""

import asyncio
from asyncio import Event, Future
from signal import Signals

from saleroom_server.workers.crew import Crew
from saleroom_server.workers.limits import WorkerLimits
from saleroom_server.workers.process import READY, Begin, Life
from saleroom_server.workers.worker import Worker
from tests.support.hand_clock import HandClock

LIMITS = WorkerLimits(start_ms=1000, restart_ms=100, restart_most_ms=300, stop_ms=500)
DRAIN_MS = 1000


class ScriptedLife:
    """See `Life`. It ends when it is told to, unless it is stubborn."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self._told: Future[str] = loop.create_future()
        self._ended: Future[int] = loop.create_future()
        self.signals: list[Signals] = []
        self.stubborn = False

    async def told(self) -> str:
        return await asyncio.shield(self._told)

    async def ended(self) -> int:
        return await asyncio.shield(self._ended)

    def tell(self, number: Signals) -> None:
        self.signals.append(number)
        if number is Signals.SIGKILL or not self.stubborn:
            self.ends(-number if number is Signals.SIGKILL else 0)

    @property
    def runs(self) -> bool:
        return not self._ended.done()

    def says(self, told: str = READY) -> None:
        self._told.set_result(told)

    def ends(self, code: int, told: str = "") -> None:
        if self.runs:
            self._ended.set_result(code)
        if not self._told.done():
            self._told.set_result(told)


class Stage:
    """A crew on a clock moved by hand.

    Attributes:
        lives: of each worker, the newest last.
        reluctant: how often there is no process to be had yet.
    """

    def __init__(self, count: int = 2) -> None:
        self.clock = HandClock()
        self.lives: list[list[ScriptedLife]] = [[] for _ in range(count)]
        self.reluctant = 0
        self.roll = Event()
        self.workers = [
            Worker(number + 1, self._beginning(number), self.clock, LIMITS, DRAIN_MS)
            for number in range(count)
        ]
        self.crew = Crew(self.workers)
        self.running: asyncio.Task[None] | None = None

    def _beginning(self, number: int) -> Begin:
        async def begin() -> Life:
            if self.reluctant:
                self.reluctant -= 1
                raise BlockingIOError(11, "Resource temporarily unavailable")
            self.lives[number].append(ScriptedLife())
            return self.lives[number][-1]

        return begin

    @property
    def counts(self) -> list[int]:
        """How many lives each has begun."""
        return [len(lives) for lives in self.lives]

    def newest(self, number: int) -> ScriptedLife:
        return self.lives[number - 1][-1]

    async def starts(self) -> None:
        """Start all; each serves at once; then keep them."""
        starting = asyncio.create_task(self.crew.start())
        await self.clock.passes(0)
        for lives in self.lives:
            lives[-1].says()
        await starting
        self.running = asyncio.create_task(self.crew.keep(self.roll))
        await self.clock.passes(0)

    async def ends(self) -> None:
        """Give up keeping them, and end them."""
        assert self.running is not None
        self.running.cancel()
        await asyncio.wait([self.running])
        await self.crew.stop()
