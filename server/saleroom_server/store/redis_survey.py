"""A service on a Redis as it looks from outside: its nodes, its rooms, and a request to end.

Whoever looks takes no lease, so is no node of it; and writes nothing but that request.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Self

from msgspec import Struct

from saleroom_server.store import redis_keys as keys
from saleroom_server.store.interface import Head
from saleroom_server.store.redis_lease import Node, living
from saleroom_server.store.redis_limits import RedisLimits
from saleroom_server.store.redis_place import Place
from saleroom_server.store.redis_reader import Reader
from saleroom_server.store.redis_scripts import plain
from saleroom_server.store.redis_wire import Wire

NAME = "admin"  # what Redis lists the connection under


class Listed(Struct, frozen=True):
    """A room that has a journal.

    Attributes:
        head: as it was last written.
        owner: the node that has it, as `Node.owner`; empty: none that lives.
    """

    head: Head
    owner: str


class Survey:
    """Made by `open`. Every method may raise `Unavailable`."""

    def __init__(self, wire: Wire, page: int) -> None:
        """Use `open` instead."""
        self._wire, self._reader = wire, Reader(wire, page)

    @classmethod
    @asynccontextmanager
    async def open(cls, url: str, limits: RedisLimits | None = None) -> AsyncIterator[Self]:
        """Connect, and hang up in the end.

        Args:
            url: of the Redis and the database of it; may hold a password, and is never told.
            limits: else the defaults.

        Raises:
            NoRedisUrl: the URL is none.
            Unavailable: Redis cannot be reached.
        """
        limits = limits or RedisLimits()
        wire = await Wire.open(Place(url), limits, NAME)
        try:
            yield cls(wire, limits.page)
        finally:
            await wire.close()

    async def nodes(self) -> list[Node]:
        """Return the nodes that live, the longest there first."""
        return await living(self._wire)

    async def now(self) -> int:
        """Return what `Node.since` counts in: Redis' own time, in milliseconds."""
        seconds, micros = await self._wire.ask(plain("TIME"), lambda answer: map(int, answer))
        return seconds * 1000 + micros // 1000

    async def rooms(self) -> AsyncIterator[list[Listed]]:
        """Yield the rooms in the order they were made, page by page.

        Whose they are is as of when each page is read; one that is forgotten may be there or not.
        """
        async for rooms in self._reader.rooms():
            heads = await self._reader.heads_of(rooms)
            owners = await self.owners([head.room for head in heads])
            yield [Listed(*both) for both in zip(heads, owners, strict=True)]

    async def owned(self) -> Counter[str]:
        """Count the rooms of each owner."""
        owned: Counter[str] = Counter()
        async for rooms in self._reader.rooms():
            owned.update(await self.owners(rooms))
        return owned

    async def owned_by(self, node: Node) -> AsyncIterator[list[str]]:
        """Yield the rooms of a node, page by page."""
        async for rooms in self._reader.rooms():
            owners = zip(rooms, await self.owners(rooms), strict=True)
            yield [room for room, owner in owners if owner == node.owner]

    async def owners(self, rooms: Sequence[str]) -> list[str]:
        """Return who owns some rooms, in their order; empty: nobody who lives."""
        asked = [plain("HGET", keys.meta(room), "owner") for room in rooms]
        found = await asyncio.gather(*(self._wire.ask(words, _text) for words in asked))
        alive = {node.owner for node in await self.nodes()}
        return [owner if owner in alive else "" for owner in found]

    async def drain(self, node: Node, patience_ms: int) -> None:
        """Ask a node to end, as SIGTERM would; it has so long to see that it is asked."""
        words = plain("SET", keys.drain(node.owner), "asked", "PX", patience_ms)
        await self._wire.ask(words, _text)


def _text(answer: bytes | None) -> str:
    return (answer or b"").decode()
