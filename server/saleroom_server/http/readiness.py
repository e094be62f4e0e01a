"""Whether this server can take on work: what /readyz tells a load balancer."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeAlias

from saleroom_server.clock import Clock
from saleroom_server.store.interface import StoreError

# Why it cannot. Whoever watches a server may look for these words: they stay as they are.
ENDS = "The server is about to end."
DOES_NOT_WRITE = "The store does not write."
DOES_NOT_HEAR = "The other nodes cannot be heard."

Probe: TypeAlias = Callable[[], Awaitable[None]]  # raises a StoreError


class Readiness:
    """Tries what it rests on, but not for everybody who asks: a finding counts for `kept_ms`.

    Whoever asks while it is being tried waits for the same finding.
    """

    def __init__(
        self,
        probes: Mapping[str, Probe],
        clock: Clock,
        draining: Callable[[], bool],
        *,
        kept_ms: int,
    ) -> None:
        """Nothing is tried yet.

        Args:
            probes: tried in this order, each by why the server cannot take on work if it fails.
            clock: the server's.
            draining: whether it is about to end.
            kept_ms: how long a finding counts.
        """
        self._probes, self._clock, self._draining = probes, clock, draining
        self._kept_ms = kept_ms
        self._trying = asyncio.Lock()
        self._found = ""
        self._counts_until = 0

    async def why_not(self) -> str:
        """Find out why the server cannot take on work; "" if it can."""
        return ENDS if self._draining() else await self._failing()

    async def _failing(self) -> str:
        async with self._trying:
            if self._clock.now() >= self._counts_until:
                self._found = await self._first_failing()
                self._counts_until = self._clock.now() + self._kept_ms
            return self._found

    async def _first_failing(self) -> str:
        for why, probe in self._probes.items():
            try:
                await probe()
            except StoreError:
                return why
        return ""
