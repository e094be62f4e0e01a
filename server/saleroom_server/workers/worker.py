"""A worker kept running: one place among the others, over all the lives of its process."""

import asyncio
import signal
from asyncio import Future
from collections.abc import Awaitable, Callable
from typing import TypeVar

from saleroom_server.again import pause_ms
from saleroom_server.clock import Clock
from saleroom_server.logs import logger
from saleroom_server.workers.limits import WorkerLimits
from saleroom_server.workers.process import READY, Begin, Life

BAD_SETTING = 2  # the exit code of a worker that has been given one

T = TypeVar("T")

log = logger("workers")


class NotStarted(Exception):
    """A worker ended before it served.

    Attributes:
        code: what to exit with, if that is to be the end of all.
    """

    def __init__(self, problem: str, code: int) -> None:
        super().__init__(problem)
        self.code = code if code > 0 else 1


class Worker:
    """One worker. Lives follow one another; there are never two at once."""

    def __init__(
        self, number: int, begin: Begin, clock: Clock, limits: WorkerLimits, drain_ms: int
    ) -> None:
        """Nothing is started yet.

        Args:
            number: which of them, from 1 on.
            begin: begins a life.
            clock: its own.
            limits: how long what may take.
            drain_ms: how long a worker takes to end at most, if all is well.
        """
        self.number, self._begin, self._clock, self._limits = number, begin, clock, limits
        self._stop_ms = drain_ms + limits.stop_ms
        self._life: Life | None = None
        self._replaced: Future[bool] | None = None  # by `roll`: how the next start went
        self.serves = False

    async def start(self) -> None:
        """Begin a life, and wait until it serves.

        Raises:
            NotStarted: it ended instead, or took too long.
            OSError: there is no process to be had.
        """
        began = self._clock.now()
        self._life = await self._begin()
        told = await self._within(self._limits.start_ms, self._life.told())
        if told != READY:
            raise NotStarted(*await self._why_not(told))
        self.serves = True
        log.info("worker_started", worker=self.number, ms=self._clock.now() - began)

    async def keep(self, hopeless: Callable[[NotStarted], bool]) -> None:
        """Start it again whenever it ends, for ever.

        Raises:
            NotStarted: it cannot be, and that is hopeless.
        """
        waited_ms, began = 0, self._clock.now()
        while True:
            assert self._life is not None
            code = await self._life.ended()
            self.serves = False
            if self._replaced is None:
                waited_ms = pause_ms(self._limits, waited_ms, self._clock.now() - began)
                log.error("worker_ended", worker=self.number, code=code, ms=waited_ms)
                await self._clock.sleep(waited_ms)
            began = self._clock.now()
            while not await self._started_again(hopeless):
                waited_ms = self._limits.restart_most_ms
                await self._clock.sleep(waited_ms)

    async def roll(self) -> bool:
        """End it as an operator does, and wait for its next life; tell whether that serves."""
        self._replaced = asyncio.get_running_loop().create_future()
        try:
            if self.serves:
                await self.stop()
            return await self._replaced
        finally:
            self._replaced = None

    async def stop(self) -> None:
        """End it; what is in hand is finished, unless that takes too long."""
        if self._life is not None:
            await self._end(self._life)

    def tell(self, number: signal.Signals) -> None:
        """Send it a signal."""
        if self._life is not None:
            self._life.tell(number)

    async def _started_again(self, hopeless: Callable[[NotStarted], bool]) -> bool:
        try:
            await self.start()
        except NotStarted as problem:
            log.error("worker_not_started", worker=self.number, problem=str(problem))
            if hopeless(problem):
                raise
        except OSError as problem:
            log.error("worker_not_started", worker=self.number, problem=problem.strerror or "")
        if self._replaced is not None and not self._replaced.done():
            self._replaced.set_result(self.serves)
        return self.serves

    async def _why_not(self, told: str | None) -> tuple[str, int]:
        """Return why a life did not come to serve, and its exit code; it has ended then."""
        assert self._life is not None
        if told is None:
            code = await self._end(self._life)
            return f"worker {self.number} does not serve after {self._limits.start_ms} ms", code
        code = await self._life.ended()
        return told or f"worker {self.number} ended at its start, with code {code}", code

    async def _end(self, life: Life) -> int:
        life.tell(signal.SIGTERM)
        code = await self._within(self._stop_ms, life.ended())
        if code is None:
            log.warning("worker_killed", worker=self.number, ms=self._stop_ms)
            life.tell(signal.SIGKILL)
            code = await life.ended()
        return code

    async def _within(self, ms: int, wanted: Awaitable[T]) -> T | None:
        """Wait for something, but not longer than that."""
        waited, bell = asyncio.ensure_future(wanted), asyncio.create_task(self._clock.sleep(ms))
        try:
            await asyncio.wait({waited, bell}, return_when=asyncio.FIRST_COMPLETED)
            return waited.result() if waited.done() else None
        finally:
            waited.cancel()
            bell.cancel()
