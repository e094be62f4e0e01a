"""JSON merge patch, RFC 7396: applied, and the exact difference between two documents."""

from typing import Any

from msgspec import UNSET, Struct

_ABSENT = object()


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

    Maps are dicts or structs; a struct field that is UNSET is absent, and no other default may be
    omitted when it is encoded. Parts that are the same object are passed over. Neither may hold
    null: a merge patch cannot say it.

    Guarantee: `apply(old, diff(old, new)) == new`, both written as plain maps.
    """
    patch: dict[str, Any] = {}
    before, after = _fields(old), _fields(new)
    for key, value in after.items():
        former = before.get(key, _ABSENT)
        if value is former:
            continue
        if _is_map(value) and _is_map(former):
            if inner := diff(former, value):
                patch[key] = inner
        elif not same(former, value):
            patch[key] = value
    for key in before:
        if key not in after:
            patch[key] = None
    return patch


def same(one: Any, other: Any) -> bool:
    """Tell whether two values are written alike; unlike `==`, true is not 1."""
    if one is other:
        return True
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if _is_map(one) and _is_map(other):
        return not diff(one, other)
    return type(one) is type(other) and bool(one == other)


def _is_map(value: Any) -> bool:
    return isinstance(value, dict | Struct)


def _fields(value: Any) -> dict[str, Any]:
    """Return a map's entries; of a struct those that are set, by their names on the wire."""
    if isinstance(value, dict):
        return value
    names = zip(value.__struct_encode_fields__, value.__struct_fields__, strict=True)
    fields = {wire: getattr(value, name) for wire, name in names}
    tag_field = value.__struct_config__.tag_field
    if tag_field is not None:
        fields[tag_field] = value.__struct_config__.tag
    return {key: field for key, field in fields.items() if field is not UNSET}
