"""The one clock of a server: milliseconds since 1970 that never jump, and bells set by them."""

import asyncio
import time
from collections.abc import Callable
from typing import Protocol


class Bell(Protocol):
    """Something that was set to ring."""

    def cancel(self) -> None:
        """Let it not ring."""


class Clock(Protocol):
    """What tells the time. Tests move one by hand."""

    def now(self) -> int:
        """Return milliseconds since 1970 UTC; never less than before."""

    def ring_at(self, when: int, callback: Callable[[], None]) -> Bell:
        """Call back at a time, or at once if it has passed."""

    async def sleep(self, ms: int) -> None:
        """Wait."""


class SystemClock:
    """The machine's clock, read once; from then on the monotonic one counts."""

    def __init__(self) -> None:
        self._offset = time.time() - time.monotonic()

    def now(self) -> int:
        """See `Clock`."""
        return int((time.monotonic() + self._offset) * 1000)

    def ring_at(self, when: int, callback: Callable[[], None]) -> Bell:
        """See `Clock`."""
        delay = max(0, when - self.now()) / 1000
        return asyncio.get_running_loop().call_later(delay, callback)

    async def sleep(self, ms: int) -> None:
        """See `Clock`."""
        await asyncio.sleep(ms / 1000)
