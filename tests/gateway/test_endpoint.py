"""GET /v1/play over a real connection: who is let in, and that frames find their way."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketState
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Subprotocol

from saleroom_protocol.codec import JSON, MSGPACK, Codec
from saleroom_protocol.limits import Limits
from saleroom_server.gateway.endpoint import play
from saleroom_server.gateway.fanout import FanoutProtocol
from saleroom_server.gateway.limits import GatewayLimits
from tests.support.loopback import serving
from tests.support.nodes import PEOPLE, Node

UPGRADE = (
    b"GET /v1/play HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: saleroom.v1.json\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)
CODECS = pytest.mark.parametrize("codec", [MSGPACK, JSON], ids=["msgpack", "json"])


def app(node: Node) -> Starlette:
    return Starlette(routes=[WebSocketRoute("/v1/play", play(node.gateway))])


def dial(port: int, *protocols: str) -> Any:
    offered = [Subprotocol(name) for name in protocols]
    return connect(f"ws://127.0.0.1:{port}/v1/play", subprotocols=offered or None)


def frame(codec: Codec, message: Any) -> Any:
    encoded = codec.encode(message)
    return encoded.decode() if codec.text else encoded


@CODECS
async def test_a_game_can_be_joined_over_the_network(node: Node, codec: Codec) -> None:
    room = await node.starts()
    protocols = ("unheard.of", codec.subprotocol)
    async with serving(app(node)) as port, dial(port, *protocols) as client:
        assert client.subprotocol == codec.subprotocol
        hello = {"type": "hello", "client": "t/1", "token": node.token(PEOPLE[0])}
        await client.send(frame(codec, hello))
        join = {"type": "join", "id": "1", "room": room, "as": "player"}
        await client.send(frame(codec, join))
        kinds = []
        for _ in range(3):
            received = await client.recv()
            assert isinstance(received, str) == codec.text
            plain = received.encode() if isinstance(received, str) else received
            kinds.append(type(codec.read_told(plain)).__name__)
        assert kinds == ["Welcome", "Joined", "View"]
        assert len(node.gateway) == 1
    assert len(node.gateway) == 0
    assert node.gateway._crowds._rooms == {}


async def test_a_wrong_frame_is_answered_and_the_socket_closed(node: Node) -> None:
    async with serving(app(node)) as port, dial(port, MSGPACK.subprotocol) as client:
        await client.send("text, where bytes were agreed on")
        assert b"protocol_violation" in await client.recv()
        with pytest.raises(ConnectionClosed):
            await client.recv()
        assert client.close_code == 4004


async def test_what_is_no_websocket_is_closed_without_an_error(node: Node) -> None:
    sending: list[tuple[int, bytes, bool]] = [
        (1007, b"\xff", True),
        (1009, bytes(4 * Limits().client_message_bytes + 1), False),
    ]
    options = {"ws_max_size": 4 * Limits().client_message_bytes}
    async with serving(app(node), **options) as port:
        for code, payload, text in sending:
            async with dial(port, JSON.subprotocol) as client:
                await client.send(payload, text=text)
                with pytest.raises(ConnectionClosed):
                    await client.recv()
                assert client.close_code == code


async def test_a_socket_that_never_falls_silent_lets_others_have_their_turn() -> None:
    node = await Node(gateway=GatewayLimits(frames_per_turn=10)).opens()
    hello, pong = JSON.encode({"type": "hello", "client": "t/1"}), JSON.encode({"type": "pong"})
    frames = iter([hello, *[pong] * 1_000])
    turns = 0

    async def receive() -> dict[str, Any]:
        """Give the next frame at once, as a server does while some are at hand."""
        if (frame := next(frames, None)) is None:
            return {"type": "websocket.disconnect", "code": 1000}
        return {"type": "websocket.receive", "text": frame.decode()}

    async def send(message: Any) -> None:
        assert message["type"] == "websocket.accept" or "welcome" in message["text"]

    async def another() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    scope = {"type": "websocket", "subprotocols": [JSON.subprotocol], "headers": []}
    websocket = WebSocket(scope, receive, send)
    websocket.client_state = WebSocketState.CONNECTED
    beside = asyncio.create_task(another())
    await play(node.gateway)(websocket)
    assert turns > 90, "one for every ten frames"
    beside.cancel()
    await node.closes()


@pytest.mark.parametrize("offered", ["saleroom.v1.json", "mqtt"])
@pytest.mark.parametrize(
    "gone",
    [lambda door: door.disconnected, lambda door: door.transport.is_closing()],
    ids=["gone", "going"],
)
async def test_of_who_has_gone_before_the_answer_to_the_upgrade_nothing_is_logged(
    node: Node, caplog: pytest.LogCaptureFixture, offered: str, gone: Any
) -> None:
    endpoint, asked, answered = app(node), asyncio.Event(), asyncio.Event()

    async def late(scope: Any, receive: Any, send: Any) -> None:
        asked.set()
        while not gone(scope["extensions"][FanoutProtocol.EXTENSION]):  # noqa: ASYNC110, for nothing will say so
            await asyncio.sleep(0)
        try:
            await endpoint(scope, receive, send)
        finally:
            answered.set()

    async with serving(late) as port:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(UPGRADE.replace(b"saleroom.v1.json", offered.encode()))
        await asyncio.wait_for(asked.wait(), 5)
        writer.transport.abort()
        await asyncio.wait_for(answered.wait(), 5)
    assert [record.message for record in caplog.records if record.levelno > logging.INFO] == []
    assert len(node.gateway) == 0


async def test_without_a_subprotocol_in_common_the_answer_is_400(node: Node) -> None:
    async with serving(app(node)) as port:
        for protocols in ((), ("saleroom.v2.msgpack", "mqtt")):
            with pytest.raises(InvalidStatus) as refused:
                async with dial(port, *protocols):
                    pass
            response = refused.value.response
            assert response.status_code == 400
            assert b'"malformed"' in (response.body or b"")


@pytest.mark.parametrize(
    ("limit", "status", "reason"),
    [("sockets", 503, "full"), ("sockets_per_address", 429, "rate_limited")],
)
async def test_one_socket_too_many_of_all_or_of_an_address_is_told_when_to_come_back(
    limit: str, status: int, reason: str
) -> None:
    node = await Node(gateway=GatewayLimits(**{limit: 1})).opens()
    async with serving(app(node)) as port, dial(port, JSON.subprotocol):
        with pytest.raises(InvalidStatus) as refused:
            async with dial(port, JSON.subprotocol):
                pass
        response = refused.value.response
        assert (response.status_code, response.headers["Retry-After"]) == (status, "5")
        assert json.loads(response.body or b"")["reason"] == reason
    await node.closes()


async def test_an_upgrade_that_is_refused_is_no_fault_of_ours(
    node: Node, caplog: pytest.LogCaptureFixture
) -> None:
    async with serving(app(node)) as port:
        with pytest.raises(InvalidStatus):
            async with dial(port, "mqtt"):
                pass
    assert [record.message for record in caplog.records if record.levelno > logging.INFO] == []


ALLOWED = "https://play.example"


def page(port: int, origin: Any) -> Any:
    """Dial as a page of some origin would."""
    url, protocols = f"ws://127.0.0.1:{port}/v1/play", [Subprotocol(JSON.subprotocol)]
    return connect(url, subprotocols=protocols, origin=origin)


def listing(node: Node, origins: list[str]) -> Starlette:
    return Starlette(routes=[WebSocketRoute("/v1/play", play(node.gateway, origins))])


@pytest.mark.parametrize(
    ("origins", "origin"),
    [
        (["*"], ALLOWED),
        (["*"], "null"),
        (["https://a.example", ALLOWED], ALLOWED),
        ([ALLOWED], None),
    ],
)
async def test_a_page_of_a_listed_origin_gets_a_socket_and_so_does_what_is_no_page(
    node: Node, origins: list[str], origin: Any
) -> None:
    async with serving(listing(node, origins)) as port, page(port, origin):
        assert len(node.gateway) == 1


@pytest.mark.parametrize(
    ("origins", "origin"),
    [([ALLOWED], "https://other.example"), ([ALLOWED], "null"), ([""], ALLOWED)],
)
async def test_a_page_of_any_other_origin_gets_none(
    node: Node, origins: list[str], origin: Any
) -> None:
    async with serving(listing(node, origins)) as port:
        with pytest.raises(InvalidStatus) as refused:
            async with page(port, origin):
                pass
        response = refused.value.response
        assert response.status_code == 403
        assert b'"origin"' in (response.body or b"")


async def test_a_message_that_never_ends_is_silence_whatever_else_is_sent(node: Node) -> None:
    async with serving(app(node)) as port, dial(port, JSON.subprotocol) as client:
        await client.send(frame(JSON, {"type": "hello", "client": "t/1"}))
        await client.recv()

        async def unending() -> AsyncIterator[str]:
            yield "{"
            await asyncio.Event().wait()

        begun = asyncio.create_task(client.send(unending()))
        for _ in range(3):
            await client.ping()
            await node.clock.passes(GatewayLimits().silence_ms // 3)
            node.sweeps()
        async with asyncio.timeout(5):
            await client.wait_closed()
        assert client.close_code == 4102
        with suppress(ConnectionClosed, asyncio.CancelledError):
            begun.cancel()
            await begun


async def test_everybody_is_sent_away_properly(node: Node) -> None:
    async with serving(app(node)) as port, dial(port, JSON.subprotocol) as client:
        await client.send(frame(JSON, {"type": "hello", "client": "t/1"}))
        await client.recv()
        node.gateway.drain()
        assert '"closing"' in await client.recv()
        with pytest.raises(ConnectionClosed):
            await client.recv()
        assert client.close_code == 1012
