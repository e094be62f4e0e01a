"""One attacker: an address, what it can do there, and what came of it."""

import asyncio
import json
import socket
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from random import Random
from types import TracebackType
from typing import Any, Self, TypeAlias

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from saleroom_protocol.codec import JSON

SMALL = 4_096  # bytes of a buffer that shall be full soon
LEAK, FAULT = "LEAK", "internal_error"  # what must never come of it
PATIENCE_S = 15.0

Body: TypeAlias = dict[str, Any] | bytes | None


class Attacker:
    """Somebody at an address of this machine who means no good.

    Args:
        port: of the server.
        address: where the attacks come from.
        luck: all chance.
        came: counts what came of it.
    """

    def __init__(self, port: int, address: str, luck: Random, came: Counter[str]) -> None:
        self.luck, self._came = luck, came
        self._port, self._address = port, address
        self._client = httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{port}",
            transport=httpx.AsyncHTTPTransport(local_address=address),
            timeout=PATIENCE_S,
        )
        self._open = AsyncExitStack()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._open.aclose()
        await self._client.aclose()

    def count(self, outcome: str, times: int = 1) -> None:
        """Take note of what came of something."""
        self._came[outcome] += times

    # Connections

    async def dials(self, *, small: bool = False) -> socket.socket:
        """Connect."""
        dialled = socket.socket()
        try:
            if small:
                dialled.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL)
            dialled.setblocking(False)
            dialled.bind((self._address, 0))
            loop = asyncio.get_running_loop()
            await loop.sock_connect(dialled, ("127.0.0.1", self._port))
        except BaseException:
            dialled.close()
            raise
        return dialled

    async def line(
        self, *pieces: bytes, small: bool = False
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Connect and write something; it is hung up at the end. Nothing is read unasked."""
        dialled = await self.dials(small=small)
        reader, writer = await asyncio.open_connection(sock=dialled, limit=SMALL)
        self._open.callback(writer.transport.abort)
        writer.writelines(pieces)
        return reader, writer

    async def hangs_on(self, lines: list[asyncio.StreamReader], seconds: float) -> None:
        """Wait, and count how many lines were hung up on in the end."""
        await asyncio.sleep(seconds)
        ended = sum(reader.at_eof() or reader.exception() is not None for reader in lines)
        self.count("hung up on", ended)
        self.count("held", len(lines) - ended)

    # The lobby

    async def asks(
        self, method: str, path: str, body: Body = None, token: str = "", **headers: str
    ) -> tuple[int, Any]:
        """Ask the lobby; return status and body, which is None if it is no JSON."""
        if token:
            headers["Authorization"] = f"Bearer {token}"
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        content = body if isinstance(body, bytes) else json.dumps(body or {}).encode()
        content = b"" if method == "GET" else content
        answer = await self._client.request(method, path, content=content, headers=named)
        told = None
        with suppress(ValueError):
            told = answer.json()
        reason = told.get("reason", "") if isinstance(told, dict) else ""
        self.count(f"{answer.status_code} {reason}".strip())
        return answer.status_code, told

    async def at_once(self, asked: list[Awaitable[Any]]) -> None:
        """Do much at once, whatever comes of each."""
        for result in await asyncio.gather(*asked, return_exceptions=True):
            if isinstance(result, BaseException):
                self.count(type(result).__name__)

    async def guest(self, name: str = "Rude") -> str:
        """Become a guest; return the token."""
        _, told = await self.asks("POST", "/v1/players", {"name": name})
        return str(told["token"])

    async def room(self, token: str, **more: Any) -> dict[str, Any]:
        """Make a room with two house bots that begins at once; return what its maker is told."""
        body = {"game": "kunstmarkt", "seats": 3, "bots": [{"level": "easy"}] * 2, **more}
        status, told = await self.asks("POST", "/v1/rooms", body, token)
        if status != 201:
            raise Turned(str(told))
        return dict(told)

    async def lively(self) -> str:
        """Return a room in which something happens."""
        _, told = await self.asks("GET", "/v1/rooms?status=running&limit=20")
        rooms = [room["room"] for room in (told or {}).get("rooms", [])]
        if not rooms:
            raise Turned("no room plays")
        return str(self.luck.choice(rooms))

    # Sockets

    @asynccontextmanager
    async def socket(self, token: str = "", *, small: bool = False) -> AsyncIterator["Wire"]:
        """Open a socket and say hello; count the code it is closed with."""
        async with AsyncExitStack() as stack:
            dialled = await self.dials(small=small)
            stack.callback(dialled.close)
            wire = await connect(
                f"ws://127.0.0.1:{self._port}/v1/play",
                sock=dialled,
                subprotocols=[JSON.subprotocol],  # type: ignore[list-item]
                compression=None,
                ping_interval=None,
                close_timeout=0.5,
                max_size=None,
                proxy=None,
            )
            stack.callback(wire.transport.abort)
            try:
                yield await Wire(self, wire).greets(token)
            except ConnectionClosed as closed:
                self.count(f"closed {closed.rcvd.code if closed.rcvd else 'without a code'}")


class Wire:
    """A socket of an attacker."""

    def __init__(self, attacker: Attacker, wire: ClientConnection) -> None:
        self._attacker, self._wire = attacker, wire
        self._ids = 0

    async def greets(self, token: str) -> Self:
        hello = {"type": "hello", "client": "rude/1"} | ({"token": token} if token else {})
        await self.says(**hello)
        return self

    async def says(self, **message: Any) -> None:
        """Send a message."""
        await self._wire.send(json.dumps(message))

    async def asks(self, kind: str, room: str, **fields: Any) -> None:
        """Send a request, and do not wait for the answer."""
        self._ids += 1
        plain = {name.rstrip("_"): value for name, value in fields.items()}
        await self.says(**({"type": kind, "id": f"i{self._ids}", "room": room} | plain))

    async def sends(self, frame: bytes | str) -> None:
        """Send a frame as it is."""
        await self._wire.send(frame)

    async def hears(self, seconds: float = 0.2) -> list[dict[str, Any]]:
        """Return what comes in some time, and count the answers."""
        heard: list[dict[str, Any]] = []
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while True:
                    heard.append(json.loads(await self._wire.recv()))
        for told in heard:
            self._attacker.count(told.get("reason") or told["type"])
        return heard


class Turned(Exception):
    """The server did not let the attack begin."""


Attack: TypeAlias = Callable[[Attacker], Awaitable[None]]
