"""Whether this server can take on work: what /readyz tells a load balancer."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from saleroom_protocol.errors import Reason
from saleroom_server.clock import Clock
from saleroom_server.rooms.commands import Refusal
from saleroom_server.store.interface import StoreError

Probe: TypeAlias = Callable[[], Awaitable[None]]  # raises a StoreError


class Readiness:
    """Tries what it rests on, but not for everybody who asks: a finding counts for `kept_ms`.

    Whoever asks while it is being tried waits for the same finding.
    """

    def __init__(
        self,
        probes: Sequence[Probe],
        clock: Clock,
        draining: Callable[[], bool],
        *,
        kept_ms: int,
        retry_ms: int,
    ) -> None:
        self._probes, self._clock, self._draining = probes, clock, draining
        self._kept_ms, self._retry_ms = kept_ms, retry_ms
        self._trying = asyncio.Lock()
        self._works = False
        self._counts_until = 0

    async def check(self) -> None:
        """Find out.

        Raises:
            Refusal: `unavailable`: the store does not write, the other nodes cannot be heard, or
                the server is about to end.
        """
        if self._draining() or not await self._all_works():
            raise Refusal(Reason.UNAVAILABLE, retry_after_ms=self._retry_ms)

    async def _all_works(self) -> bool:
        async with self._trying:
            if self._clock.now() >= self._counts_until:
                self._works = await self._try_all()
                self._counts_until = self._clock.now() + self._kept_ms
            return self._works

    async def _try_all(self) -> bool:
        try:
            for probe in self._probes:
                await probe()
        except StoreError:
            return False
        return True
