"""Actions as plain maps, read as what a game takes."""

from functools import cache
from typing import Any

import msgspec
from msgspec import Struct


def typed(action: dict[str, Any], action_type: Any) -> Any:
    """Return a plain action as one of a union of structs.

    Raises:
        msgspec.ValidationError: it is none of them; it says where, from `$.action` on.
    """
    return msgspec.convert({"action": action}, _holder(action_type)).action


@cache
def _holder(action_type: Any) -> Any:
    """Make a struct for the union: of a struct msgspec keeps what it has found out of its types."""
    return msgspec.defstruct("Holder", [("action", action_type)], bases=(Struct,))
