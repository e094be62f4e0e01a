"""A line that is dead without saying so: a machine that is off, a tunnel that forgets."""

import asyncio

import pytest
from websockets.server import ServerProtocol

from saleroom_client import websocket
from saleroom_client.websocket import SUBPROTOCOL, Broken, dial


async def opens_and_is_no_more(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Let a socket in, and then answer nothing, not even a ping; nor hang up."""
    protocol = ServerProtocol(subprotocols=[SUBPROTOCOL])
    protocol.receive_data(await reader.readuntil(b"\r\n\r\n"))
    (request,) = protocol.events_received()
    protocol.send_response(protocol.accept(request))  # type: ignore[arg-type]
    writer.writelines(protocol.data_to_send())
    await reader.read()
    writer.close()


async def test_a_line_that_is_dead_without_saying_so_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(websocket, "HEARTBEAT", 0.02)
    monkeypatch.setattr(websocket, "FAREWELL", 0.02)
    async with (
        asyncio.timeout(20),
        await asyncio.start_server(opens_and_is_no_more, "127.0.0.1", 0) as server,
    ):
        port = server.sockets[0].getsockname()[1]
        socket = await dial(f"ws://127.0.0.1:{port}/v1/play")
        with pytest.raises(Broken) as caught:
            await socket.recv()
        await socket.close()
    assert caught.value.retry
