"""Frames of both subprotocols: what is read, what is refused, and what cannot be answered."""

from collections.abc import Callable
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec import Raw

from saleroom_protocol.codec import CODECS, JSON, MSGPACK, Codec, Unacceptable
from saleroom_protocol.errors import CloseCode, ProtocolViolation, Reason
from saleroom_protocol.games.kunstmarkt import AnyAction, Buy, DrawCustomer, Offer
from saleroom_protocol.limits import Limits
from saleroom_protocol.messages import (
    Accepted,
    Act,
    ClientMessage,
    ClientPing,
    ClientPong,
    Closing,
    Cursor,
    Error,
    Hello,
    Join,
    Joined,
    Leave,
    Left,
    Refused,
    ResumeCursor,
    Said,
    Say,
    ServerMessage,
    ServerPing,
    ServerPong,
    Speaker,
    Update,
    View,
    Welcome,
)
from tests.support.documents import documents, keys, values

LIMITS = Limits()
WIDE = Limits(message_depth=100, client_message_bytes=2**20, message_values=2**20)
KUNSTMARKT: Any = AnyAction
GREATEST = 2**53 - 1

each_codec = pytest.mark.parametrize("codec", [MSGPACK, JSON], ids=["msgpack", "json"])
codecs = st.sampled_from([MSGPACK, JSON])

JOIN = {"type": "join", "id": "a", "room": "r", "as": "player"}
ACT = {"type": "act", "id": "a", "room": "r", "window": 17, "action": {"do": "draw_customer"}}
SAY = {"type": "say", "id": "a", "room": "r", "to": "table", "text": "hm"}


def read(codec: Codec, message: Any) -> Any:
    frame = message if isinstance(message, bytes) else codec.encode(message)
    return codec.read_request(frame, LIMITS)


def violation(codec: Codec, message: Any) -> ProtocolViolation:
    with pytest.raises(ProtocolViolation) as caught:
        read(codec, message)
    assert str(caught.value) == caught.value.message != ""
    return caught.value


def outcome(reading: Callable[..., Any], *given: Any) -> Any:
    """Return what was read, or the violation."""
    try:
        return reading(*given)
    except ProtocolViolation as problem:
        return problem


def assert_refused(codec: Codec, message: Any, reason: Reason, field: str) -> None:
    refused = read(codec, message)
    assert isinstance(refused, Refused)
    assert refused.id == "a"
    assert refused.reason == reason
    assert refused.facts == {"field": field}
    assert refused.message


def test_the_codecs_are_known_by_their_subprotocol() -> None:
    assert CODECS == {"saleroom.v1.msgpack": MSGPACK, "saleroom.v1.json": JSON}
    assert (MSGPACK.text, JSON.text) == (False, True)


# What is read

REQUESTS = [
    ({"type": "hello", "client": "stranger/1"}, Hello(client="stranger/1")),
    (
        {"type": "hello", "client": "c", "token": "t", "checks": True},
        Hello(client="c", token="t", checks=True),
    ),
    (JOIN, Join(id="a", room="r", as_="player")),
    (
        JOIN
        | {"as": "spectator", "cursor": {"epoch": "e", "seq": GREATEST}, "watch": "w"}
        | {"said_after": 0},
        Join(
            id="a",
            room="r",
            as_="spectator",
            cursor=ResumeCursor(epoch="e", seq=GREATEST),
            watch="w",
            said_after=0,
        ),
    ),
    ({"type": "leave", "id": "a", "room": "r"}, Leave(id="a", room="r")),
    (SAY, Say(id="a", room="r", to="table", text="hm")),
    (SAY | {"to": 0, "text": "ü" * 500}, Say(id="a", room="r", to=0, text="ü" * 500)),
    ({"type": "ping", "id": "x" * 64}, ClientPing(id="x" * 64)),
    ({"type": "ping", "id": "ü" * 64}, ClientPing(id="ü" * 64)),
    ({"type": "pong"}, ClientPong()),
]


