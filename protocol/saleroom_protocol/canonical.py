"""Canonical MessagePack and the check computed from it. PROTOCOL.md, "Check".

Shortest form of every header, integers in their shortest form (non-negative ones unsigned), map
keys in byte order.
"""

from typing import Any
from zlib import crc32

import msgspec

_encoder = msgspec.msgpack.Encoder(order="sorted")


def canonical(value: Any) -> bytes:
    """Return the one MessagePack form of a value."""
    return _encoder.encode(value)


def check(document: Any) -> int:
    """Return the CRC-32 of a document's canonical form: what `check` in a message must equal."""
    return crc32(canonical(document))
