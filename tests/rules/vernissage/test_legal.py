"""`legal` is complete: of all actions there could be, exactly the listed ones are accepted."""

from collections import Counter
from random import Random
from typing import Any

import msgspec
import pytest

from saleroom_protocol.games.vernissage import (
    Agree,
    Allow,
    AnyAction,
    Ask,
    BuyGrey,
    BuyPile,
    Challenge,
    Commit,
    Critic,
    Done,
    Forgo,
    Insist,
    Keep,
    KeepNone,
    Limited,
    Object,
    Offer,
    Place,
    Reveal,
    Stand,
    Unlimited,
    Withdraw,
)
from saleroom_rules.contract import IllegalAction
from saleroom_rules.playout import decode
from saleroom_rules.vernissage.cards import ARTISTS, CARDS, KINDS
from tests.support.games import Variant, listed, variants
from tests.support.vernissage import RULES

VALUES = range(-8, 9)
NAMES = [*map(str, range(12)), "reserve", "reserve_1", "reserve_2", "reserve_3", "reserve_4"]
SOMEBODY = [*ARTISTS, "nobody"]
LUCK = Random(5)
EVERY_ACTION: list[AnyAction] = [
    *(Place(kind, value, key) for kind in KINDS for value in VALUES for key in SOMEBODY),
    *(word() for word in (Object, Allow, Withdraw, Stand, Insist, Challenge, Forgo)),
    *(word(value) for word in (Offer, Ask, Agree) for value in VALUES),
    *(word(number) for word in (Commit, Reveal, BuyPile) for number in range(-1, 9)),
    *(word() for word in (BuyGrey, KeepNone, Done)),
    *map(Keep, [*CARDS, "b00"]),
    *map(Critic, SOMEBODY),
    *(Limited(n, name, to) for n in range(6) for name in NAMES for to in range(13)),
    *(Unlimited({name: to}) for name in NAMES for to in range(13)),
    # Of the rest there are too many: some with two agents, some with three.
    *(
        Unlimited({name: LUCK.randrange(13) for name in LUCK.sample(NAMES, 2 + number % 2)})
        for number in range(400)
    ),
]
EACH_KIND = 5
TABLES = [
    variant
    for variant in variants()
    if variant.rules.key == RULES.key and not variant.options.might_tax
]


@pytest.mark.parametrize("variant", TABLES, ids=str)
def test_of_all_actions_exactly_the_listed_are_accepted(variant: Variant) -> None:
    luck = Random(variant.seats)
    looked: Counter[str] = Counter()
    for state, turn in (pair for seed in range(3) for pair in variant.turns(seed, seed)):
        window = RULES.window(state)
        assert window is not None
        # The later, the more there is on the board.
        if looked[window.kind] == EACH_KIND or (window.kind != "might" and luck.random() < 0.7):
            continue
        looked[window.kind] += 1
        entries = RULES.legal(state, turn.seat)
        for action in EVERY_ACTION:
            try:
                RULES.apply(state, turn.seat, action)
                accepted = True
            except IllegalAction:
                accepted = False
            assert accepted == listed(entries, action), action
        for entry in entries:
            filled: Any = decode(RULES, entry, luck.choice)
            RULES.apply(state, turn.seat, filled)
    assert len(looked) >= 7


def test_actions_on_the_wire_say_only_what_is_needed() -> None:
    actions = (Place("scandal", -6, "boyz"), Unlimited({"1": 4}), Done())
    assert [msgspec.to_builtins(action) for action in actions] == [
        {"do": "place", "kind": "scandal", "value": -6, "artist": "boyz"},
        {"do": "unlimited", "agents": {"1": 4}},
        {"do": "done"},
    ]
