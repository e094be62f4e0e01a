"""`legal` is complete: of all actions there could be, exactly the listed ones are accepted."""

from random import Random

import msgspec
import pytest

from saleroom_protocol.games.kunstmarkt import (
    AnyAction,
    Buy,
    DrawCustomer,
    Offer,
    Pass,
    PlayCustomer,
)
from saleroom_rules.contract import IllegalAction
from saleroom_rules.kunstmarkt.cards import CUSTOMERS, PICTURES
from tests.support.entries import actions_of
from tests.support.games import Variant, variants
from tests.support.kunstmarkt import RULES

EVERY_ACTION: list[AnyAction] = [
    DrawCustomer(),
    Pass(),
    *map(PlayCustomer, CUSTOMERS),
    *map(Offer, PICTURES),
    *map(Buy, PICTURES),
    *(Buy(picture, discard) for picture in PICTURES for discard in PICTURES),
]
TABLES = [variant for variant in variants() if variant.rules.key == RULES.key]


@pytest.mark.parametrize("variant", TABLES, ids=str)
def test_of_all_actions_exactly_the_listed_are_accepted(variant: Variant) -> None:
    looked = 0
    for state, turn in variant.turns(seed=variant.seats, luck=7):
        if Random(looked).random() < 0.3:
            entries = RULES.legal(state, turn.seat)
            listed = {action for entry in entries for action in actions_of(RULES, entry)}
            accepted = set()
            for action in EVERY_ACTION:
                try:
                    RULES.apply(state, turn.seat, action)
                    accepted.add(action)
                except IllegalAction:
                    continue
            assert accepted == listed
        looked += 1
    assert looked > 50


def test_actions_on_the_wire_say_only_what_is_needed() -> None:
    written = [msgspec.to_builtins(action) for action in (Buy("p01"), Buy("p01", "p02"), Pass())]
    assert written == [
        {"do": "buy", "picture": "p01"},
        {"do": "buy", "picture": "p01", "discard": "p02"},
        {"do": "pass"},
    ]
