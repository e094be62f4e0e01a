"""A clock that stands still until a test moves it, and a loop run until nothing moves by itself."""

import asyncio
from asyncio import Future
from collections.abc import Awaitable, Callable
from itertools import count
from typing import Any

from msgspec import Struct

BEGINNING = 1_790_000_000_000


class Alarm(Struct, eq=False):
    """Something set for a time."""

    when: int
    number: int
    callback: Callable[[], None]
    cancelled: bool = False

    def cancel(self) -> None:
        """Let it not ring."""
        self.cancelled = True


class HandClock:
    """See `saleroom_server.clock.Clock`.

    What is due rings in order, each at its own time; between two rings the loop is run until it is
    quiet. `lags` is how a program looks that was busy: the time moves, and nothing rings for it.
    """

    def __init__(self, now: int = BEGINNING) -> None:
        self._now = now
        self.quiet: Callable[[], Awaitable[None]] = quiet  # who works in threads too says so here
        self._alarms: list[Alarm] = []
        self._numbers = count()

    def now(self) -> int:
        return self._now

    def ring_at(self, when: int, callback: Callable[[], None]) -> Alarm:
        alarm = Alarm(max(when, self._now), next(self._numbers), callback)
        self._alarms.append(alarm)
        return alarm

    async def sleep(self, ms: int) -> None:
        future: Future[None] = asyncio.get_running_loop().create_future()
        alarm = self.ring_at(self._now + ms, lambda: future.set_result(None))
        try:
            await future
        finally:
            alarm.cancel()

    # What a test does to it.

    @property
    def alarms(self) -> list[int]:
        """The times something is set for, in order."""
        return sorted(alarm.when for alarm in self._alarms if not alarm.cancelled)

    async def passes(self, ms: int) -> None:
        """Let time pass, ringing what is due on the way."""
        await self.goes_to(self._now + ms)

    async def goes_to(self, time: int) -> None:
        """Let it become a time, ringing what is due on the way."""
        await self.quiet()
        while (alarm := self._next(time)) is not None:
            self._alarms.remove(alarm)
            self._now = max(self._now, alarm.when)
            alarm.callback()
            await self.quiet()
        self._now = max(self._now, time)

    def lags(self, ms: int) -> None:
        """Let time pass while nothing can run."""
        self._now += ms

    def _next(self, time: int) -> Alarm | None:
        self._alarms = [alarm for alarm in self._alarms if not alarm.cancelled]
        due = [alarm for alarm in self._alarms if alarm.when <= time]
        return min(due, key=lambda alarm: (alarm.when, alarm.number), default=None)


async def quiet() -> None:
    """Run the loop until everything waits for something from outside."""
    loop: Any = asyncio.get_running_loop()
    await asyncio.sleep(0)
    while loop._ready:  # noqa: ASYNC110, for nothing will say that it is empty
        await asyncio.sleep(0)