@each_codec
@pytest.mark.parametrize(("written", "message"), REQUESTS)
def test_a_request_is_read_as_its_message(
    codec: Codec, written: dict[str, Any], message: ClientMessage
) -> None:
    assert read(codec, written) == message
    assert read(codec, message) == message


def test_every_request_but_act_is_read_above() -> None:
    assert {type(message) for _, message in REQUESTS} | {Act} == set(get_args(ClientMessage))


@each_codec
def test_an_act_keeps_its_action_for_later(codec: Codec) -> None:
    act = read(codec, ACT)
    assert isinstance(act, Act)
    assert (act.id, act.room, act.window) == ("a", "r", 17)
    assert codec.read_action(act.action, KUNSTMARKT) == DrawCustomer()


@each_codec
def test_an_act_without_a_window_is_read(codec: Codec) -> None:
    act = read(codec, {key: value for key, value in ACT.items() if key != "window"})
    assert isinstance(act, Act)
    assert act.window is msgspec.UNSET


@each_codec
def test_the_order_of_fields_does_not_matter(codec: Codec) -> None:
    assert read(codec, dict(reversed(JOIN.items()))) == read(codec, JOIN)


@example({}, {"token": []})
@given(documents, st.dictionaries(keys, values, max_size=3))
def test_both_codecs_read_the_same(action: dict[str, Any], more: dict[str, Any]) -> None:
    for request in (more | {"type": "hello", "client": "c"}, more | JOIN, more | SAY):
        packed, written = (
            outcome(codec.read_request, codec.encode(request), WIDE) for codec in (MSGPACK, JSON)
        )
        if isinstance(packed, ProtocolViolation):
            assert isinstance(written, ProtocolViolation)
            assert (packed.code, packed.message) == (written.code, written.message)
        else:
            assert packed == written
    for codec in (MSGPACK, JSON):
        act = codec.read_request(codec.encode(ACT | {"action": action}), WIDE)
        assert isinstance(act, Act)
        assert codec.read_action(act.action, dict) == action


@each_codec
def test_a_part_can_be_encoded_once_and_spliced_in(codec: Codec) -> None:
    action = codec.raw(Buy("p01"))
    frame = codec.encode(Act(id="a", room="r", action=action))
    assert frame == codec.encode(
        {"type": "act", "id": "a", "room": "r", "action": {"do": "buy", "picture": "p01"}}
    )
    assert codec.read_action(read(codec, frame).action, KUNSTMARKT) == Buy("p01")


@each_codec
def test_hello_ignores_fields_it_does_not_know(codec: Codec) -> None:
    hello = {"type": "hello", "client": "c", "id": "a", "later": {"x": [1, 2.5, None]}}
    assert read(codec, hello) == Hello(client="c")


# What is refused


@each_codec
@pytest.mark.parametrize(
    ("message", "field"),
    [
        (JOIN | {"later": 1}, "later"),
        (JOIN | {"as_": "player"}, "as_"),
        (JOIN | {"cursor": {"epoch": "e", "seq": 1, "later": 2}}, "cursor.later"),
        ({"type": "leave", "id": "a", "room": "r", "seat": 1}, "seat"),
        (ACT | {"seat": None}, "seat"),
        (SAY | {"from": {"seat": 1}}, "from"),
        ({"type": "ping", "id": "a", "now": 1}, "now"),
        ({"type": "pong", "id": "a"}, "id"),
    ],
)
def test_an_unknown_field_is_refused_with_its_path(
    codec: Codec, message: dict[str, Any], field: str
) -> None:
    assert_refused(codec, message, Reason.UNKNOWN_FIELD, field)


