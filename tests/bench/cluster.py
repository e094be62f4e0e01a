"""Nodes of one service on a Valkey of their own, disk and all, and what can be asked of it."""

import asyncio
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any, Self

from redis import Redis

from saleroom_server.rooms.journal import decode
from saleroom_server.store import redis_keys as keys
from saleroom_server.store.redis import RedisStore
from tests.bench.processes import compiled_once, environment
from tests.bench.regulars import Game
from tests.bench.stock import Stock, Table
from tests.support.redis_servers import RedisServer
from tests.support.servers import ServerProcess, ready

NAMES = ("a", "b", "c")
PATIENCE = 60.0  # seconds until a node has read its rooms back


class Nodes:
    """Three nodes; the first one owns all rooms there are. Closed by `with`.

    Attributes:
        tables: the rooms.
        servers: the nodes, in order.
        redis: a connection to what they share.
    """

    def __init__(self, directory: Path, stock: Stock, rooms: int) -> None:
        """Nothing is started yet."""
        self._stock, self._rooms, self._up = stock, rooms, ExitStack()
        self._shared = RedisServer(directory / "redis")
        compiled = compiled_once(directory)
        self.servers = [
            ServerProcess(
                directory / name / "data",
                env={
                    **environment(),
                    **compiled,
                    "SALEROOM_STORE": self._shared.url,
                    "SALEROOM_NODE": name,
                },
            )
            for name in NAMES
        ]
        self.tables: list[Table] = []
        self.redis: Any = Redis(unix_socket_path=str(self._shared.path))

    @property
    def urls(self) -> list[str]:
        """Where the nodes are, in order."""
        return [server.url for server in self.servers]

    def restart(self, server: ServerProcess) -> None:
        """End a node as an operator does, and start it again; wait until it takes on work."""
        server.stop()
        server.start()
        assert ready(server.url)

    def owned(self, name: str) -> set[str]:
        """Return the rooms a node owns, as far as the store knows."""
        asking = self.redis.pipeline(transaction=False)
        for table in self.tables:
            asking.hget(keys.meta(table.room), "owner")
        return {
            table.room
            for table, owner in zip(self.tables, asking.execute(), strict=True)
            if owner.startswith(f"{name}:".encode())
        }

    def lease(self, name: str) -> str:
        """Return the key of a living node's lease."""
        (lease,) = self.redis.keys(keys.lease(f"{name}:*"))
        return str(lease.decode())

    def given(self) -> int:
        """Count the times any room was made or taken over."""
        return int(self.redis.get(keys.TOKENS))

    def published(self) -> int:
        """Count what nodes have sent each other."""
        return int(self.redis.info("commandstats")["cmdstat_publish"]["calls"])

    def lost(self, games: Sequence[Game]) -> int:
        """Count the accepted acts that do not stand in a journal exactly once."""
        return sum(
            times[act.id] != 1
            for game in games
            for times in [Counter(self._acts(game.room))]
            for act in game.accepted
        )

    def _acts(self, room: str) -> list[str]:
        stream = self.redis.xrange(keys.log(room))
        entries = [decode(fields[b"e"]) for _, fields in stream]
        return [entry.sent.id for entry in entries if entry.sent]

    def ping(self) -> float:
        """Return the seconds of one round trip to Redis."""
        begun = perf_counter()
        self.redis.ping()
        return perf_counter() - begun

    def __enter__(self) -> Self:
        with self._up:
            self._up.enter_context(self._shared)
            self._up.callback(self.redis.close)
            self.tables = asyncio.run(self._filled())
            for server in self.servers:
                self._up.enter_context(server)
                self._wait_for_the_first()
                assert ready(server.url)
            self._up = self._up.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._up.close()

    async def _filled(self) -> list[Table]:
        return await self._stock.put(
            await RedisStore.open(self._shared.url, node="stock"), self._rooms
        )

    def _wait_for_the_first(self) -> None:
        until = time.monotonic() + PATIENCE
        while len(self.owned(NAMES[0])) < self._rooms:
            assert time.monotonic() < until, "the first node does not read its rooms back"
            time.sleep(0.02)


@contextmanager
def up(stock: Stock, rooms: int) -> Iterator[Nodes]:
    """Have nodes for a while, with so many rooms of a kind."""
    with tempfile.TemporaryDirectory() as directory, Nodes(Path(directory), stock, rooms) as nodes:
        yield nodes
