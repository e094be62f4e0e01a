"""The outermost door; and what it rests on in uvicorn: if any of it moves, this says so, loudly."""

import asyncio
import logging
from collections import Counter
from contextlib import suppress
from functools import partial
from random import Random
from typing import Any, cast

import pytest
import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState
from websockets.asyncio.client import connect

from saleroom_server.addresses import payer
from saleroom_server.door import Door, DoorLimits, GuardedProtocol
from saleroom_server.gateway.fanout import FanoutProtocol
from saleroom_server.metrics import Metrics
from tests.support.hand_clock import HandClock, quiet
from tests.support.loopback import serving

WHOLE = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
HEAD = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n"
CHUNKED = b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
UPGRADE = (
    b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)
ODD = [
    b"CONNECT a:1 HTTP/1.1\r\n\r\n",
    b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
    b"GET /%ff%00?a=%zz HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"GET http://x:99999/ HTTP/1.1\r\n\r\n",
    b"OPTIONS * HTTP/1.1\r\n\r\n",
]
LIMITS = DoorLimits(request_ms=10_000, unread_ms=20_000)


class Wire(asyncio.Transport):
    """A connection in memory; what lies unread keeps it from closing."""

    def __init__(self, host: str) -> None:
        super().__init__({"peername": (host, 1), "sockname": ("127.0.0.1", 2)})
        self.protocol: asyncio.BaseProtocol | None = None
        self.sent = b""
        self.closing = self.aborted = self.paused = False

    def write(self, data: Any) -> None:
        self.sent += data

    def close(self) -> None:
        self.closing = True

    def abort(self) -> None:
        self.closing = self.aborted = True

    def is_closing(self) -> bool:
        return self.closing

    def get_protocol(self) -> asyncio.BaseProtocol:
        assert self.protocol is not None
        return self.protocol

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        self.protocol = protocol

    def pause_reading(self) -> None:
        self.paused = True

    def resume_reading(self) -> None:
        self.paused = False

    def get_write_buffer_size(self) -> int:
        return 0


class House:
    """A door, and an application behind it that answers when it is let."""

    def __init__(self, limits: DoorLimits = LIMITS, most: int = 100, proxies: str = "") -> None:
        self.clock = HandClock()
        self.metrics = Metrics()
        turned_away = self.metrics.connections_turned_away
        self.door = Door(self.clock, limits, most, proxies, turned_away)
        self.answers = asyncio.Event()
        self.answers.set()
        self.asked: list[bytes] = []
        self.heard: list[str | None] = []
        self.config = uvicorn.Config(
            self, http=self.protocol, ws=FanoutProtocol, lifespan="off", log_config=None
        )

    @property
    def protocol(self) -> Any:
        return partial(GuardedProtocol, self.door)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.accept"})
            while (event := await receive())["type"] != "websocket.disconnect":
                if event["type"] == "websocket.receive":
                    self.heard.append(event.get("text"))
            return
        body = b""
        while (event := await receive())["type"] == "http.request":
            body += event["body"]
            if not event["more_body"]:
                break
        await self.answers.wait()
        self.asked.append(body)
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})

    def connects(self, host: str = "192.0.2.1") -> Wire:
        wire = Wire(host)
        protocol = self.protocol(config=self.config, server_state=ServerState(), app_state={})
        wire.set_protocol(protocol)
        protocol.connection_made(wire)
        return wire

    async def gets(self, wire: Wire, data: bytes) -> None:
        cast(Any, wire.protocol).data_received(data)
        await quiet()

    def loses(self, wire: Wire) -> None:
        cast(Any, wire.protocol).connection_lost(ConnectionResetError())

    async def waits(self, ms: int) -> None:
        await self.clock.passes(ms)
        await self.door.sweep()


async def test_the_names_we_use_are_there_and_those_we_add_are_not() -> None:
    house = House()
    plain = HttpToolsProtocol(house.config, ServerState(), {})
    plain.connection_made(Wire("192.0.2.1"))
    assert plain.client == ("192.0.2.1", 1)
    assert len(plain.pipeline) == 0
    overridden = {
        *("connection_made", "connection_lost", "data_received", "pause_writing"),
        *("on_message_begin", "on_header", "on_body", "on_message_complete"),
        *("handle_websocket_upgrade", "resume_writing", "_start_asgi_task"),
    }
    assert overridden | {"send_400_response"} <= vars(HttpToolsProtocol).keys()
    taken = {"_door", "_bare_bytes", "_upgrading", "_answering", "_read", "_hand_over"} & set(
        dir(plain)
    )
    assert not taken, "uvicorn has something of its own under a name of ours"


