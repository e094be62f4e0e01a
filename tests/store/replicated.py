"""A Redis and its replica, with wires between them, and between them and nodes, that can be cut."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
import redis

from saleroom_server.store.redis import RedisStore
from saleroom_server.store.redis_limits import RedisLimits
from tests.store.nodes import until
from tests.support.cut_wire import CutWire
from tests.support.redis_servers import KINDS, SWIFT, Kind, RedisServer


class Pair:
    """Two servers, one of which follows the other.

    Attributes:
        master: as it was in the beginning.
        replica: of it.
        between: over which what the master writes comes to its replica.
        wire: over which nodes come to the master.
    """

    def __init__(self, directory: Path, kind: Kind) -> None:
        """Nothing is started yet; see `open`."""
        self.master = RedisServer(directory / "master", kind, more=SWIFT)
        self.replica = RedisServer(directory / "replica", kind, more=SWIFT)
        self.between, self.wire = CutWire(self.master.path), CutWire(self.master.path)
        self._opened = AsyncExitStack()

    async def open(self) -> None:
        """Start both, and wait until one follows."""
        for server in (self.master, self.replica):
            self._opened.enter_context(server)
        for wire in (self.between, self.wire):
            await self._opened.enter_async_context(wire)
        self.replica.follow(self.between.port)
        await self.is_followed(self.master)

    async def is_followed(self, server: RedisServer) -> None:
        """Wait until it has a replica, which says what it has."""
        await until(lambda: server.replicas == 1)
        with redis.Redis(unix_socket_path=str(server.path)) as direct:
            direct.publish("anything", "")
            assert await asyncio.to_thread(direct.wait, 1, 20_000) == 1

    def loses_lease(self, server: RedisServer, name: str) -> None:
        """Let a node be dead, as far as a server knows."""
        with redis.Redis(unix_socket_path=str(server.path)) as direct:
            assert direct.delete(*direct.keys(f"n:{name}:*")) == 1

    async def node(self, limits: RedisLimits, name: str = "a") -> RedisStore:
        """Open the store as a node."""
        store = await RedisStore.open(self.wire.url, node=name, limits=limits)
        self._opened.push_async_callback(store.close)
        return store

    def fail_over(self) -> None:
        """Kill the master, and put its replica in its place; nodes are led there."""
        self.master.kill()
        self.between.unplug()
        self.replica.lead()
        self.wire.lead(self.replica.path)
        self.wire.cut()

    async def returns(self) -> None:
        """Start the old master again, with what it had: it does not know yet."""
        await asyncio.to_thread(self.master.start)

    async def joins(self) -> None:
        """Let the old master follow the new one."""
        self.between.lead(self.replica.path)
        self.between.thaw()
        await self.between.plug()
        self.master.follow(self.between.port)
        await self.is_followed(self.replica)

    async def close(self) -> None:
        """Leave nothing behind."""
        await self._opened.aclose()


def entries(server: RedisServer, room: str) -> int:
    """Return how many entries a journal has at one of them."""
    return int(server.ask(f"XLEN {{{room}}}:log").removeprefix(":"))


@pytest.fixture(params=KINDS)
async def pair(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Pair]:
    made = Pair(tmp_path, request.param)
    try:
        await made.open()
        yield made
    finally:
        await made.close()
