"""uvicorn on a port of this machine's own, in the loop of the test."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import uvicorn

from saleroom_server.gateway.fanout import FanoutProtocol


class _Server(uvicorn.Server):
    """Says when it listens, and leaves the signals of the test run alone."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listens = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.listens.set()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def serving(app: Any, **config: Any) -> AsyncIterator[int]:
    """Serve an application; yield the port."""
    settings: dict[str, Any] = {
        "ws": FanoutProtocol,
        "ws_per_message_deflate": False,
        "ws_ping_interval": None,
        "http": "httptools",
        "lifespan": "off",
        "log_config": None,
        "timeout_graceful_shutdown": 1,
    }
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        server = _Server(uvicorn.Config(app, **(settings | config)))
        running = asyncio.create_task(server.serve(sockets=[listening]))
        await server.listens.wait()
        try:
            yield listening.getsockname()[1]
        finally:
            server.should_exit = True
            await running
