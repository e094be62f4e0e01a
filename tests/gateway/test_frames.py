"""Hello first, and frames that cannot be answered. PROTOCOL.md, "Frames"."""

import json
from typing import Any

import msgpack
import msgspec
import pytest

from saleroom_protocol.codec import JSON, MSGPACK, Codec
from saleroom_protocol.errors import CloseCode
from saleroom_protocol.limits import Limits
from saleroom_server.gateway.limits import GatewayLimits
from tests.gateway.violations import assert_violated
from tests.support.nodes import DAY_MS, PEOPLE, Node

LIMITS = GatewayLimits()
CODECS = pytest.mark.parametrize("codec", [MSGPACK, JSON], ids=["msgpack", "json"])


# Hello


@CODECS
async def test_hello_is_answered_by_welcome_which_tells_the_limits(
    node: Node, codec: Codec
) -> None:
    welcome = node.socket(codec).greets(PEOPLE[0])
    server = welcome.pop("server")
    assert server.startswith("saleroom/")
    assert welcome == {
        "type": "welcome",
        "player": PEOPLE[0].player,
        "name": PEOPLE[0].name,
        "protocol": 1,
        "now": node.clock.now(),
        "features": [],
        "heartbeat_ms": LIMITS.heartbeat_ms,
        "silence_ms": LIMITS.silence_ms,
        "limits": msgspec.structs.asdict(Limits()),
    }


async def test_the_limits_told_are_those_in_force() -> None:
    limits = Limits(client_message_bytes=200, hello_ms=100)
    node = await Node(limits=limits, gateway=GatewayLimits(heartbeat_ms=7, silence_ms=9)).opens()
    socket = node.socket()
    welcome = socket.greets()
    assert welcome["limits"] == msgspec.structs.asdict(limits)
    assert (welcome["heartbeat_ms"], welcome["silence_ms"]) == (7, 9)
    socket.asks("ping", "x" * 64, pad=msgpack.packb("y" * 300))
    assert_violated(socket, CloseCode.MESSAGE_TOO_BIG)
    await node.closes()


async def test_hello_without_a_token_is_nobody_in_particular(node: Node) -> None:
    welcome = node.socket().greets()
    assert "player" not in welcome
    assert "name" not in welcome


async def test_hello_may_have_fields_of_a_later_version(node: Node) -> None:
    node.socket().greets(PEOPLE[0], later={"deep": [1]}, checks=False)


@pytest.mark.parametrize(
    "token",
    ["", "x", "a.b", "....", "é.ü", "\u0000", "x" * 2048, "A" * 60 + "." + "A" * 43],
)
async def test_a_wrong_token_closes(node: Node, token: str) -> None:
    socket = node.socket()
    socket.says(type="hello", client="tests/1.0", token=token)
    assert_violated(socket, CloseCode.BAD_TOKEN)
    assert [message["type"] for message in socket.messages] == ["error"]


async def test_a_token_that_is_too_old_closes(node: Node) -> None:
    token = node.token(PEOPLE[0])
    await node.clock.passes(DAY_MS - 1)
    good, bad = node.socket(), node.socket()
    good.says(type="hello", client="tests/1.0", token=token)
    assert good.last["type"] == "welcome"
    await node.clock.passes(1)
    bad.says(type="hello", client="tests/1.0", token=token)
    assert_violated(bad, CloseCode.BAD_TOKEN)


async def test_a_name_of_any_language_is_told_as_it_is(node: Node) -> None:
    caller = msgspec.structs.replace(PEOPLE[0], name="Zoë 千代 🎨")
    assert node.socket().greets(caller)["name"] == "Zoë 千代 🎨"


async def test_requests_may_follow_hello_at_once_but_not_come_before_it(node: Node) -> None:
    socket = node.socket()
    socket.says(type="ping", id="1")
    assert_violated(socket, CloseCode.PROTOCOL_VIOLATION)


