"""Nodes that share a Redis, whose lives and deaths are the test's."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest
import redis
from msgspec.structs import replace

from saleroom_server.store.redis import RedisStore
from saleroom_server.store.redis_limits import RedisLimits
from saleroom_server.store.redis_survey import Survey
from tests.store.conformance import YOUNG, empty
from tests.support.cut_wire import CutWire
from tests.support.redis_servers import KINDS, RedisServer

# A lease ends when a test says so; what has broken is made anew at once.
STEADY = replace(YOUNG, lease_ms=600_000, renew_ms=600_000, retry_ms=10, resend_ms=10_000)


class Shared:
    """A Redis, and the nodes that have opened it; all are closed in the end.

    Attributes:
        server: the Redis.
        direct: a connection to it that nothing breaks.
    """

    def __init__(self, server: RedisServer, opened: AsyncExitStack) -> None:
        self.server, self._opened = server, opened
        self.direct: Any = redis.Redis(unix_socket_path=str(server.path), protocol=2)

    async def node(
        self, name: str, *, url: str = "", limits: RedisLimits = STEADY, **more: Any
    ) -> RedisStore:
        """Open the store as a node."""
        store = await RedisStore.open(url or self.server.url, node=name, limits=limits, **more)
        self._opened.push_async_callback(store.close)
        return store

    async def wire(self) -> CutWire:
        """Return a wire to the server that can be cut."""
        return await self._opened.enter_async_context(CutWire(self.server.path))

    def loses_lease(self, name: str) -> None:
        """Let a node be dead, as far as others can see."""
        (lease,) = self.direct.keys(f"n:{name}:*")
        self.direct.delete(lease)

    def living(self) -> list[str]:
        """Name the nodes that have a lease."""
        return sorted(key.decode().split(":")[1] for key in self.direct.keys("n:*"))

    async def owner(self, room: str) -> str | None:
        """Return the node that owns a room, as an operator sees it; None: nobody who lives."""
        async with Survey.open(self.server.url) as survey:
            (owner,) = await survey.owners([room])
        return owner or None

    def entries(self, room: str) -> list[bytes]:
        """Return a journal as it stands in Redis."""
        return [fields[b"e"] for _, fields in self.direct.xrange(f"{{{room}}}:log")]


async def until(true: Callable[[], bool]) -> None:
    """Wait for what Redis does."""
    async with asyncio.timeout(20):
        while not true():  # noqa: ASYNC110, for nothing will say so
            await asyncio.sleep(0.005)


@pytest.fixture(params=KINDS)
async def shared(request: pytest.FixtureRequest) -> AsyncIterator[Shared]:
    async with AsyncExitStack() as opened:
        made = Shared(empty(request.param), opened)
        yield made
    made.direct.close()
