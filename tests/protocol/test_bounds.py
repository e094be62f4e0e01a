"""Hostile frames are turned away by their heads; everything else passes, whatever it holds."""

import json
from typing import Any

import msgpack
import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from saleroom_protocol.bounds import OutOfBounds, scan_json, scan_msgpack
from saleroom_protocol.limits import Limits
from tests.support.documents import documents, values

LIMITS = Limits()
WIDE = Limits(
    client_message_bytes=10**6, message_depth=1000, container_items=10**6, message_values=10**6
)
TOO_DEEP = "more than 8 levels deep"
TOO_WIDE = "more than 256 entries in a list or map"
TOO_MUCH = "more than 2048 values"
TOO_LARGE = "more than 16384 bytes"
NOT_JSON = "not JSON"
OF_BOUNDS = {TOO_DEEP, TOO_WIDE, TOO_MUCH, TOO_LARGE, NOT_JSON}


def packed(value: Any) -> bytes:
    frame: bytes = msgpack.packb(value)
    return frame


def verdict(data: bytes, limits: Limits = LIMITS) -> str:
    """Say what the scanner of MessagePack finds wrong; nothing if all is well."""
    try:
        scan_msgpack(data, limits)
    except OutOfBounds as problem:
        return str(problem)
    return ""


def json_verdict(text: str | bytes, limits: Limits = LIMITS) -> str:
    """Say what the scanner of JSON finds wrong; nothing if all is well."""
    try:
        scan_json(text.encode() if isinstance(text, str) else text, limits)
    except OutOfBounds as problem:
        return str(problem)
    return ""


def depth(value: Any) -> int:
    if isinstance(value, dict):
        value = list(value.values())
    return 1 + max(map(depth, value), default=0) if isinstance(value, list) else 0


def widest(value: Any) -> int:
    if not isinstance(value, dict | list):
        return 0
    inner = value.values() if isinstance(value, dict) else value
    return max(len(value), *map(widest, inner), 0)


def number_of_values(value: Any) -> int:
    """Count keys, values and containers."""
    if isinstance(value, dict):
        return 1 + len(value) + sum(map(number_of_values, value.values()))
    return 1 + sum(map(number_of_values, value)) if isinstance(value, list) else 1


# MessagePack


@pytest.mark.parametrize(
    ("frame", "problem"),
    [
        (b"\xdd\xff\xff\xff\xff", TOO_WIDE),
        (b"\xdf\xff\xff\xff\xff", TOO_WIDE),
        (b"\xdc\xff\xff", TOO_WIDE),
        (b"\xde\xff\xff", TOO_WIDE),
        (b"\x92\x01\xdd\x00\x00\x01\x01", TOO_WIDE),
        (b"\x91" * 10_000, TOO_DEEP),
        (b"\x81\x01" * 8_000, TOO_DEEP),
        (b"\x81" * 10_000, TOO_DEEP),
        (b"", "cut off"),
        (b"\x92\x01", "cut off"),
        (b"\x81\x01", "cut off"),
        (b"\xa5abcd", "cut off"),
        (b"\xd9\xffabc", "cut off"),
        (b"\xdb\xff\xff\xff\xffabc", "cut off"),
        (b"\xc6\xff\xff\xff\xffabc", "cut off"),
        (b"\xc9\xff\xff\xff\xff\x05abc", "cut off"),
        (b"\xdb\x00", "cut off"),
        (b"\xdd\x00\x00", "cut off"),
        (b"\xd9", "cut off"),
        (b"\xcb\x00", "cut off"),
        (b"\xd8\x05" + b"x" * 15, "cut off"),
        (b"\x01\x01", "more than one value"),
        (b"\x80\x80", "more than one value"),
        (b"\xc4\x01ab", "more than one value"),
        (b"\xc1", "not MessagePack"),
        (b"\x92\x01\xc1", "not MessagePack"),
        (b"\x93\xa1a\xc4\x01a\xc1", "not MessagePack"),
        (b"\xc6\x00\x00\x40\x00" + b"x" * 16_384, TOO_LARGE),
        (b"\x00" * 16_385, TOO_LARGE),
    ],
)
def test_a_hostile_frame_is_turned_away(frame: bytes, problem: str) -> None:
    assert verdict(frame) == problem


