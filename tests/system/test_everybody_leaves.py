"""SIGTERM while many are there: each socket is told when to come back, and closed for that."""

import asyncio
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from saleroom_client import Lobby
from tests.support.servers import ServerProcess

SOCKETS = 24


async def test_when_the_server_ends_every_socket_is_told_when_to_come_back(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data") as server:
        lobby = Lobby(server.url)
        await lobby.register("Ada")
        room = (await lobby.create_room("kunstmarkt", 3, bots=["easy", "easy"])).room
        sockets = [
            await opened(server.url, lobby.token if n == 0 else None, room, n)
            for n in range(SOCKETS)
        ]
        assert await asyncio.to_thread(server.stop) == 0
        endings = await asyncio.gather(*map(ending, sockets))
    assert {code for code, _ in endings} == {1012}
    waits = [closing["retry_after_ms"] for _, closing in endings]
    assert {closing["reason"] for _, closing in endings} == {"restart"}
    assert max(waits) <= 5_000
    assert max(waits) - min(waits) > 1_000, "not all in the same instant"


async def opened(url: str, token: str | None, room: str, number: int) -> ClientConnection:
    """Open a socket; one plays, some look on, some follow nothing, some say nothing at all."""
    address = url.replace("http", "ws") + "/v1/play"
    socket = await connect(address, subprotocols=[Subprotocol("saleroom.v1.json")])
    if number % 4 < 3:
        hello = {"type": "hello", "client": "test/1", **({"token": token} if token else {})}
        await socket.send(json.dumps(hello))
        await socket.recv()
    if number % 4 < 2:
        as_ = "player" if token else "spectator"
        await socket.send(json.dumps({"type": "join", "id": "1", "room": room, "as": as_}))
        await socket.recv()
    return socket


async def ending(socket: ClientConnection) -> tuple[int | None, Any]:
    """Read to the end; return the close code and the last message."""
    told: list[str | bytes] = []
    with suppress(ConnectionClosed):
        async for message in socket:
            told.append(message)
    return socket.close_code, json.loads(told[-1])
