from typing import Any
from zlib import crc32

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, Struct, UnsetType, field

from saleroom_protocol.canonical import canonical, check
from tests.support.documents import documents, values


def in_order(value: Any) -> Any:
    """Return a copy whose maps are in byte order of their keys."""
    if isinstance(value, dict):
        return {key: in_order(value[key]) for key in sorted(value, key=str.encode)}
    if isinstance(value, list):
        return [in_order(item) for item in value]
    return value


def witness(value: Any) -> bytes:
    """Write the canonical form with another library."""
    packed: bytes = msgpack.packb(in_order(value), use_bin_type=True)
    return packed


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0, "00"),
        (127, "7f"),
        (128, "cc80"),
        (255, "ccff"),
        (256, "cd0100"),
        (65535, "cdffff"),
        (65536, "ce00010000"),
        (2**32 - 1, "ceffffffff"),
        (2**32, "cf0000000100000000"),
        (2**53 - 1, "cf001fffffffffffff"),
        (-1, "ff"),
        (-32, "e0"),
        (-33, "d0df"),
        (-128, "d080"),
        (-129, "d1ff7f"),
        (-32768, "d18000"),
        (-32769, "d2ffff7fff"),
        (-(2**31), "d280000000"),
        (-(2**31) - 1, "d3ffffffff7fffffff"),
        (-(2**53) + 1, "d3ffe0000000000001"),
        (False, "c2"),
        (True, "c3"),
        ("", "a0"),
        ([], "90"),
        ({}, "80"),
    ],
)
def test_a_scalar_takes_its_shortest_form(value: Any, written: str) -> None:
    assert canonical(value).hex() == written


@pytest.mark.parametrize(
    ("size", "head"),
    [
        (1, "a1"),
        (31, "bf"),
        (32, "d920"),
        (255, "d9ff"),
        (256, "da0100"),
        (65535, "daffff"),
        (65536, "db00010000"),
    ],
)
def test_a_string_takes_the_shortest_head(size: int, head: str) -> None:
    assert canonical("x" * size) == bytes.fromhex(head) + b"x" * size


def test_a_strings_length_counts_bytes() -> None:
    assert canonical("ü" * 15 + "x") == b"\xbf" + ("ü" * 15 + "x").encode()
    assert canonical("ü" * 16) == b"\xd9\x20" + ("ü" * 16).encode()


@pytest.mark.parametrize(
    ("size", "head"),
    [(1, "91"), (15, "9f"), (16, "dc0010"), (65535, "dcffff"), (65536, "dd00010000")],
)
def test_a_list_takes_the_shortest_head(size: int, head: str) -> None:
    assert canonical([7] * size) == bytes.fromhex(head) + b"\x07" * size
    assert canonical((7,) * size) == canonical([7] * size)


@pytest.mark.parametrize(("size", "head"), [(1, "81"), (15, "8f"), (16, "de0010"), (300, "de012c")])
def test_a_map_takes_the_shortest_head(size: int, head: str) -> None:
    document = {f"{index:03}": 1 for index in reversed(range(size))}
    entries = b"".join(b"\xa3%03d\x01" % index for index in range(size))
    assert canonical(document) == bytes.fromhex(head) + entries


def test_keys_stand_in_byte_order() -> None:
    keys = ["a", "a_", "a0", "aa", "b", "_", "0", "00", "z", "10", "9"]
    written = canonical(dict.fromkeys(keys, 1))
    assert list(msgpack.unpackb(written)) == [
        "0",
        "00",
        "10",
        "9",
        "_",
        "a",
        "a0",
        "a_",
        "aa",
        "b",
        "z",
    ]


def test_the_maps_within_are_in_order_too() -> None:
    assert canonical({"x": [{"b": 1, "a": {"d": 2, "c": 3}}]}) == canonical(
        {"x": [{"a": {"c": 3, "d": 2}, "b": 1}]}
    )


def test_a_struct_is_written_as_its_map_is() -> None:
    class Sale(Struct, tag_field="event", tag="sold", omit_defaults=True):
        seat: int
        from_: str = field(name="from")
        buyer: str | UnsetType = UNSET

    written = canonical({"last": Sale(2, "c01")})
    assert written == canonical({"last": {"seat": 2, "from": "c01", "event": "sold"}})


def test_true_is_not_1() -> None:
    assert canonical({"a": True}) != canonical({"a": 1})


@given(st.dictionaries(st.text(max_size=6), values, max_size=8) | documents)
def test_another_library_writes_the_same_bytes(document: dict[str, Any]) -> None:
    assert canonical(document) == witness(document)


@given(st.dictionaries(st.text(max_size=6), values, max_size=8), st.randoms(use_true_random=False))
def test_the_order_of_making_does_not_matter(document: dict[str, Any], luck: Any) -> None:
    entries = list(document.items())
    luck.shuffle(entries)
    assert canonical(dict(entries)) == canonical(document)


@given(documents)
def test_the_check_is_the_crc_32_of_the_canonical_form(document: dict[str, Any]) -> None:
    assert check(document) == crc32(witness(document))


def test_the_check_is_the_usual_crc_32() -> None:
    # Worked out bit by bit with the polynomial edb88320, over 80 and over 81 a1 61 01.
    assert check({}) == 0x3FBA6CAD
    assert check({"a": 1}) == 0xA7FA5365