def whole(head: int) -> bytes:
    """Write a value that begins with this byte, out of the format's specification."""
    first = bytes([head])
    if 0x80 <= head < 0x90:
        return first + b"".join(bytes([key, 0xC0]) for key in range(head - 0x80))
    if 0x90 <= head < 0xA0:
        return first + b"\xc3" * (head - 0x90)
    if 0xA0 <= head < 0xC0:
        return first + b"x" * (head - 0xA0)
    return first + TAILS.get(head, b"")


TAILS = {
    0xC4: b"\x03abc",
    0xC5: b"\x00\x03abc",
    0xC6: b"\x00\x00\x00\x03abc",
    0xC7: b"\x03\x05abc",
    0xC8: b"\x00\x03\x05abc",
    0xC9: b"\x00\x00\x00\x03\x05abc",
    0xCA: b"\x00" * 4,
    0xCB: b"\x00" * 8,
    0xCC: b"\xff",
    0xCD: b"\xff" * 2,
    0xCE: b"\xff" * 4,
    0xCF: b"\xff" * 8,
    0xD0: b"\x80",
    0xD1: b"\x80" * 2,
    0xD2: b"\x80" * 4,
    0xD3: b"\x80" * 8,
    0xD4: b"\x05" + b"x",
    0xD5: b"\x05" + b"x" * 2,
    0xD6: b"\x05" + b"x" * 4,
    0xD7: b"\x05" + b"x" * 8,
    0xD8: b"\x05" + b"x" * 16,
    0xD9: b"\x03abc",
    0xDA: b"\x00\x03abc",
    0xDB: b"\x00\x00\x00\x03abc",
    0xDC: b"\x00\x02\x01\x02",
    0xDD: b"\x00\x00\x00\x02\x01\x02",
    0xDE: b"\x00\x02\x01\xa1a\x02\xa1b",
    0xDF: b"\x00\x00\x00\x02\x01\xa1a\x02\xa1b",
}


@pytest.mark.parametrize("head", [head for head in range(256) if head != 0xC1])
def test_every_head_says_where_its_value_ends(head: int) -> None:
    frame = whole(head)
    msgpack.unpackb(frame, strict_map_key=False)
    assert verdict(frame) == ""
    assert verdict(frame[:-1]) == "cut off"
    assert verdict(frame + b"\xc0") == "more than one value"
    assert verdict(b"\x93\x01" + frame + b"\x02") == ""


def test_containers_may_nest_to_the_limit_and_no_deeper() -> None:
    assert verdict(b"\x91" * 7 + b"\x90") == ""
    assert verdict(b"\x91" * 8 + b"\x90") == TOO_DEEP
    assert verdict(b"\x81\x01" * 7 + b"\x80") == ""
    assert verdict(b"\x81\x01" * 8 + b"\x80") == TOO_DEEP
    assert verdict(b"\x91" * 8 + b"\x01") == ""


def test_a_map_as_a_key_is_a_level_too() -> None:
    assert verdict(b"\x81" * 7 + b"\x80" + b"\x01" * 7) == ""
    assert verdict(b"\x81" * 8 + b"\x80" + b"\x01" * 8) == TOO_DEEP


def test_containers_side_by_side_are_not_deep() -> None:
    assert verdict(packed([[[]] for _ in range(200)])) == ""
    assert verdict(packed([[[[[[[[]]]]]]], [[[[[[[]]]]]]]])) == ""


@pytest.mark.parametrize("make", [lambda size: [0] * size, lambda size: dict.fromkeys(range(size))])
def test_a_container_may_have_256_entries_and_no_more(make: Any) -> None:
    assert verdict(packed(make(256))) == ""
    assert verdict(packed(make(257))) == TOO_WIDE