async def test_a_second_hello_is_one_too_many(node: Node) -> None:
    socket = node.greeted(PEOPLE[0])
    socket.says(type="hello", client="tests/1.0")
    assert_violated(socket, CloseCode.PROTOCOL_VIOLATION)


async def test_a_first_message_that_could_be_refused_closes_all_the_same(node: Node) -> None:
    socket = node.socket()
    socket.says(type="hello", id="1")
    assert_violated(socket, CloseCode.PROTOCOL_VIOLATION)


async def test_without_hello_in_time_the_socket_is_closed(node: Node) -> None:
    socket = node.socket()
    await node.clock.passes(Limits().hello_ms - 1)
    node.sweeps()
    assert not socket.closed
    await node.clock.passes(1)
    node.sweeps()
    assert (socket.closed, socket.messages) == (CloseCode.IDLE, [])


# Frames that cannot be answered


def deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


UNANSWERABLE: list[Any] = [
    [],
    "text",
    17,
    None,
    {},
    {"type": "ping"},
    {"type": "ping", "id": ""},
    {"type": "ping", "id": None},
    {"type": "ping", "id": 7},
    {"type": "ping", "id": "x" * 65},
    {"type": "act", "room": "r", "action": {}},
    {"type": "unheard of"},
    {"type": "ping", "id": "1", "pad": deep(9)},
    {"type": "ping", "id": "1", "pad": [0] * 257},
    {"type": "ping", "id": "1", "pad": {str(number): 0 for number in range(257)}},
    {"type": "ping", "id": "1", "pad": [[0] * 250] * 9},
]


@CODECS
@pytest.mark.parametrize("message", UNANSWERABLE, ids=range(len(UNANSWERABLE)))
async def test_a_frame_that_cannot_be_answered_closes(
    node: Node, codec: Codec, message: Any
) -> None:
    socket = node.greeted(PEOPLE[0], codec)
    socket.sends(json.dumps(message).encode() if codec.text else msgpack.packb(message))
    assert_violated(socket, CloseCode.PROTOCOL_VIOLATION)


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b"\xc1",
        b"\x81\xa4type\xa4ping" * 2,
        b"\x82\xa4type\xa4ping\xa2id",
        b"\xdd\xff\xff\xff\xff",
        b"\x91" * 5_000,
        b"\x82\xa4type\xa4ping\xa2id\xa2\xff\xfe",
    ],
)
async def test_garbage_closes(node: Node, frame: bytes) -> None:
    socket = node.greeted(PEOPLE[0])
    socket.sends(frame)
    assert_violated(socket, CloseCode.PROTOCOL_VIOLATION)


async def test_an_action_that_is_not_text_where_it_should_be_closes(node: Node) -> None:
    table = await node.plays()
    socket = table.asked
    head = b"\x85\xa4type\xa3act\xa2id\xa11\xa4room\xad" + table.room.encode()
    socket.sends(head + b"\xa6window\x01\xa6action\x81\xa2do\xa2\xff\xfe")
    assert_violated(socket, CloseCode.PROTOCOL_VIOLATION)


@pytest.mark.parametrize("frame", [b"", b"{", b'{"type": "ping", "id": "1"}}', b"\xff\xfe", b"]["])
async def test_text_that_is_no_json_closes(node: Node, frame: bytes) -> None:
    socket = node.greeted(PEOPLE[0], JSON)
    socket.sends(frame)
    assert_violated(socket, CloseCode.PROTOCOL_VIOLATION)


@CODECS
async def test_a_frame_of_the_other_kind_closes(node: Node, codec: Codec) -> None:
    socket = node.greeted(PEOPLE[0], codec)
    socket.sends(b"{}", not codec.text)
    assert_violated(socket, CloseCode.PROTOCOL_VIOLATION)


@CODECS
async def test_a_frame_that_is_too_large_closes_with_a_code_of_its_own(
    node: Node, codec: Codec
) -> None:
    socket = node.greeted(PEOPLE[0], codec)
    socket.asks("ping", pad="x" * 16_384)
    assert_violated(socket, CloseCode.MESSAGE_TOO_BIG)
