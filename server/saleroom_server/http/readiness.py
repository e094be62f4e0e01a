"""Whether this server can take on work: what /readyz tells a load balancer."""

import asyncio
from collections.abc import Callable

from saleroom_protocol.errors import Reason
from saleroom_server.clock import Clock
from saleroom_server.rooms.commands import Refusal
from saleroom_server.store.interface import Store, StoreError


class Readiness:
    """Tries the store, but not for everybody who asks: a finding counts for `kept_ms`.

    Whoever asks while it is being tried waits for the same finding.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        draining: Callable[[], bool],
        *,
        kept_ms: int,
        retry_ms: int,
    ) -> None:
        self._store, self._clock, self._draining = store, clock, draining
        self._kept_ms, self._retry_ms = kept_ms, retry_ms
        self._trying = asyncio.Lock()
        self._works = False
        self._counts_until = 0

    async def check(self) -> None:
        """Find out.

        Raises:
            Refusal: `unavailable`: the store does not write, or the server is about to end.
        """
        if self._draining() or not await self._store_works():
            raise Refusal(Reason.UNAVAILABLE, retry_after_ms=self._retry_ms)

    async def _store_works(self) -> bool:
        async with self._trying:
            if self._clock.now() >= self._counts_until:
                self._works = await self._probe()
                self._counts_until = self._clock.now() + self._kept_ms
            return self._works

    async def _probe(self) -> bool:
        try:
            await self._store.probe()
        except StoreError:
            return False
        return True
