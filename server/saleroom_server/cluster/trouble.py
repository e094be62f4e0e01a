"""A line that fails: what is said of it, and when it is tried again."""

from random import uniform
from time import monotonic

from saleroom_server.cluster.bus_limits import BusLimits
from saleroom_server.logs import logger

log = logger("bus")


class Trouble:
    """Whether a line fails, told when it begins and when it is over, and not in between."""

    def __init__(self, line: str, limits: BusLimits) -> None:
        self._line = line
        self._first, self._most = limits.retry_ms / 1000, limits.retry_most_ms / 1000
        self._pause = self._first
        self._failed = 0.0  # when it last did
        self._since: float | None = None

    def failed(self, error: Exception) -> float:
        """Take note that it failed; return how many seconds to leave it alone.

        Twice as long as the last time, up to the longest; from the beginning if it has held for a
        while. And somewhat less, by chance, lest all nodes come back in the same instant.
        """
        now = monotonic()
        if self._since is None:
            self._since = now
            log.warning("bus_failed", line=self._line, problem=type(error).__name__)
        held = now - self._failed > 2 * self._most
        self._pause = self._first if held else min(2 * self._pause, self._most)
        self._failed = now
        return self._pause * uniform(0.5, 1)

    def works(self) -> None:
        """Take note that it does."""
        if self._since is not None:
            ms = int((monotonic() - self._since) * 1000)
            log.info("bus_works_again", line=self._line, ms=ms)
            self._since = None