def test_a_message_may_have_2048_values_and_no_more() -> None:
    seven = [[0] * 256 for _ in range(7)]  # with the outer list 1 + 7 · 257 values
    assert verdict(packed([*seven, [0] * 247])) == ""
    assert verdict(packed([*seven, [0] * 248])) == TOO_MUCH


def test_a_message_may_have_16384_bytes_and_no_more() -> None:
    assert verdict(packed("x" * 16_381)) == ""
    assert verdict(packed("x" * 16_382)) == TOO_LARGE


@given(documents)
def test_depth_width_and_number_are_counted_exactly(document: dict[str, Any]) -> None:
    frame, deep, wide = packed(document), depth(document), max(1, widest(document))
    number = number_of_values(document)
    exact = Limits(message_depth=deep, container_items=wide, message_values=number)
    assert verdict(frame, exact) == ""
    for narrower in (
        Limits(message_depth=deep - 1),
        Limits(container_items=widest(document) - 1),
        Limits(message_values=number - 1),
    ):
        assert verdict(frame, narrower) != ""


packable = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats()
    | st.text(max_size=300)
    | st.binary(max_size=300)
    | st.builds(msgpack.ExtType, st.integers(0, 127), st.binary(max_size=20)),
    lambda inner: (
        st.lists(inner, max_size=20)
        | st.dictionaries(st.text(max_size=40) | st.integers(0, 2**32), inner, max_size=20)
    ),
    max_leaves=20,
)


@given(packable)
def test_whatever_can_be_packed_within_bounds_passes(value: Any) -> None:
    assert verdict(packed(value), WIDE) == ""


def assert_one_value(frame: bytes) -> None:
    """Assert that another library finds one value, complete, and nothing behind it."""
    unpacker = msgpack.Unpacker(None, max_buffer_size=0)
    unpacker.feed(frame)
    unpacker.skip()
    assert unpacker.tell() == len(frame)


damaged = st.builds(
    lambda frame, at, width, junk: frame[:at] + junk + frame[at + width :],
    packable.map(packed),
    st.integers(0, 60),
    st.integers(0, 4),
    st.binary(max_size=4),
)


@given(st.binary(max_size=60) | damaged)
@example(b"\xd6\xff\x00\x00\x00\x00")
@example(b"\xc1")
def test_what_passes_is_one_value_and_what_does_not_is_none_or_too_much(frame: bytes) -> None:
    problem = verdict(frame)
    if not problem:
        assert_one_value(frame)
    elif problem not in OF_BOUNDS:
        with pytest.raises((msgpack.OutOfData, msgpack.FormatError, AssertionError)):
            assert_one_value(frame)


@given(st.binary(max_size=60) | damaged)
def test_what_passes_is_never_cut_off_for_the_decoder(frame: bytes) -> None:
    if not verdict(frame):
        assert "truncated" not in complaint(frame)
        assert "trailing" not in complaint(frame)


def complaint(frame: bytes) -> str:
    """Say what the decoder finds wrong; nothing if all is well."""
    try:
        msgspec.msgpack.decode(frame)
    except (msgspec.DecodeError, UnicodeDecodeError, TypeError) as error:
        return str(error)
    return ""


def test_the_decoder_has_words_for_what_is_cut_off() -> None:
    assert "truncated" in complaint(b"\x92\x01")
    assert "trailing" in complaint(b"\x01\x01")


