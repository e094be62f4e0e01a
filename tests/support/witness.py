"""Merge patch and check as a stranger would write them: msgpack and zlib, nothing of ours."""

import zlib
from typing import Any

import msgpack


def merged(target: Any, patch: Any) -> Any:
    """Apply a merge patch, RFC 7396."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result


def canonical(value: Any) -> Any:
    """Return a value with the keys of its maps in byte order."""
    if isinstance(value, dict):
        return {key: canonical(value[key]) for key in sorted(value, key=str.encode)}
    return [canonical(item) for item in value] if isinstance(value, list) else value


def check(document: Any) -> int:
    """Return a document's check."""
    return zlib.crc32(msgpack.packb(canonical(document), use_bin_type=True))
