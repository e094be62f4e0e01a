"""Servers to compare with, each in a process of its own like the one they are compared with."""

import multiprocessing
import socket
from collections.abc import Awaitable, Callable, Coroutine
from multiprocessing.connection import Connection
from typing import Any, Literal, Self, TypeAlias

import uvicorn
import uvloop
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket

from saleroom_server.gateway.fanout import FanoutProtocol
from saleroom_server.gateway.limits import GatewayLimits

BACKLOG = 2048
PATIENCE = 60.0  # seconds until an answer must be there

Main: TypeAlias = Callable[[Connection], Coroutine[Any, Any, None]]
Endpoint: TypeAlias = Callable[[WebSocket], Awaitable[None]]
Protocol: TypeAlias = type[FanoutProtocol] | Literal["websockets-sansio"]


class Apart:
    """A process that runs a coroutine function; the two talk through a pipe.

    The first thing it is told is what the coroutine sends once it serves: its addresses.
    """

    def __init__(self, main: Main) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_run, args=(main, theirs), daemon=True)

    @property
    def pid(self) -> int:
        """Its process."""
        assert self._process.pid is not None
        return self._process.pid

    def ask(self, question: Any) -> Any:
        """Send something, and return what comes back."""
        self._pipe.send(question)
        return self._answer()

    def _answer(self) -> Any:
        assert self._pipe.poll(PATIENCE), "it does not answer"
        return self._pipe.recv()

    def __enter__(self) -> Self:
        self._process.start()
        self.urls: list[str] = self._answer()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.join()


def _run(main: Main, pipe: Connection) -> None:
    uvloop.run(main(pipe), debug=False)


def listening() -> tuple[socket.socket, str]:
    """Return a socket that listens, and its address."""
    made = socket.create_server(("127.0.0.1", 0), backlog=BACKLOG)
    return made, f"http://127.0.0.1:{made.getsockname()[1]}"


def alone(endpoint: Endpoint) -> Starlette:
    """Return an application of one endpoint for WebSockets, with nothing behind it."""
    return Starlette(routes=[WebSocketRoute("/v1/play", endpoint)])


async def serve(app: Starlette, listener: socket.socket, ws: Protocol = FanoutProtocol) -> None:
    """Serve WebSockets as `saleroom serve` does, or with another protocol of uvicorn's."""
    config = uvicorn.Config(
        app,
        ws=ws,
        ws_ping_interval=None,
        ws_per_message_deflate=False,
        http="httptools",
        access_log=False,
        log_config=None,
        backlog=BACKLOG,
    )
    await uvicorn.Server(config).serve(sockets=[listener])


async def accepted(websocket: WebSocket) -> FanoutProtocol:
    """Take a socket in, and return the way out to it."""
    await websocket.accept(websocket.scope["subprotocols"][0])
    protocol: FanoutProtocol = websocket.scope["extensions"][FanoutProtocol.EXTENSION]
    protocol.limits = GatewayLimits()
    return protocol
