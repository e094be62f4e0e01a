"""Bounds on a frame, checked before anything is decoded.

A few hostile bytes can claim a list of four thousand million entries, or nest ten thousand deep.
These scanners walk the headers only, in time linear in the frame, and build nothing.
"""

import re
from typing import NamedTuple

from saleroom_protocol.limits import Limits


class OutOfBounds(ValueError):
    """A frame that is not worth decoding; the text says why."""


class _Head(NamedTuple):
    """What the first byte of a MessagePack value says about the rest."""

    length_bytes: int = 0  # a length follows in so many bytes
    skip: int = 0  # then so many bytes beside what the length says
    per_item: int = 0  # values per counted item; 0: the length counts bytes
    items: int = 0  # items that the head itself counts


def _heads() -> list[_Head | None]:
    """Lay out the format byte by byte; None is the one byte that never begins a value."""
    heads: list[_Head | None] = [_Head()] * 256  # fixints, nil, false, true
    for size in range(16):
        heads[0x80 + size] = _Head(per_item=2, items=size)
        heads[0x90 + size] = _Head(per_item=1, items=size)
    for size in range(32):
        heads[0xA0 + size] = _Head(skip=size)
    heads[0xC1] = None
    for power in range(3):
        heads[0xC4 + power] = _Head(length_bytes=1 << power)  # bin
        heads[0xC7 + power] = _Head(length_bytes=1 << power, skip=1)  # ext
        heads[0xD9 + power] = _Head(length_bytes=1 << power)  # str
    for power in range(4):
        heads[0xCC + power] = _Head(skip=1 << power)  # uint
        heads[0xD0 + power] = _Head(skip=1 << power)  # int
    for power in range(5):
        heads[0xD4 + power] = _Head(skip=1 + (1 << power))  # fixext
    heads[0xCA], heads[0xCB] = _Head(skip=4), _Head(skip=8)  # float
    for power in range(2):
        heads[0xDC + power] = _Head(length_bytes=2 << power, per_item=1)
        heads[0xDE + power] = _Head(length_bytes=2 << power, per_item=2)
    return heads


_HEADS = _heads()
# How many bytes a value has, by its first; 0 where that is not all there is to know.
_SIZES = [
    0 if head is None or head.length_bytes or head.per_item else 1 + head.skip for head in _HEADS
]
# A whole string, or what there is of one: never re-read, so that no input costs quadratic time.
_JSON_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"?|[\[\]{},]|[^\s\[\]{},:"]++', re.DOTALL)


def scan_msgpack(data: bytes, limits: Limits) -> None:
    """Check that a frame is one MessagePack value within bounds.

    Raises:
        OutOfBounds: it is cut off, too large, too deep, has too much in it, or goes on behind.
    """
    _check_size(data, limits)
    position, values, end = 0, 0, len(data)
    left, around = 1, list[int]()  # values still to come: here, and in each container around
    while left or around:
        if not left:
            left = around.pop()
            continue
        left -= 1
        values += 1
        if values > limits.message_values:
            raise OutOfBounds(f"more than {limits.message_values} values")
        if position >= end:
            raise OutOfBounds("cut off")
        first = data[position]
        if size := _SIZES[first]:
            position += size
            continue
        head = _HEADS[first]
        if head is None:
            raise OutOfBounds("not MessagePack")
        length_end = position + 1 + head.length_bytes
        length = head.items or int.from_bytes(data[position + 1 : length_end], "big")
        position = length_end + head.skip
        if not head.per_item:
            position += length
            continue
        _check_container(length, len(around), limits)
        around.append(left)
        left = length * head.per_item
    if position != len(data):
        raise OutOfBounds("cut off" if position > len(data) else "more than one value")


def _check_container(length: int, around: int, limits: Limits) -> None:
    if length > limits.container_items:
        raise OutOfBounds(f"more than {limits.container_items} entries in a list or map")
    if around >= limits.message_depth:
        raise OutOfBounds(f"more than {limits.message_depth} levels deep")


def scan_json(data: bytes, limits: Limits) -> None:
    """Check that a frame is within bounds; whether it is JSON is for the decoder to say.

    Raises:
        OutOfBounds: it is too large, too deep, or has too much in it.
    """
    _check_size(data, limits)
    values, items = 0, [1]  # items so far in each open container
    for token in _JSON_TOKEN.finditer(data):
        mark = token.group()[:1]
        if mark in b"[{":
            items.append(1)
        elif mark in b"]}":
            if len(items) == 1:
                raise OutOfBounds("not JSON")
            items.pop()
        elif mark == b",":
            items[-1] += 1
        if mark not in b"]},":
            values += 1
        if len(items) > limits.message_depth + 1:
            raise OutOfBounds(f"more than {limits.message_depth} levels deep")
        if items[-1] > limits.container_items:
            raise OutOfBounds(f"more than {limits.container_items} entries in a list or map")
        if values > limits.message_values:
            raise OutOfBounds(f"more than {limits.message_values} values")


def _check_size(data: bytes, limits: Limits) -> None:
    if len(data) > limits.client_message_bytes:
        raise OutOfBounds(f"more than {limits.client_message_bytes} bytes")
