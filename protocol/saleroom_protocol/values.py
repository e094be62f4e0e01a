"""The kinds of values a document, an action or an event may hold. PROTOCOL.md, "Values"."""

import re
from typing import Any

from saleroom_protocol.games.common import GREATEST_INTEGER

_KEY = re.compile(r"[a-z0-9_]{1,40}")


def unfit(value: Any, path: str = "") -> str | None:
    """Name the first value, or key, that no document may hold; None if all is well."""
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str) or not _KEY.fullmatch(key):
                return f"{path}/{key}: not a key"
            if problem := unfit(item, f"{path}/{key}"):
                return problem
        return None
    if isinstance(value, list):
        problems = (unfit(item, f"{path}/{index}") for index, item in enumerate(value))
        return next(filter(None, problems), None)
    if isinstance(value, int) and abs(value) > GREATEST_INTEGER:
        return f"{path}: integer out of bounds"
    if isinstance(value, bool | int | str):
        return None
    return f"{path}: {type(value).__name__}"
