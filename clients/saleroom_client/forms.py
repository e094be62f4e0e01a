"""Entries of `legal` and `anytime` as actions. PROTOCOL.md, "Forms".

What forms are, and filling them, is `saleroom_protocol.games.forms`; here is what a client needs.
"""

import random
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from saleroom_protocol.games.forms import Choice, Form, Pick, admits, fill, fillings

__all__ = ["Choice", "Form", "Pick", "action", "admits", "at_random", "fill", "fillings", "listed"]


def action(entry: Mapping[str, Any], pick: Pick = random.choice) -> dict[str, Any]:
    """Make an action of an entry: itself, or a filling of it if it is a form.

    Args:
        entry: of `legal` or `you.anytime`.
        pick: picks one of a non-empty sequence.

    Raises:
        msgspec.ValidationError: it is a form this version cannot read.
    """
    return fill(Form.read(entry), pick) if "choose" in entry else dict(entry)


def listed(entries: Iterable[Mapping[str, Any]], action: Mapping[str, Any]) -> bool:
    """Tell whether an action is one of the entries or a filling of one."""
    return any(_is(action, entry) for entry in entries)


def at_random(
    document: Mapping[str, Any], catalogue: Mapping[str, Any], pick: Pick
) -> dict[str, Any]:
    """Play any game: pick an entry of `legal`, then a filling of it. A strategy for `play`."""
    return action(pick(document["legal"]), pick)


def _is(action: Mapping[str, Any], entry: Mapping[str, Any]) -> bool:
    if "choose" not in entry:
        return dict(entry) == dict(action)
    try:
        return admits(Form.read(entry), action)
    except msgspec.ValidationError:  # of a later version
        return False