# JSON


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[" * 10_000, TOO_DEEP),
        ('{"a":' * 3_000, TOO_DEEP),
        ("[" * 9, TOO_DEEP),
        ("[" * 8 + "]" * 8, ""),
        ('{"a":' * 8 + "1" + "}" * 8, ""),
        ('{"a":[' * 5, TOO_DEEP),
        ("]" * 500 + "[" * 9, NOT_JSON),
        ("[]]", NOT_JSON),
        ("}", NOT_JSON),
        ("[" + "0," * 255 + "0]", ""),
        ("[" + "0," * 256 + "0]", TOO_WIDE),
        ("[" + "," * 10_000, TOO_WIDE),
        ("," * 300, TOO_WIDE),
        ("[" + "[]," * 1_000, TOO_WIDE),
        ("[" + ("[" + "0," * 255 + "0],") * 9 + "0]", TOO_MUCH),
        ("[]" * 5_000, TOO_MUCH),
        ("{}" * 5_000, TOO_MUCH),
        (" " * 16_384, ""),
        (" " * 16_385, TOO_LARGE),
    ],
)
def test_a_hostile_text_is_turned_away(text: str, problem: str) -> None:
    assert json_verdict(text) == problem


@pytest.mark.parametrize(
    "text",
    [
        '["[[[[[[[[[[[[[[[["]',
        '{"{{{{{{{{{{{{": "[,[,[,[,[,[,[,[,[,["}',
        r'["\"[[[[[[[[[[[[[["]',
        r'["\\\"[[[[[[[[[[[[["]',
        '["' + "," * 1_000 + '"]',
        '["\\u005b[[[[[[[[[[\\n"]',
        '["é[[[[[[[[[[[["]',
        '["a\nb[[[[[[[[[[[["]',
        '["\\\n[[[[[[[[[[[["]',
    ],
)
def test_what_stands_in_a_string_does_not_count(text: str) -> None:
    assert json_verdict(text) == ""


@pytest.mark.parametrize(
    "text",
    [r'["\\",' + "[" * 8, r'["a\"",' + "[" * 8, '["","",' + "[" * 8, r'["\\\\",' + "[" * 8],
)
def test_what_stands_behind_a_string_does_count(text: str) -> None:
    assert json_verdict(text) == TOO_DEEP


@pytest.mark.parametrize("text", ['"', '["[[[[[[[[[[[', r'["\"[[[[[[[[[[[', '["[[[[[[[[[[\\', "\\"])
def test_an_unterminated_string_is_left_to_the_decoder(text: str) -> None:
    assert json_verdict(text) == ""


@pytest.mark.parametrize("text", ["", "nonsense", "\ud7ff", b"\xff\xfe", "1 2", "[}"])
def test_whether_it_is_json_is_not_asked(text: str | bytes) -> None:
    assert json_verdict(text) == ""


@pytest.mark.parametrize(
    "pattern", ['"', '\\"', '"\\', '"\\"', '"\\"\\"', '\\\\"', '["', '"a', "\\", '"\\u'], ids=repr
)
def test_no_pattern_of_quotes_is_hard(pattern: str) -> None:
    worst = '"' + (pattern * 16_384)[:16_383]
    assert json_verdict(worst) in {"", TOO_DEEP, TOO_MUCH}
    assert json_verdict(worst[1:]) in {"", TOO_DEEP, TOO_MUCH}


@given(documents | values, st.sampled_from([None, 1]), st.booleans())
def test_depth_and_width_of_json_are_counted_exactly(
    document: Any, indent: int | None, ascii_only: bool
) -> None:
    text = json.dumps(document, indent=indent, ensure_ascii=ascii_only)
    deep, wide = depth(document), max(1, widest(document))
    exact = Limits(message_depth=deep, container_items=wide)
    assert json_verdict(text, exact) == ""
    if deep:
        assert json_verdict(text, Limits(message_depth=deep - 1)) != ""
    if wide > 1:
        assert json_verdict(text, Limits(container_items=wide - 1)) != ""


@given(documents)
def test_json_may_have_as_many_values_as_messagepack(document: dict[str, Any]) -> None:
    text, number = json.dumps(document), number_of_values(document)
    assert json_verdict(text, Limits(message_values=number)) == ""
    assert json_verdict(text, Limits(message_values=number - 1)) != ""


@given(st.binary(max_size=200) | st.text('[]{}",:\\ a0é', max_size=200).map(str.encode))
def test_arbitrary_bytes_pass_or_are_out_of_bounds(data: bytes) -> None:
    assert json_verdict(data) in OF_BOUNDS | {""}
