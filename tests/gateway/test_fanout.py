"""What `fanout.py` rests on in uvicorn: if any of it moves, this says so, loudly."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from starlette.websockets import WebSocket
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.protocol import OPEN

from saleroom_server.gateway.fanout import FanoutProtocol, door_of
from saleroom_server.gateway.limits import GatewayLimits
from saleroom_server.gateway.outlet import DirectOutlet, Outlet, Packet, QueuedOutlet, outlet_for
from tests.support.loopback import serving

HANDSHAKE = (
    b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\n"
)
KEY = b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"


class App:
    """Takes one socket at a time, and hands it to the test."""

    def __init__(self) -> None:
        self.sockets: asyncio.Queue[WebSocket] = asyncio.Queue()
        self.events: asyncio.Queue[Any] = asyncio.Queue()
        self.reads = asyncio.Event()
        self.reads.set()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        websocket = WebSocket(scope, receive, send)
        await websocket.accept()
        self.sockets.put_nowait(websocket)
        event = {"type": ""}
        while event["type"] != "websocket.disconnect":
            await self.reads.wait()
            event = dict(await websocket.receive())
            self.events.put_nowait(event)

    async def protocol(self) -> FanoutProtocol:
        websocket = await self.sockets.get()
        protocol = websocket.scope["extensions"][FanoutProtocol.EXTENSION]
        assert isinstance(protocol, FanoutProtocol)
        return protocol

    async def gone(self) -> dict[str, Any]:
        """Return the event that the socket is closed."""
        while True:
            event: dict[str, Any] = await self.events.get()
            if event["type"] == "websocket.disconnect":
                return event


def dial(port: int, **options: Any) -> Any:
    return connect(f"ws://127.0.0.1:{port}/", compression=None, max_size=None, **options)


async def closed(client: ClientConnection) -> tuple[int, str]:
    """Wait for the end; return its code and reason."""
    with pytest.raises(ConnectionClosed):
        await client.recv()
    assert client.close_code is not None
    return client.close_code, client.close_reason or ""


async def eventually(holds: Callable[[], bool]) -> None:
    """Let the loop run until something holds."""
    async with asyncio.timeout(5):
        while not holds():  # noqa: ASYNC110, for nothing will say so
            await asyncio.sleep(0)


async def test_the_names_we_use_are_there_and_those_we_add_are_not() -> None:
    app = App()
    async with serving(app) as port, dial(port):
        protocol = await app.protocol()
        assert isinstance(protocol.queue, asyncio.Queue)
        assert (protocol.close_sent, protocol.disconnected) == (False, False)
        assert protocol.close_timer is None
        assert protocol.close_timeout > 0
        assert protocol.read_paused is False
        assert protocol.loop is asyncio.get_running_loop()
        assert protocol.config.ws_per_message_deflate is False
        for call in ("write", "get_write_buffer_size", "is_closing", "abort"):
            assert callable(getattr(protocol.transport, call))
        for call in ("pause_reading", "resume_reading"):
            assert callable(getattr(protocol.transport, call))
        assert callable(protocol.handle_parser_exception)
        assert protocol.curr_msg_data_type in ("text", "bytes")
        for call in ("send_close", "data_to_send"):
            assert callable(getattr(protocol.conn, call))
        assert protocol.conn.extensions == []
        assert protocol.conn.state is OPEN
        assert protocol.conn.handshake_exc is None
        assert protocol.handshake_initiated is True
        assert protocol.frames == []
    ours = vars(FanoutProtocol).keys() - {"__module__", "__doc__", "__init__", "__annotations__"}
    overridden = {
        *("connection_lost", "data_received", "receive", "send", "send_receive_event_to_app"),
        *("handle_connect", "handle_ping", "handle_pong", "handle_cont"),
    }
    assert overridden <= vars(WebSocketsSansIOProtocol).keys()
    plain = WebSocketsSansIOProtocol(protocol.config, ServerState(), {})
    fields = {"_rest", "_parsing", "_take", "_begin", "_untaken", "_idle_frames"}
    taken = (ours - overridden | fields) & set(dir(plain))
    assert not taken, "uvicorn has something of its own under a name of ours"


@pytest.mark.parametrize("size", [0, 1, 125, 126, 65_535, 65_536, 300_000])
async def test_a_frame_arrives_as_it_was_made(size: int) -> None:
    app, payload = App(), bytes(number % 251 for number in range(size))
    async with serving(app) as port, dial(port) as client:
        outlet = DirectOutlet(await app.protocol())
        outlet.send(Packet(payload, False))
        outlet.send(Packet(b"z" * size, True))
        assert await client.recv() == payload
        assert await client.recv() == "z" * size


@pytest.mark.parametrize("code", [1000, 1009, 1012, 4000, 4002, 4102])
async def test_a_close_code_arrives_behind_everything_and_the_app_hears_of_it(code: int) -> None:
    app = App()
    async with serving(app) as port, dial(port) as client:
        protocol = await app.protocol()
        outlet = DirectOutlet(protocol)
        outlet.send(Packet(b"last words", True))
        outlet.close(code, "a_reason")
        outlet.send(Packet(b"too late", True))
        outlet.close(4001, "too late")
        assert await client.recv() == "last words"
        assert await closed(client) == (code, "a_reason")
        event = await app.gone()
        assert (event["code"], event["reason"]) == (code, "a_reason")
        await eventually(lambda: protocol.disconnected)
        assert protocol.close_timer is None, "the client has answered"
        protocol.write(b"nothing comes of this")
        assert outlet.backlog() == 0


async def test_a_close_is_answered_though_the_client_had_more_to_say() -> None:
    app = App()
    async with serving(app) as port, dial(port) as client:
        protocol = await app.protocol()
        app.reads.clear()
        for number in range(50):
            await client.send(f"frame {number}" * 100)
        await eventually(lambda: protocol.read_paused)
        protocol.close(4100, "too_slow")
        async with asyncio.timeout(protocol.close_timeout / 2):  # its answer is read all the same
            assert await closed(client) == (4100, "too_slow")
        app.reads.set()
        await app.gone()


async def test_a_close_by_the_client_is_told_and_then_nothing_is_written() -> None:
    app = App()
    async with serving(app) as port:
        async with dial(port) as client:
            protocol = await app.protocol()
            await client.close(1000, "bye")
        assert (await app.gone())["code"] == 1000
        protocol.write(b"nobody reads this")
        protocol.close(4000, "nor this")
        await eventually(lambda: protocol.disconnected)


async def test_a_client_that_answers_no_close_is_given_up() -> None:
    app = App()
    async with serving(app) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(HANDSHAKE + KEY + b"\r\n")
        await reader.readuntil(b"\r\n\r\n")
        protocol = await app.protocol()
        protocol.close_timeout = 0.01
        protocol.close(4102, "idle")
        assert await reader.readexactly(8) == b"\x88\x06\x10\x06idle"
        with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
            await reader.readexactly(1)
        await eventually(lambda: protocol.disconnected)
        writer.close()


async def test_what_a_client_does_not_take_is_the_backlog() -> None:
    app = App()
    async with serving(app) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1024)
        writer.write(HANDSHAKE + KEY + b"\r\n")
        await reader.readuntil(b"\r\n\r\n")
        protocol = await app.protocol()
        wire = Packet(bytes(1 << 20), False).wire
        for _ in range(64):
            protocol.write(wire)
        assert protocol.backlog() > 1 << 20
        protocol.transport.abort()
        assert protocol.backlog() == 0
        protocol.close(4100, "too_slow")
        await eventually(lambda: protocol.disconnected)
        writer.close()


async def test_who_pings_and_reads_no_answer_is_hung_up_on() -> None:
    app = App()
    async with serving(app) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1024)
        writer.write(HANDSHAKE + KEY + b"\r\n")
        await reader.readuntil(b"\r\n\r\n")
        protocol = await app.protocol()
        protocol.limits = GatewayLimits(backlog_bytes=1 << 20)
        ping = b"\x89\x80\x00\x00\x00\x00"
        writer.write(ping)
        assert await reader.readexactly(2) == b"\x8a\x00"
        protocol.write(Packet(bytes(16 << 20), False).wire)
        await eventually(lambda: protocol.backlog() > 1 << 20)
        writer.write(ping)
        await eventually(lambda: protocol.disconnected)
        writer.close()


PING, PONG = b"\x89\x80\x00\x00\x00\x00", b"\x8a\x80\x00\x00\x00\x00"
BEGUN, MORE = b"\x01\x80\x00\x00\x00\x00", b"\x00\x80\x00\x00\x00\x00"
DONE = b"\x80\x80\x00\x00\x00\x00"
MESSAGE = b"\x81\x81\x00\x00\x00\x00x"
Raw = tuple[asyncio.StreamReader, asyncio.StreamWriter, FanoutProtocol]


@asynccontextmanager
async def raw(app: App) -> AsyncIterator[Raw]:
    """Open a WebSocket that the test writes to byte by byte."""
    async with serving(app) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(HANDSHAKE + KEY + b"\r\n")
        await reader.readuntil(b"\r\n\r\n")
        yield reader, writer, await app.protocol()
        writer.close()


@pytest.mark.parametrize("frame", [PING, PONG])
async def test_who_floods_with_frames_that_ask_nothing_is_hung_up_on(frame: bytes) -> None:
    async with raw(App()) as (_, writer, protocol):
        limits = protocol.limits = GatewayLimits(idle_frames_at_once=20)
        writer.write(frame * limits.idle_frames_at_once)
        await writer.drain()
        writer.write(MESSAGE)
        await eventually(lambda: not protocol.queue.empty() or protocol.read_paused)
        assert not protocol.disconnected
        writer.write(frame * 50)
        await eventually(lambda: protocol.disconnected)


async def test_a_message_in_many_parts_is_read_and_one_in_too_many_is_too_big() -> None:
    app = App()
    async with raw(app) as (reader, writer, protocol):
        most = protocol.limits.fragments
        writer.write(BEGUN + MORE * (most - 2) + DONE)
        assert (await app.events.get())["text"] == ""
        writer.write(BEGUN + MORE * 100_000)
        assert await reader.readexactly(4) == b"\x88\x11\x03\xf1", "1009"
        assert (await app.gone())["code"] == 1009
        await eventually(lambda: protocol.disconnected)
        assert len(protocol.frames) <= most


async def test_too_many_parts_with_a_close_right_behind_are_no_fault_of_ours() -> None:
    app = App()
    async with raw(app) as (_, writer, protocol):
        left = b"\x88\x82\0\0\0\0\x03\xe8"
        protocol.data_received(BEGUN + MORE * protocol.limits.fragments + DONE + left)
        assert (await app.gone())["code"] == 1000
        await eventually(lambda: protocol.disconnected)
        writer.close()


async def test_what_comes_in_one_go_is_parsed_as_the_application_reads() -> None:
    app = App()
    async with raw(app) as (_, writer, protocol):
        app.reads.clear()
        protocol.data_received(MESSAGE * 30_000)
        assert protocol.queue.qsize() < 200, "others are not held up by one client's frames"
        app.reads.set()
        for _ in range(30_000):
            assert (await app.events.get())["text"] == "x"
        writer.write(MESSAGE)
        assert (await app.events.get())["text"] == "x"


class Listening(App):
    """Takes messages past ASGI, each when the test says that it is its turn."""

    def __init__(self) -> None:
        super().__init__()
        self.took: list[tuple[bytes, bool]] = []
        self.waiting: deque[Callable[[], None]] = deque()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        websocket = WebSocket(scope, receive, send)
        await websocket.accept()
        door = door_of(websocket)
        assert door is not None
        door.listen(self.take, self.waiting.append)
        self.sockets.put_nowait(websocket)
        self.events.put_nowait(dict(await websocket.receive()))

    def take(self, payload: bytes, text: bool) -> None:
        if payload == b"fault":
            raise RuntimeError("a fault of ours")
        self.took.append((payload, text))


async def test_who_listens_gets_each_message_when_it_is_its_turn_and_in_order() -> None:
    app = Listening()
    async with raw(app) as (_, writer, protocol):
        begun, done = b"\x01\x81\0\0\0\0a", b"\x80\x81\0\0\0\0b"
        writer.write(b"\x82\x81\0\0\0\x001" + begun + done + MESSAGE * 2_000)
        await eventually(lambda: len(app.waiting) > 1)
        assert (app.took, protocol.read_paused) == ([], True), "nothing before its turn"
        most = 0
        while len(app.took) < 2_002:
            await eventually(lambda: len(app.waiting) > 0)
            most = max(most, len(app.waiting))
            app.waiting.popleft()()
        assert app.took == [(b"1", False), (b"ab", True), *[(b"x", True)] * 2_000]
        assert most < 200, "the rest is not even parsed"
        assert not protocol.read_paused
        writer.write(b"\x88\x82\0\0\0\0\x03\xe8")
        assert (await app.gone())["code"] == 1000, "the end comes through ASGI"


async def test_who_listens_hears_nothing_that_comes_behind_a_close() -> None:
    app = Listening()
    async with raw(app) as (reader, writer, protocol):
        writer.write(MESSAGE * 3)
        await eventually(lambda: len(app.waiting) == 3)
        protocol.close(4102, "idle")
        assert await reader.readexactly(8) == b"\x88\x06\x10\x06idle"
        writer.write(MESSAGE + b"\x88\x82\0\0\0\0\x03\xe8")
        assert (await app.gone())["code"] == 4102
        await eventually(lambda: protocol.disconnected)
        assert len(app.waiting) == 3


async def test_a_fault_of_who_listens_costs_that_socket_alone(
    caplog: pytest.LogCaptureFixture,
) -> None:
    app = Listening()
    async with raw(app) as (_, writer, protocol):
        writer.write(b"\x82\x85\0\0\0\0fault" + MESSAGE)
        await eventually(lambda: len(app.waiting) == 2)
        app.waiting.popleft()()
        await eventually(lambda: protocol.disconnected)
        assert [record.message for record in caplog.records] == ["message_fault"]


async def test_text_that_is_none_ends_the_socket_and_fills_no_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    app = Listening()
    async with raw(app) as (reader, _, protocol):
        protocol.data_received(b"\x81\x81\0\0\0\0\xff" + MESSAGE)
        assert await reader.readexactly(4) == b"\x88\x02\x03\xef", "1007"
        assert (await app.gone())["code"] == 1007
        await eventually(lambda: protocol.disconnected)
        assert (list(app.waiting), caplog.records) == ([], [])


async def test_nothing_is_kept_of_the_upgrade() -> None:
    app = App()
    async with serving(app) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(HANDSHAKE.replace(b"/ ", b"/?" + b"x" * 7_000 + b" ", 1) + KEY)
        writer.write(b"Cookie: " + b"x" * 7_000 + b"\r\n\r\n")
        await reader.readuntil(b"\r\n\r\n")
        protocol = await app.protocol()
        assert (protocol.scope["headers"], protocol.scope["query_string"]) == ([], b"")
        assert not hasattr(protocol, "request")
        writer.close()


async def test_behind_a_close_few_messages_are_borne() -> None:
    async with raw(App()) as (reader, writer, protocol):
        protocol.limits = GatewayLimits(idle_frames_at_once=20)
        protocol.close(4102, "idle")
        writer.write(MESSAGE * 20)
        assert await reader.readexactly(8) == b"\x88\x06\x10\x06idle"
        assert not protocol.disconnected
        writer.write(MESSAGE * 10)
        await eventually(lambda: protocol.disconnected)


@pytest.mark.parametrize(
    ("header", "status"),
    [(b"X: " + b"x" * 9_000, b"431"), (b"X: x\r\n" * 130 + b"X: x", b"431")],
)
async def test_an_upgrade_that_cannot_be_read_is_answered(header: bytes, status: bytes) -> None:
    app = App()
    async with serving(app) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(HANDSHAKE + KEY + header + b"\r\n\r\n")
        assert (await reader.readline()).startswith(b"HTTP/1.1 " + status)
        async with asyncio.timeout(5):
            await reader.read()
        writer.close()
    assert app.sockets.empty()


async def test_a_handshake_that_is_refused_has_no_door() -> None:
    app = App()
    async with serving(app) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(HANDSHAKE + b"\r\n")
        assert (await reader.readline()).startswith(b"HTTP/1.1 400")
        writer.close()
    assert app.sockets.empty()


async def test_with_compression_frames_go_through_asgi() -> None:
    app = App()
    async with (
        serving(app, ws_per_message_deflate=True) as port,
        connect(f"ws://127.0.0.1:{port}/") as client,
    ):
        websocket = await app.sockets.get()
        assert FanoutProtocol.EXTENSION not in websocket.scope["extensions"]
        outlet: Outlet = outlet_for(websocket, GatewayLimits())
        assert isinstance(outlet, QueuedOutlet)
        outlet.send(Packet(b"x" * 10_000, True))
        outlet.send(Packet(b"\x00" * 10_000, False))
        outlet.close(4002, "replaced")
        assert await client.recv() == "x" * 10_000
        assert await client.recv() == b"\x00" * 10_000
        assert await closed(client) == (4002, "replaced")


async def test_another_protocol_of_uvicorn_offers_no_door() -> None:
    app = App()
    async with serving(app, ws="websockets-sansio") as port, dial(port) as client:
        outlet = outlet_for(await app.sockets.get(), GatewayLimits())
        assert isinstance(outlet, QueuedOutlet)
        outlet.send(Packet(b"all the same", True))
        assert await client.recv() == "all the same"
