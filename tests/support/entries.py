"""Entries of `legal` as actions."""

from typing import Any

import msgspec

from saleroom_protocol.games.forms import Form, fillings
from saleroom_rules.contract import AnyRules


def actions_of(rules: AnyRules, entry: Any) -> list[Any]:
    """Return an entry of `legal` as actions: itself, or every filling of a form."""
    if not isinstance(entry, Form):
        return [entry]
    return [msgspec.convert(filled, rules.action_type) for filled in fillings(entry)]
