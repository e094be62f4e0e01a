"""`python -m tests.system.cluster`: nodes that share a Redis, killed while a stranger plays on.

A client by somebody who knows only the protocol plays through a load balancer that gives each
connection to the next node. Every now and then a node is killed with -9 and started again, or Redis
is, or both. Then every game must come to its end, and what was accepted must stand in the records.
Options that are not listed here are the stranger's.
"""

import argparse
import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from itertools import count
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

from saleroom_rules.games import GAMES
from tests.support.redis_servers import KINDS, RedisServer
from tests.support.servers import ServerProcess
from tests.system.stranger import USUAL

NODES = 3
READ_BYTES = 64 * 1024


class Balancer:
    """Gives each connection to the next node that takes it."""

    def __init__(self, urls: list[str]) -> None:
        self._places = [(urlsplit(url).hostname, urlsplit(url).port) for url in urls]
        self._turns = count()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass on what comes from either side, until one of them hangs up."""
        for _ in self._places:
            host, port = self._places[next(self._turns) % len(self._places)]
            with contextlib.suppress(OSError):
                there, back = await asyncio.open_connection(host, port)
                await asyncio.gather(_passed(reader, back), _passed(there, writer))
                return
        writer.close()


async def _passed(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(READ_BYTES):
            writer.write(data)
            await writer.drain()
    with contextlib.suppress(OSError):
        writer.close()


@asynccontextmanager
async def balanced(urls: list[str]) -> AsyncIterator[str]:
    """Run a load balancer before some nodes; yield its URL."""
    server = await asyncio.start_server(Balancer(urls).serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def _kill(nodes: list[ServerProcess], every: float, luck: Random) -> None:
    while True:
        await asyncio.sleep(every)
        node = luck.choice(nodes)
        await asyncio.to_thread(node.kill)
        while not await asyncio.to_thread(_starts, node):
            print("!", end="", flush=True)  # as when Redis is away; who runs it starts it again
        print(".", end="", flush=True)


def _starts(node: ServerProcess) -> bool:
    try:
        node.start()
    except AssertionError:
        return False
    return True


async def _kill_redis(redis: RedisServer, every: float) -> None:
    while True:
        await asyncio.sleep(every)
        await asyncio.to_thread(redis.kill)
        await asyncio.to_thread(redis.start)
        print("R", end="", flush=True)


async def _play(stranger: Path, url: str, options: list[str]) -> int:
    command = [sys.executable, str(stranger), "--url", url, *options]
    playing = await asyncio.create_subprocess_exec(*command)
    return await playing.wait()


async def run(chosen: argparse.Namespace, options: list[str], folder: Path) -> int:
    """Play; return 0 if all went well."""
    stranger = Path(os.environ.get("SALEROOM_STRANGER", USUAL))
    luck = Random(chosen.seed)
    with ExitStack() as up:
        redis = up.enter_context(RedisServer(folder / "redis", chosen.kind))
        env = {"SALEROOM_STORE": redis.url}
        nodes = [
            up.enter_context(ServerProcess(folder / f"node{number}" / "data", env=env))
            for number in range(NODES)
        ]
        async with balanced([node.url for node in nodes]) as url:
            ills = []
            if chosen.kill_nodes:
                ills.append(asyncio.create_task(_kill(nodes, chosen.kill_nodes, luck)))
            if chosen.kill_redis:
                ills.append(asyncio.create_task(_kill_redis(redis, chosen.kill_redis)))
            try:
                for game in chosen.games:
                    failed = await _play(stranger, url, ["--game", game, *options])
                    if failed:
                        for node in nodes:
                            print(node.log()[-4000:])
                        return 1
            finally:
                for ill in ills:
                    ill.cancel()
                await asyncio.gather(*ills, return_exceptions=True)
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.system.cluster", description=__doc__)
    parser.add_argument("--games", nargs="+", default=[*GAMES])
    parser.add_argument("--kind", choices=KINDS, default="valkey")
    parser.add_argument("--kill-nodes", type=float, default=0, help="every so many seconds")
    parser.add_argument("--kill-redis", type=float, default=0, help="every so many seconds")
    parser.add_argument("--seed", type=int, default=1)
    chosen, options = parser.parse_known_args()
    with TemporaryDirectory() as folder:
        return asyncio.run(run(chosen, options, Path(folder)))


if __name__ == "__main__":
    sys.exit(main())
