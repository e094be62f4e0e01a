"""Ways out to a socket: in order, bounded by whoever looks at the backlog, never waiting."""

import asyncio
from typing import Any

import pytest
from starlette.websockets import WebSocket, WebSocketDisconnect

from saleroom_server.gateway.limits import GatewayLimits
from saleroom_server.gateway.outlet import Packet, QueuedOutlet, outlet_for
from tests.support.hand_clock import quiet


class Asgi:
    """The server's end of a WebSocket, as ASGI has it."""

    def __init__(self) -> None:
        self.sent: list[Any] = []
        self.fault: Exception | None = None
        self.open = asyncio.Event()
        self.open.set()

    async def send(self, message: Any) -> None:
        await self.open.wait()
        if self.fault is not None:
            raise self.fault
        self.sent.append(message.get("text", message.get("bytes", message.get("code"))))

    async def receive(self) -> Any:
        return {"type": "websocket.connect"}


async def an_outlet() -> tuple[Asgi, QueuedOutlet]:
    asgi = Asgi()
    websocket = WebSocket({"type": "websocket"}, asgi.receive, asgi.send)
    await websocket.accept()
    asgi.sent.clear()
    outlet = outlet_for(websocket, GatewayLimits())
    assert isinstance(outlet, QueuedOutlet), "the server offers no other way"
    return asgi, outlet


def text(payload: bytes) -> Packet:
    return Packet(payload, True)


async def test_packets_come_out_in_the_order_they_went_in_and_the_close_last() -> None:
    asgi, outlet = await an_outlet()
    outlet.send(text("é1".encode()))
    outlet.send(Packet(b"\x00two", False))
    outlet.send(text(b"three"))
    outlet.close(4002, "replaced")
    assert asgi.sent == [], "nothing waits, so nothing is sent yet"
    await quiet()
    assert asgi.sent == ["é1", b"\x00two", "three", 4002]


async def test_the_backlog_is_what_was_not_taken_yet() -> None:
    asgi, outlet = await an_outlet()
    asgi.open.clear()
    for _ in range(3):
        outlet.send(text(b"12345"))
        await quiet()
    assert outlet.backlog() == 15
    asgi.open.set()
    await quiet()
    assert outlet.backlog() == 0
    outlet.send(text(b"again"))
    await quiet()
    assert asgi.sent == ["12345"] * 3 + ["again"]


async def test_nothing_is_sent_behind_a_close_and_closing_again_does_nothing() -> None:
    asgi, outlet = await an_outlet()
    outlet.close(1012, "restart")
    outlet.send(text(b"late"))
    outlet.close(4000, "bad_token")
    await quiet()
    assert asgi.sent == [1012]


@pytest.mark.parametrize("fault", [OSError(), WebSocketDisconnect(), RuntimeError()])
async def test_when_the_other_side_has_gone_the_rest_is_dropped(fault: Exception) -> None:
    asgi, outlet = await an_outlet()
    asgi.fault = fault
    outlet.send(text(b"1"))
    outlet.send(text(b"2"))
    await quiet()
    asgi.fault = None
    outlet.send(text(b"3"))
    await quiet()
    assert asgi.sent == []


def test_a_packet_is_put_into_a_frame_once() -> None:
    packet = Packet(b"x" * 126, False)
    assert packet.wire == b"\x82\x7e\x00\x7e" + b"x" * 126
    assert packet.wire is packet.wire
    assert text(b"hi").wire == b"\x81\x02hi"
