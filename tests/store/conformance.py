"""The stores that are held to the interface, and words for the tests that do it.

A store joins by an entry in `PLACES`: given an empty directory, how to open one there. Opening
again after closing must find everything. Stores in Redis share one that runs as long as the tests,
and find it empty.
"""

import atexit
from collections.abc import Awaitable, Callable
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory

from saleroom_server.metrics import Metrics
from saleroom_server.store.interface import Answer, Store
from saleroom_server.store.redis import RedisStore
from saleroom_server.store.redis_limits import RedisLimits
from saleroom_server.store.sqlite import SqliteStore
from saleroom_server.store.watched import WatchedStore
from tests.support.hand_clock import HandClock
from tests.support.memory_store import Kept, MemoryStore
from tests.support.redis_servers import Kind, RedisServer

Open = Callable[[], Awaitable[Store]]

FAR = 1 << 52  # server milliseconds nobody will see
LONG_AGO = 1
YOUNG = RedisLimits(settling_ms=0)  # for a Redis that has just started, and is not to be waited for


def _sqlite(directory: Path) -> Open:
    return partial(SqliteStore.open, directory)


def _memory(directory: Path) -> Open:
    kept = Kept()

    async def open_again() -> Store:
        return MemoryStore(kept)

    return open_again


def _watched(directory: Path) -> Open:
    open_memory = _memory(directory)

    async def open_again() -> Store:
        return WatchedStore(await open_memory(), Metrics(), HandClock(), told_ms=0)

    return open_again


@cache
def running(kind: Kind) -> RedisServer:
    """Return a server that runs until the tests end."""
    directory = TemporaryDirectory(prefix="store-")
    atexit.register(directory.cleanup)
    server = RedisServer(Path(directory.name) / "data", kind)
    atexit.register(server.close)
    return server.__enter__()


def empty(kind: Kind) -> RedisServer:
    """Return a server that runs and has nothing."""
    server = running(kind)
    assert server.ask("FLUSHALL") == "+OK"
    return server


def _redis(kind: Kind, directory: Path) -> Open:
    # To the same incarnation a token is still good after a restart, as to any owner of a directory.
    return partial(RedisStore.open, empty(kind).url, node="one", incarnation="always", limits=YOUNG)


PLACES: dict[str, Callable[[Path], Open]] = {
    "memory": _memory,
    "sqlite": _sqlite,
    "watched": _watched,
    "valkey": partial(_redis, "valkey"),
    "redis": partial(_redis, "redis"),
}


class Place:
    """Where one test keeps its data. One store at a time is open."""

    def __init__(self, open_store: Open) -> None:
        self._open = open_store
        self._store: Store | None = None

    async def open(self) -> Store:
        """Open the store; again, after closing the one before."""
        await self.close()
        self._store = await self._open()
        return self._store

    async def close(self) -> None:
        """Close the store that is open."""
        if self._store is not None:
            await self._store.close()


def answer(
    body: bytes = b"made", *, key: str = "key", player: str = "p1", until: int = FAR
) -> Answer:
    """Return an answer to remember."""
    return Answer(player, key, b"digest", 201, body, until)


def numbered(first: int, last: int) -> list[bytes]:
    """Return bodies that say which entry they are."""
    return [b"%d" % entry for entry in range(first, last + 1)]


async def journal(store: Store, room: str) -> tuple[bytes, ...]:
    """Take a room over to see its journal."""
    owned = await store.acquire(room)
    assert owned is not None
    return owned.entries


async def heads(store: Store) -> dict[str, bytes]:
    """Return the heads by room, in the order they come."""
    return {head.room: head.body for head in await store.heads()}
