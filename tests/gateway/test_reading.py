"""A stream of events over a real connection."""

import asyncio
import socket
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from httpx import AsyncClient
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from saleroom_protocol.messages import Join
from saleroom_server.door import Door, DoorLimits, GuardedProtocol
from saleroom_server.gateway.limits import GatewayLimits
from saleroom_server.gateway.outlet import Packet
from saleroom_server.gateway.reading import BodyOutlet, reading
from saleroom_server.rooms.commands import Close, Publish
from tests.support.event_source import EventSource
from tests.support.hand_clock import quiet
from tests.support.listeners import ANYBODY
from tests.support.loopback import serving
from tests.support.nodes import Node

READERS = (None, "sse", False)
MEBIBYTE = 1024 * 1024


def app(node: Node) -> Starlette:
    async def stream(request: Request) -> Response:
        room = request.path_params["room"]
        asked = Join(id="stream", room=room, as_="spectator")
        return await reading(node.gateway)(node.actor(room), ANYBODY, asked, "")

    return Starlette(routes=[Route("/{room}", stream, methods=["GET", "POST"])])


async def until(true: Callable[[], bool]) -> None:
    """Let the network have its turns."""
    async with asyncio.timeout(10):
        while not true():  # noqa: ASYNC110, for nothing will say so
            await asyncio.sleep(0)


async def test_events_come_over_the_network_until_the_end(node: Node) -> None:
    table = await node.plays()
    source = EventSource()
    async with serving(app(node)) as port, AsyncClient() as client:
        url = f"http://127.0.0.1:{port}/{table.room}"
        async with client.stream("GET", url) as response:
            async for received in response.aiter_bytes():
                source.feed(received)
                if len(source.events) == 1:
                    await table.moves()
                elif len(source.events) == 2:
                    await node.actor(table.room).ask(Close("enough"))
        assert [event.kind for event in source.events] == ["view", "update", "update", "end"]
        await until(lambda: len(node.gateway) == 3)
        assert node.room(table.room).summary().spectators == 0


async def test_a_reader_who_hangs_up_is_noticed_at_once(node: Node) -> None:
    table = await node.plays()
    async with serving(app(node)) as port, AsyncClient() as client:
        url = f"http://127.0.0.1:{port}/{table.room}"
        async with client.stream("POST", url, content=b"a body") as response:
            assert await anext(response.aiter_bytes())
            assert node.room(table.room).summary().spectators == 1
        await until(lambda: len(node.gateway) == 3)
        assert node.room(table.room).summary().spectators == 0
        assert len(node.gateway._crowds._rooms[table.room]) == 3


async def test_a_client_that_does_not_read_is_cut_off_and_nothing_of_it_is_left(
    node: Node, caplog: pytest.LogCaptureFixture
) -> None:
    table = await node.plays()
    door = Door(node.clock, DoorLimits(), 9, "", node.metrics.connections_turned_away)
    async with serving(app(node), http=partial(GuardedProtocol, door)) as port:
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.sendall(b"GET /%b HTTP/1.1\r\nHost: x\r\n\r\n" % table.room.encode())
            await until(lambda: len(node.gateway) == 4)
            frame = b":" + bytes(MEBIBYTE // 2) + b"\n\n"
            while not node.gateway._crowds.behind():
                node.gateway.deliver(table.room, [Publish(((READERS, frame),))])
                await asyncio.sleep(0)
            await node.clock.passes(GatewayLimits().behind_ms)
            node.sweeps()
            assert node.room(table.room).summary().spectators == 0
            assert len(node.gateway) == 4, "it may yet take the end"
            await door.sweep()
            await until(lambda: len(node.gateway) == 3)
            with client.makefile("rb") as received:
                assert not (await asyncio.to_thread(received.read)).endswith(b"\r\n0\r\n\r\n")
    assert caplog.messages == ["connections_turned_away"]


# The body of a response


class Asgi:
    """The server's end of a response, as ASGI has it."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        self.ended = False
        self.fault: OSError | None = None

    async def send(self, message: Any) -> None:
        if self.fault is not None:
            raise self.fault
        self.bodies.append(message.get("body", b""))
        self.ended = not message.get("more_body", False)


async def test_what_comes_before_there_is_a_response_waits_for_it() -> None:
    asgi, outlet = Asgi(), BodyOutlet()
    outlet.send(Packet(b"one", True))
    outlet.close(1000, "normal")
    outlet.send(Packet(b"late", True))
    await quiet()
    assert (asgi.bodies, outlet.backlog()) == ([], 3)
    outlet.open(asgi.send)
    await quiet()
    assert (asgi.bodies, asgi.ended, outlet.backlog()) == ([b"one", b""], True, 0)


async def test_when_the_other_side_has_gone_the_rest_is_dropped() -> None:
    asgi, outlet = Asgi(), BodyOutlet()
    asgi.fault = ConnectionResetError()
    outlet.open(asgi.send)
    outlet.send(Packet(b"one", True))
    await quiet()
    asgi.fault = None
    outlet.send(Packet(b"two", True))
    await quiet()
    assert asgi.bodies == []