# How long


@pytest.mark.parametrize(
    "begun", [b"", WHOLE[:1], WHOLE[:-2], HEAD, HEAD + b"1234", WHOLE + WHOLE[:20]]
)
async def test_who_does_not_send_a_whole_request_in_time_is_hung_up_on(begun: bytes) -> None:
    house = House()
    wire = house.connects()
    await house.gets(wire, begun)
    await house.waits(LIMITS.request_ms - 1)
    assert not wire.aborted
    await house.waits(1)
    assert wire.aborted


@pytest.mark.parametrize("slowly", [HEAD + b"12345", WHOLE + b"\r\n" * 20])
async def test_time_is_not_won_by_sending_a_little_now_and_then(slowly: bytes) -> None:
    house = House()
    wire, sent = house.connects(), 0
    await house.gets(wire, slowly[: len(WHOLE)])
    for byte in slowly[len(WHOLE) :]:
        await house.gets(wire, bytes([byte]))
        await house.waits(900)
        sent += 1
        if wire.aborted:
            break
    assert 11 <= sent <= 13


async def test_who_has_sent_a_request_waits_for_its_answer_as_long_as_that_takes() -> None:
    house = House()
    house.answers.clear()
    wire = house.connects()
    await house.gets(wire, HEAD + b"12345")
    await house.waits(1_000_000)
    house.answers.set()
    await quiet()
    assert (house.asked, wire.aborted) == ([b"12345"], False)
    assert wire.sent.startswith(b"HTTP/1.1 204")
    await house.gets(wire, HEAD)
    await house.waits(LIMITS.request_ms)
    assert wire.aborted, "the next request has its own time"


async def test_who_leaves_a_response_unread_is_hung_up_on() -> None:
    house = House()
    wires = [house.connects() for _ in range(2)]
    for wire in wires:
        await house.gets(wire, WHOLE)
        cast(Any, wire.protocol).pause_writing()
    await house.waits(LIMITS.unread_ms - 1)
    cast(Any, wires[0].protocol).resume_writing()
    await house.waits(1)
    assert [wire.aborted for wire in wires] == [False, True]


async def test_a_connection_that_is_closed_but_for_what_lies_unread_does_not_stay() -> None:
    house = House()
    http, socket = house.connects(), house.connects()
    await house.gets(http, WHOLE)
    await house.gets(socket, UPGRADE)
    for wire in (http, socket):
        wire.close()
    await house.waits(0)
    await house.waits(LIMITS.unread_ms - 1)
    assert [http.aborted, socket.aborted] == [False, False]
    await house.waits(1)
    assert [http.aborted, socket.aborted] == [True, True]


# How many


async def test_an_address_has_so_many_connections_and_others_have_theirs() -> None:
    house = House(DoorLimits(connections_per_address=2))
    wires = [house.connects() for _ in range(3)]
    assert [wire.aborted for wire in wires] == [False, False, True]
    assert not house.connects("192.0.2.2").aborted
    house.loses(wires[2])
    assert house.connects().aborted, "what was not let in makes no room"
    house.loses(wires[0])
    assert not house.connects().aborted
    assert house.connects().aborted


async def test_a_network_of_ipv6_is_one_address_and_a_mapped_one_is_its_ipv4() -> None:
    house = House(DoorLimits(connections_per_address=1))
    assert not house.connects("2001:db8:0:1::1").aborted
    assert house.connects("2001:db8:0:1:ffff::2").aborted
    assert not house.connects("2001:db8:0:2::1").aborted
    assert not house.connects("::ffff:192.0.2.1").aborted
    assert house.connects("192.0.2.1").aborted


@pytest.mark.parametrize(
    ("proxies", "host", "many"),
    [
        ("192.0.2.0/24, 2001:db8::1", "192.0.2.7", True),
        ("192.0.2.0/24, 2001:db8::1", "::ffff:192.0.2.7", True),
        ("192.0.2.0/24, 2001:db8::1", "2001:db8::1", True),
        ("192.0.2.0/24, 2001:db8::1", "2001:db8::2", False),
        ("192.0.2.0/24", "", True),
        ("*", "198.51.100.1", True),
        ("", "198.51.100.1", False),
    ],
)
async def test_a_trusted_proxy_may_have_any_number(proxies: str, host: str, many: bool) -> None:
    house = House(DoorLimits(connections_per_address=1), proxies=proxies)
    wires = [house.connects(host) for _ in range(5)]
    assert [wire.aborted for wire in wires[1:]] == [not many] * 4


