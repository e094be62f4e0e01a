"""JSON merge patch, RFC 7396: applied, and the exact difference between two documents."""

from typing import Any

from msgspec import UNSET, Struct
from msgspec.structs import astuple

_SCALARS = frozenset({str, int, bool})
_LISTS = (list, tuple)
_MAPS = (dict, Struct)


def apply(target: Any, patch: Any) -> Any:
    """Return `target` with `patch` merged in. Neither is changed; unchanged parts are shared."""
    if not isinstance(patch, dict):
        return patch
    merged = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = apply(merged.get(key), value)
    return merged


def diff(old: Any, new: Any) -> dict[str, Any]:
    """Return the patch that turns one map into another; empty if they are the same.

    Maps are dicts or structs. A struct field that is UNSET is absent; no other default may be
    omitted when the struct is encoded. Parts that are the same object, or equal structs of one
    type, are passed over: within these no field may hold now a number and now a boolean. Neither
    map may hold null: a merge patch cannot say it.

    Guarantee: `apply(old, diff(old, new)) == new`, all written as plain maps.
    """
    patch: dict[str, Any] = {}
    for key, former, value in _unlike(old, new):
        kind = type(value)
        if kind in _SCALARS:
            if kind is not type(former) or value != former:
                patch[key] = value
        elif value is UNSET:
            patch[key] = None
        elif isinstance(value, _MAPS) and isinstance(former, _MAPS):
            # Comparing structs of one type is one call in C.
            alike = kind is type(former) and kind is not dict and value == former
            if not alike and (inner := diff(former, value)):
                patch[key] = inner
        elif not _same(former, value):
            patch[key] = value
    return patch


def _unlike(old: Any, new: Any) -> list[tuple[str, Any, Any]]:
    """List the keys whose values are not the same object, with both; UNSET where absent."""
    if type(old) is type(new) and isinstance(new, Struct):
        pairs = zip(new.__struct_encode_fields__, astuple(old), astuple(new), strict=True)
        return [pair for pair in pairs if pair[1] is not pair[2]]
    before, after = _fields(old), _fields(new)
    unlike = [
        (key, before.get(key, UNSET), value)
        for key, value in after.items()
        if before.get(key, UNSET) is not value
    ]
    if not before.keys() <= after.keys():
        unlike += [
            (key, value, UNSET)
            for key, value in before.items()
            if key not in after and value is not UNSET
        ]
    return unlike


def _same(one: Any, other: Any) -> bool:
    """Tell whether two values are written alike; unlike `==`, true is not 1."""
    if isinstance(one, _LISTS) and isinstance(other, _LISTS):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, _MAPS) and isinstance(other, _MAPS):
        return not diff(one, other)
    return type(one) is type(other) and bool(one == other)


def _fields(value: Any) -> dict[str, Any]:
    """Return a map's entries; a struct's by their names on the wire."""
    if isinstance(value, dict):
        return value
    fields = dict(zip(value.__struct_encode_fields__, astuple(value), strict=True))
    if value.__struct_config__.tag_field is not None:
        fields[value.__struct_config__.tag_field] = value.__struct_config__.tag
    return fields