@each_codec
@pytest.mark.parametrize(
    ("message", "field"),
    [
        (JOIN | {"room": 3}, "room"),
        (JOIN | {"room": "r" * 65}, "room"),
        (JOIN | {"as": "host"}, "as"),
        (JOIN | {"cursor": None}, "cursor"),
        (JOIN | {"cursor": "e.1"}, "cursor"),
        (JOIN | {"cursor": {"epoch": "e", "seq": "1"}}, "cursor.seq"),
        (JOIN | {"cursor": {"epoch": "e", "seq": -1}}, "cursor.seq"),
        (JOIN | {"cursor": {"epoch": 1, "seq": 1}}, "cursor.epoch"),
        (JOIN | {"cursor": {"epoch": "e" * 65, "seq": 1}}, "cursor.epoch"),
        (JOIN | {"watch": "w" * 101}, "watch"),
        (JOIN | {"said_after": []}, "said_after"),
        (ACT | {"window": True}, "window"),
        (ACT | {"window": 17.0}, "window"),
        (ACT | {"window": 17.5}, "window"),
        (ACT | {"window": -1}, "window"),
        (ACT | {"window": GREATEST + 1}, "window"),
        (ACT | {"window": 2**64 - 1}, "window"),
        (ACT | {"window": None}, "window"),
        (SAY | {"to": "everyone"}, "to"),
        (SAY | {"to": 10}, "to"),
        (SAY | {"to": -1}, "to"),
        (SAY | {"to": True}, "to"),
        (SAY | {"to": 1.0}, "to"),
        (SAY | {"text": ""}, "text"),
        (SAY | {"text": "x" * 501}, "text"),
        (SAY | {"text": ["x"]}, "text"),
        ({"type": "hello", "id": "a", "client": ""}, "client"),
        ({"type": "hello", "id": "a", "client": "c", "checks": 1}, "checks"),
        ({"type": "hello", "id": "a", "client": "c", "token": "t" * 2049}, "token"),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused_with_its_path(
    codec: Codec, message: dict[str, Any], field: str
) -> None:
    assert_refused(codec, message, Reason.MALFORMED, field)


@each_codec
@pytest.mark.parametrize(
    ("message", "field"),
    [
        ({"type": "join", "id": "a", "room": "r"}, "as"),
        ({"type": "join", "id": "a", "as": "player"}, "room"),
        (JOIN | {"cursor": {"epoch": "e"}}, "cursor.seq"),
        ({"type": "leave", "id": "a"}, "room"),
        ({"type": "act", "id": "a", "room": "r"}, "action"),
        ({"type": "say", "id": "a", "room": "r", "to": 1}, "text"),
        ({"type": "hello", "id": "a"}, "client"),
        ({"id": "a", "room": "r"}, "type"),
    ],
)
def test_a_missing_field_is_refused_with_its_path(
    codec: Codec, message: dict[str, Any], field: str
) -> None:
    assert_refused(codec, message, Reason.MALFORMED, field)


@each_codec
@pytest.mark.parametrize("kind", ["", "Ping", "welcome", "shout", 1, None, ["ping"]])
def test_an_unknown_type_with_an_id_is_refused(codec: Codec, kind: Any) -> None:
    assert_refused(codec, {"type": kind, "id": "a"}, Reason.MALFORMED, "type")


@each_codec
@pytest.mark.parametrize(
    ("message", "reason", "field"),
    [
        ({"type": "ping", "id": "a", "x`y": 1}, Reason.UNKNOWN_FIELD, "x`y"),
        (JOIN | {"as": "x - at `$.room`"}, Reason.MALFORMED, "as"),
    ],
)
def test_a_clients_own_words_do_not_bend_the_path(
    codec: Codec, message: dict[str, Any], reason: Reason, field: str
) -> None:
    assert_refused(codec, message, reason, field)


def test_a_refusal_of_the_whole_has_no_field() -> None:
    problem = Unacceptable(Reason.MALFORMED, "", "Expected `object`, got `int`")
    assert problem.refusal("a") == Refused(
        id="a", reason="malformed", facts={}, message="Expected `object`, got `int`"
    )


@each_codec
def test_a_refusal_can_be_sent(codec: Codec) -> None:
    refused = read(codec, JOIN | {"cursor": {"epoch": "e", "seq": -1}})
    assert codec.read_told(codec.encode(refused)) == refused


# What cannot be answered


@each_codec
@pytest.mark.parametrize("kind", ["ping", "shout"])
@pytest.mark.parametrize("id_", ["", "x" * 65, 1, None, True, ["a"], {"id": "a"}, 1.5])
def test_without_a_usable_id_the_protocol_is_violated(codec: Codec, kind: str, id_: Any) -> None:
    assert violation(codec, {"type": kind, "id": id_}).code == CloseCode.PROTOCOL_VIOLATION


@each_codec
@pytest.mark.parametrize(
    "message",
    [
        {"type": "ping"},
        {"type": "shout"},
        {"type": "hello"},
        {"type": "pong", "later": 1},
        {},
        [],
        ["ping", "a"],
        "ping",
        4,
        None,
        True,
    ],
)
def test_without_any_id_the_protocol_is_violated(codec: Codec, message: Any) -> None:
    assert violation(codec, message).code == CloseCode.PROTOCOL_VIOLATION


@pytest.mark.parametrize(
    ("codec", "frame"),
    [
        (JSON, b""),
        (JSON, b"{"),
        (JSON, b'{"type":"ping","id":"a"'),
        (JSON, b'{"type":"ping","id":"a"}{}'),
        (JSON, b'{"type":"ping","id":"a",}'),
        (JSON, b"{'type':'ping','id':'a'}"),
        (JSON, b'{"type":"ping","id":"\xff"}'),
        (JSON, b'{"type":"ping","id":"\\ud800"}'),
        (JSON, b'{"type":"ping","id":"a\n"}'),
        (JSON, b'{"type":"ping","id":"a'),
        (JSON, b'\xef\xbb\xbf{"type":"ping","id":"a"}'),
        (JSON, '{"type":"ping","id":"a"}'.encode("utf-16")),
        (JSON, MSGPACK.encode({"type": "ping", "id": "a"})),
        (JSON, b"[" * 16_000),
        (MSGPACK, b""),
        (MSGPACK, b"\xc1"),
        (MSGPACK, b"\x82\xa4type\xa4ping\xa2id"),
        (MSGPACK, b"\x82\xa4type\xa4ping\xa2id\xa1a\xc0"),
        (MSGPACK, b"\x82\xa4type\xa4ping\xa2id\xa1\xff"),
        (MSGPACK, b"\x82\xa4type\xa4ping\xa2id\xc4\x01a"),
        (MSGPACK, b"\x82\xa4type\xa4ping\xa2id\xd4\x05a"),
        (MSGPACK, b"\x82\xa4type\xa4ping\xa2id\xd6\xff\x00\x00\x00\x00"),
        (MSGPACK, b"\x83\xa4type\xa4ping\xa2id\xa1a\x01\x01"),
        (MSGPACK, b"\x83\xa4type\xa4ping\xa2id\xa1a\xc4\x01b\x01"),
        (MSGPACK, b'{"type":"ping","id":"a"}'),
        (MSGPACK, b"\x91" * 16_000),
        (MSGPACK, b"\xdf\xff\xff\xff\xff"),
    ],
)
def test_what_cannot_be_read_violates_the_protocol(codec: Codec, frame: bytes) -> None:
    assert violation(codec, frame).code == CloseCode.PROTOCOL_VIOLATION


@each_codec
def test_a_frame_over_the_limit_is_too_big(codec: Codec) -> None:
    frame = codec.encode(JOIN | {"watch": "w" * 16_384})
    assert violation(codec, frame).code == CloseCode.MESSAGE_TOO_BIG


@each_codec
def test_the_limits_in_force_decide_what_is_too_big(codec: Codec) -> None:
    frame = codec.encode(JOIN)
    assert codec.read_request(frame, Limits(client_message_bytes=len(frame))) == read(codec, JOIN)
    with pytest.raises(ProtocolViolation) as caught:
        codec.read_request(frame, Limits(client_message_bytes=len(frame) - 1))
    assert caught.value.code == CloseCode.MESSAGE_TOO_BIG


@pytest.mark.parametrize(
    ("codec", "frame"),
    [
        (JSON, b'{"type":"leave","id":"a","room":"q","id":"b","room":"r"}'),
        (MSGPACK, b"\x85\xa4type\xa5leave\xa2id\xa1a\xa4room\xa1q\xa2id\xa1b\xa4room\xa1r"),
    ],
)
def test_of_a_key_that_stands_twice_the_last_one_counts(codec: Codec, frame: bytes) -> None:
    assert read(codec, frame) == Leave(id="b", room="r")


@pytest.mark.parametrize(
    ("codec", "frame"),
    [
        (JSON, b'{"type":"ping","id":"a","type":"pong"}'),
        (MSGPACK, b"\x83\xa4type\xa4ping\xa2id\xa1a\xa4type\xa4pong"),
    ],
)
def test_a_message_cannot_be_of_two_types(codec: Codec, frame: bytes) -> None:
    assert_refused(codec, frame, Reason.MALFORMED, "type")


# Actions


@each_codec
@pytest.mark.parametrize(
    ("written", "action"),
    [
        ({"do": "draw_customer"}, DrawCustomer()),
        ({"do": "buy", "picture": "p01"}, Buy("p01")),
        ({"do": "buy", "picture": "p01", "discard": "p02"}, Buy("p01", "p02")),
        ({"picture": "p03", "do": "offer"}, Offer("p03")),
    ],
)
def test_an_action_is_read_as_the_games(codec: Codec, written: Any, action: AnyAction) -> None:
    assert codec.read_action(codec.raw(written), KUNSTMARKT) == action
    assert codec.read_action(codec.raw(action), KUNSTMARKT) == action


@each_codec
@pytest.mark.parametrize(
    ("written", "reason", "field"),
    [
        ({"do": "buy", "picture": "p01", "price": 1}, Reason.UNKNOWN_FIELD, "price"),
        ({"do": "draw_customer", "customer": "c01"}, Reason.UNKNOWN_FIELD, "customer"),
        ({"do": "buy"}, Reason.MALFORMED, "picture"),
        ({"do": "buy", "picture": 1}, Reason.MALFORMED, "picture"),
        ({"do": "buy", "picture": "p01", "discard": None}, Reason.MALFORMED, "discard"),
        ({"do": "steal"}, Reason.MALFORMED, "do"),
        ({"do": 1}, Reason.MALFORMED, "do"),
        ({}, Reason.MALFORMED, "do"),
        ([], Reason.MALFORMED, ""),
        ("draw_customer", Reason.MALFORMED, ""),
        (None, Reason.MALFORMED, ""),
        (3, Reason.MALFORMED, ""),
    ],
)
def test_what_is_no_action_of_the_game_is_unacceptable(
    codec: Codec, written: Any, reason: Reason, field: str
) -> None:
    act = read(codec, ACT | {"action": written})
    assert isinstance(act, Act)
    with pytest.raises(Unacceptable) as caught:
        codec.read_action(act.action, KUNSTMARKT)
    assert (caught.value.reason, caught.value.field) == (reason, field)
    assert str(caught.value) == caught.value.message


@pytest.mark.parametrize(
    ("codec", "action"),
    [
        (JSON, b'{"do":"offer","picture":"\xff"}'),
        (MSGPACK, b"\x82\xa2do\xa5offer\xa7picture\xa1\xff"),
    ],
)
def test_an_action_that_is_not_unicode_violates_the_protocol(codec: Codec, action: bytes) -> None:
    with pytest.raises(ProtocolViolation) as caught:
        codec.read_action(Raw(action), KUNSTMARKT)
    assert caught.value.code == CloseCode.PROTOCOL_VIOLATION


# The server's messages

TOLD: list[ServerMessage] = [
    Welcome(
        player="p",
        name="Mo",
        protocol=1,
        server="saleroom/0.1.0",
        now=1,
        features=("x",),
        heartbeat_ms=20_000,
        silence_ms=45_000,
        limits=Limits(text_chars=100),
    ),
    Joined(id="a", room="r", viewer=2, cursor=Cursor(epoch="e", seq=3), resumed=True, now=4),
    Joined(id="a", room="r", cursor=Cursor(epoch="e", seq=0), resumed=False, now=4),
    View(room="r", epoch="e", seq=1, at=2, document={"table": {}, "you": {"seat": 0}}, check=7),
    Update(room="r", epoch="e", seq=2, at=3, patch={"window": None, "legal": [{"do": "pass"}]}),
    Update(room="r", epoch="e", seq=3, at=3, events=({"event": "passed", "seat": 1},), check=1),
    Accepted(id="a"),
    Accepted(id="a", seq=GREATEST),
    Refused(id="a", reason="window_closed", facts={"window": 1, "open": 2}, message="Closed."),
    Said(room="r", number=1, from_=Speaker(seat=1), to="table", text="ü", at=2),
    Said(room="r", number=1, from_=Speaker(name="Mo"), to=2, text="ü", at=2),
    Left(room="r", reason="replaced"),
    ServerPing(now=1),
    ServerPong(id="a", now=1),
    Closing(reason="restart", retry_after_ms=500),
    Error(reason="protocol_violation", message="not readable"),
]


@each_codec
@pytest.mark.parametrize("message", TOLD, ids=lambda message: type(message).__name__)
def test_what_the_server_tells_is_read_again(codec: Codec, message: ServerMessage) -> None:
    assert codec.read_told(codec.encode(message)) == message


def test_everything_the_server_tells_is_read_above() -> None:
    assert {type(message) for message in TOLD} == set(get_args(ServerMessage))


@given(codecs, documents)
def test_a_document_is_told_as_it_is(codec: Codec, document: dict[str, Any]) -> None:
    view = View(room="r", epoch="e", seq=1, at=2, document=document)
    told = codec.read_told(codec.encode(view))
    assert isinstance(told, View)
    assert msgspec.json.encode(told.document) == msgspec.json.encode(document)


@given(codecs, documents)
def test_a_part_spliced_in_is_told_as_if_it_were_plain(
    codec: Codec, document: dict[str, Any]
) -> None:
    spliced: Any = codec.raw(document)
    view = View(room="r", epoch="e", seq=1, at=2, document=document)
    assert codec.encode(msgspec.structs.replace(view, document=spliced)) == codec.encode(view)


def with_more(value: Any) -> Any:
    """Add a field of later days to every map of a message's own shape."""
    inner = {"cursor", "limits", "from"}
    grown = {key: with_more(item) if key in inner else item for key, item in value.items()}
    return grown | {"later": {"x": 1}}


@each_codec
@pytest.mark.parametrize("message", TOLD, ids=lambda message: type(message).__name__)
def test_a_client_ignores_fields_of_later_days(codec: Codec, message: ServerMessage) -> None:
    grown = with_more(msgspec.json.decode(msgspec.json.encode(message)))
    assert codec.read_told(codec.encode(grown)) == message


@each_codec
@pytest.mark.parametrize(
    "message",
    [
        {"type": 7},
        {"type": "accepted"},
        {"type": "accepted", "id": 1},
        {"type": "accepted", "id": "a", "seq": -1},
        {},
        [],
        None,
    ],
)
def test_what_the_server_cannot_have_told_violates_the_protocol(codec: Codec, message: Any) -> None:
    with pytest.raises(ProtocolViolation) as caught:
        codec.read_told(codec.encode(message))
    assert caught.value.code == CloseCode.PROTOCOL_VIOLATION


@each_codec
@pytest.mark.parametrize("more", [{"text": "x"}, {"id": 7, "room": []}])
def test_a_message_of_a_type_of_later_days_is_none_to_this_version(
    codec: Codec, more: dict[str, Any]
) -> None:
    assert codec.read_told(codec.encode({"type": "shouted"} | more)) is None


@pytest.mark.parametrize(
    ("codec", "frame"),
    [
        (JSON, b""),
        (JSON, b'{"type":"accepted","id":"\xff"}'),
        (JSON, b'{"type":"view","document":{"a":' + b"[" * 100_000),
        (MSGPACK, b""),
        (MSGPACK, b"\x82\xa4type\xa8accepted\xa2id\xa1\xff"),
        (MSGPACK, b"\x82\xa4type\xa4view\xa8document\x81\xa1a" + b"\x91" * 100_000),
    ],
)
def test_what_cannot_be_read_was_not_told(codec: Codec, frame: bytes) -> None:
    with pytest.raises(ProtocolViolation) as caught:
        codec.read_told(frame)
    assert caught.value.code == CloseCode.PROTOCOL_VIOLATION


# Anything at all

FIELDS = ["type", "id", "room", "as", "cursor", "watch", "window", "action", "to", "text", "client"]
KINDS = ["hello", "join", "leave", "act", "say", "ping", "pong", "view", "update", "accepted"]
anything = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
messages = st.builds(
    lambda fields, kind: {"id": "a"} | fields | {"type": kind},
    st.dictionaries(st.sampled_from(FIELDS) | st.text(max_size=3), anything, max_size=6),
    st.sampled_from(KINDS) | anything,
)
whole = messages | st.sampled_from([written for written, _ in REQUESTS] + [ACT, SAY])


@st.composite
def frames(draw: st.DrawFn) -> tuple[Codec, bytes]:
    """Draw arbitrary bytes, or a frame that is a message or nearly one."""
    codec = draw(codecs)
    if draw(st.booleans()):
        return codec, draw(st.binary(max_size=80))
    frame = codec.encode(draw(whole))
    at, width = draw(st.integers(0, len(frame))), draw(st.integers(0, 3))
    return codec, frame[:at] + draw(st.binary(max_size=3)) + frame[at + width :]


@given(frames())
def test_whatever_comes_is_a_message_a_refusal_or_a_violation(frame: tuple[Codec, bytes]) -> None:
    codec, data = frame
    result = outcome(codec.read_request, data, LIMITS)
    assert isinstance(result, (*get_args(ClientMessage), Refused, ProtocolViolation))
    if isinstance(result, ProtocolViolation):
        assert result.code == CloseCode.PROTOCOL_VIOLATION


@given(codecs, whole)
def test_whatever_has_an_id_is_a_message_or_refused_with_that_id(
    codec: Codec, message: Any
) -> None:
    message = message | {"id": "mine"}
    answer = read(codec, message)
    assert isinstance(answer, Hello) or answer.id == "mine"
    if isinstance(answer, Refused):
        assert answer.reason in {Reason.MALFORMED, Reason.UNKNOWN_FIELD}
        assert codec.read_told(codec.encode(answer)) == answer


@each_codec
def test_a_refusal_repeats_no_more_of_a_clients_words_than_helps(codec: Codec) -> None:
    for message in (JOIN | {"x" * 9_000: 1}, JOIN | {"as": "y" * 9_000}):
        answer = read(codec, message)
        assert isinstance(answer, Refused)
        assert len(codec.encode(answer)) < 400


@given(codecs, st.binary(max_size=40) | st.builds(MSGPACK.encode, anything))
def test_whatever_stands_for_an_action_is_one_or_is_not(codec: Codec, action: bytes) -> None:
    try:
        result = outcome(codec.read_action, Raw(action), KUNSTMARKT)
    except Unacceptable as problem:
        result = problem
    assert isinstance(result, (*get_args(AnyAction), ProtocolViolation, Unacceptable))


@given(frames())
def test_whatever_a_server_sends_is_a_message_or_a_violation(frame: tuple[Codec, bytes]) -> None:
    codec, data = frame
    result = outcome(codec.read_told, data)
    assert result is None or isinstance(result, (*get_args(ServerMessage), ProtocolViolation))