async def test_in_all_there_are_so_many_connections_sockets_and_proxies_too() -> None:
    house = House(most=2, proxies="192.0.2.1")
    first, second = house.connects(), house.connects("192.0.2.2")
    await house.gets(second, UPGRADE)
    assert house.connects("192.0.2.3").aborted
    assert house.connects().aborted
    house.loses(second)
    assert not house.connects("192.0.2.3").aborted
    assert (len(house.door), first.aborted) == (2, False)


async def test_a_socket_is_counted_until_it_is_lost_and_has_no_time_to_keep() -> None:
    house = House(DoorLimits(connections_per_address=1))
    wire = house.connects()
    await house.gets(wire, UPGRADE)
    assert wire.sent.startswith(b"HTTP/1.1 101")
    await house.waits(1_000_000)
    assert not wire.aborted
    assert house.connects().aborted
    house.loses(wire)
    assert not house.connects().aborted


async def test_the_count_is_that_of_a_recount_whatever_happens() -> None:
    luck = Random(1)
    house = House(DoorLimits(connections_per_address=4), most=9)
    there: list[tuple[str, Wire]] = []
    for _ in range(500):
        host = luck.choice(["192.0.2.1", "192.0.2.2", "2001:db8::1"])
        wire = house.connects(host)
        there.append((host, wire))
        what = luck.choice([WHOLE, UPGRADE, b"rubbish\r\n\r\n", UPGRADE[:-20] + b"\r\n\r\n", b""])
        if not wire.is_closing():
            await house.gets(wire, what)
        luck.shuffle(there)
        while len(there) > luck.randrange(20):
            house.loses(there.pop()[1])
        held = [host for host, wire in there if wire in house.door._held]
        assert len(house.door) == len(held) <= 9
        assert house.door._by_address == Counter(payer(host) for host in held)
    for _, wire in there:
        house.loses(wire)
    assert not house.door._held
    assert not house.door._by_address
    assert not any(owing._since for owing in (house.door._asking, house.door._leaving))


# How much


@pytest.mark.parametrize(
    "endless",
    [
        pytest.param(b"GET /" + b"x" * 1_000_000, id="an address"),
        pytest.param(b"GET / HTTP/1.1\r\nX: " + b"x" * 1_000_000, id="a header"),
        pytest.param(b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 100_000, id="headers"),
        pytest.param(WHOLE[:-2] + b"X: y\r\n" * 101 + b"\r\n", id="one header too many"),
        pytest.param(b"\r\n" * 100_000, id="empty lines"),
        pytest.param(CHUNKED + b"0\r\nX: " + b"x" * 1_000_000, id="a trailer"),
        pytest.param(CHUNKED + b"0\r\n" + b"X: y\r\n" * 100_000, id="trailers"),
        pytest.param(CHUNKED + b"1;x=" + b"x" * 1_000_000, id="an extension of a chunk"),
    ],
)
async def test_an_endless_head_is_answered_before_it_ends(endless: bytes) -> None:
    house = House()
    wire = house.connects()
    await house.gets(wire, endless)
    assert wire.sent.startswith(b"HTTP/1.1 400")
    assert (wire.closing, house.asked) == (True, [])
    assert cast(Any, wire.protocol)._bare_bytes <= LIMITS.head_bytes + 1024


async def test_a_head_and_a_body_of_some_length_are_taken() -> None:
    house = House()
    wire = house.connects()
    many = b"POST /" + b"x" * 8_000 + b" HTTP/1.1\r\nContent-Length: 40000\r\nX: " + b"y" * 8_000
    await house.gets(wire, many + b"\r\n\r\n" + b"z" * 40_000 + WHOLE)
    for _ in range(40):
        await house.gets(wire, CHUNKED + b"400\r\n" + b"z" * 1_024 + b"\r\n0\r\n\r\n")
    assert house.asked == [b"z" * 40_000, b""] + [b"z" * 1_024] * 40


async def test_who_sends_many_requests_before_the_first_is_answered_is_hung_up_on() -> None:
    house = House()
    house.answers.clear()
    polite, rude = house.connects(), house.connects()
    await house.gets(polite, WHOLE * (1 + LIMITS.pipelined))
    await house.gets(rude, WHOLE * 50_000)
    assert (polite.aborted, rude.aborted) == (False, True)
    assert len(cast(Any, rude.protocol).pipeline) < 100
    house.loses(rude)
    house.answers.set()
    await quiet()
    assert polite.sent.count(b"HTTP/1.1 204") == 1 + LIMITS.pipelined


