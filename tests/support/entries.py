"""Entries of `legal` as actions."""

from collections.abc import Iterator
from typing import Any

import msgspec

from saleroom_protocol.games.forms import Form, fillings
from saleroom_rules.contract import AnyRules


def actions_of(rules: AnyRules, entry: Any) -> Iterator[Any]:
    """Yield an entry of `legal` as actions: itself, or every filling of a form."""
    if not isinstance(entry, Form):
        yield entry
        return
    for filled in fillings(entry):
        yield msgspec.convert(filled, rules.action_type)