class Streams(House):
    """Answers nothing, and waits for each client to go."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self.heard.append(scope["path"])
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})


@pytest.mark.parametrize("behind", [b"", WHOLE, WHOLE + HEAD])
async def test_a_request_hears_that_its_client_has_gone_whatever_came_behind_it(
    behind: bytes,
) -> None:
    house = Streams()
    wire = house.connects()
    await house.gets(wire, WHOLE + behind)
    house.loses(wire)
    await quiet()
    assert len(house.heard) == 1
    assert wire.sent == b"", "nothing is written to a line that is lost"


async def test_of_sockets_that_are_opened_in_one_instant_a_few_are_in_each_turn() -> None:
    house = House(DoorLimits(requests_per_turn=2))
    wires = [house.connects() for _ in range(5)]
    for wire in wires:
        cast(Any, wire.protocol).data_received(UPGRADE)
    house.loses(wires[3])
    wires[3].closing = True
    upgraded = []
    for _ in range(4):
        upgraded.append([isinstance(wire.protocol, FanoutProtocol) for wire in wires])
        await asyncio.sleep(0)
    assert [turn.count(True) for turn in upgraded] == [2, 3, 4, 4]
    assert not upgraded[-1][3], "who has gone is not upgraded"
    await quiet()
    assert all(wire.sent.startswith(b"HTTP/1.1 101") for wire in wires if not wire.closing)


async def test_what_comes_right_behind_an_upgrade_waits_until_that_is_accepted() -> None:
    house = House()
    early, broken = house.connects(), house.connects()
    for wire, frames in ((early, b"\x81\x81\0\0\0\0x"), (broken, b"\xff\xff\xff\xff")):
        cast(Any, wire.protocol).data_received(UPGRADE)
        cast(Any, wire.protocol).data_received(frames)
    await quiet()
    assert house.heard == ["x"]
    assert broken.sent.startswith(b"HTTP/1.1 101")
    assert b"\x03\xea" in broken.sent, "1002"
    assert (early.closing, broken.closing) == (False, True)


@pytest.mark.parametrize("seed", range(4))
async def test_whatever_is_sent_nothing_is_raised_and_nothing_is_left(
    seed: int, caplog: pytest.LogCaptureFixture
) -> None:
    luck, house = Random(seed), House(DoorLimits(connections_per_address=1_000), most=1_000)
    sendings = [WHOLE, HEAD + b"12345", UPGRADE, UPGRADE + b"\x81\x81\0\0\0\0x" * 3, *ODD]
    for _ in range(250):
        data = bytearray(luck.choice(sendings) + luck.choice([b"", *sendings]))
        for _ in range(luck.choice([0, 1, 2, 5])):
            place = luck.randrange(len(data))
            data[place : place + luck.randrange(3)] = luck.randbytes(luck.randrange(3))
        wire, cut = house.connects(), luck.randrange(len(data) + 1)
        for part in (data[:cut], data[cut:]):
            if not wire.is_closing():
                await house.gets(wire, bytes(part))
        house.loses(wire)
    await quiet()
    assert len(house.door) == 0
    assert [record for record in caplog.records if record.levelno > logging.WARNING] == []


async def test_who_is_turned_away_is_told_of_in_one_line(
    caplog: pytest.LogCaptureFixture,
) -> None:
    house = House(DoorLimits(connections_per_address=3), most=4)
    wires = [house.connects() for _ in range(9)] + [house.connects("192.0.2.2") for _ in range(3)]
    await house.gets(wires[0], WHOLE)
    await house.gets(wires[1], WHOLE)
    await house.waits(10_000)
    told = "too_many_of_address=6 too_many=2 request_late=2"
    assert caplog.messages == ["connections_turned_away"]
    assert [record.__dict__["reasons"] for record in caplog.records] == [told]
    counted = house.metrics.registry.get_sample_value(
        "saleroom_connections_turned_away_total", {"reason": "too_many"}
    )
    assert counted == 2
    await house.waits(0)
    caplog.clear()
    for wire in wires:
        house.loses(wire)
    await house.waits(0)
    assert caplog.messages == []


async def test_over_a_real_connection_too() -> None:
    house = House()
    async with serving(house, http=house.protocol) as port:
        async with connect(f"ws://127.0.0.1:{port}/", compression=None) as client:
            await client.send("x")
            assert len(house.door) == 1
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(WHOLE)
        assert (await reader.readline()).startswith(b"HTTP/1.1 204")
        assert len(house.door) == 1
        writer.write(WHOLE[:9])
        await asyncio.sleep(0)
        while not house.door._asking._since:  # noqa: ASYNC110, for nothing will say so
            await asyncio.sleep(0)
        await house.waits(LIMITS.request_ms)
        with suppress(ConnectionError):
            assert b"HTTP" not in await reader.read()
        writer.close()
    assert len(house.door) == 0
