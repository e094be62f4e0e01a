"""`legal` is complete: of all actions there could be, exactly the listed ones are accepted."""

from collections import Counter
from itertools import combinations, permutations, product
from random import Random

import msgspec
import pytest

from saleroom_protocol.games.pictura import (
    Acquire,
    AnyAction,
    Arrange,
    Claim,
    Decline,
    Discard,
    Done,
    Exhibit,
    FavourAcquire,
    FavourChoose,
    FavourDraw,
    FavourExhibit,
    FavourPoints,
    FavourRecover,
    FavourTake,
    FavourTrade,
    FavourTrend,
    Hold,
    Inventory,
    KeepTrend,
    KeepTwo,
    NoTrade,
    ReplacePatrons,
    Trade,
    UseSpace,
)
from saleroom_rules.contract import IllegalAction
from saleroom_rules.pictura.cards import CATEGORIES, SPACES, TRENDS
from saleroom_rules.pictura.state import State
from saleroom_seeds.pictura import FAVOUR_KINDS
from tests.support.games import Variant, listed, variants
from tests.support.pictura import RULES

EACH_KIND = 2
TABLES = [variant for variant in variants() if variant.rules.key == RULES.key]
WORDS = (NoTrade, Decline, Inventory, ReplacePatrons, Done, FavourPoints, FavourChoose, FavourTrend)


def every_action(state: State, luck: Random) -> list[AnyAction]:
    """Return all actions with the cards that lie or are held somewhere, of some kinds a part."""
    hands = [card for player in state.players for card in player.paintings]
    archived = [card for player in state.players for card in player.archive]
    abroad = [card for museum in state.museums.values() for card in museum.paintings]
    favours = [card for player in state.players for card in player.favours]
    some = luck.sample(hands, min(8, len(hands)))
    paintings = [*some, *luck.sample(abroad, 3), *archived[:3], *state.deck[:1], "p999"]
    pairs = [*permutations(paintings, 2), ("p001", "p001")]
    drawn = getattr(state.window, "drawn", ())
    museum = state.player.museum
    actions: list[AnyAction] = [word() for word in WORDS]
    actions += [KeepTrend(trend) for trend in (*TRENDS, "t99")]
    actions += [kind(one, other) for kind in (Trade, FavourTrade) for one, other in pairs]
    actions += [kind(*pair) for kind in (Exhibit, Acquire, FavourAcquire) for pair in pairs]
    actions += [Hold(category) for category in (*CATEGORIES, "x")]
    actions += [FavourDraw(kind) for kind in (*FAVOUR_KINDS, "x")]
    actions += [kind(one) for kind in (FavourExhibit, FavourTake) for one in (*paintings, *abroad)]
    actions += [
        FavourRecover(cards) for number in range(3) for cards in combinations(archived[:6], number)
    ]
    actions += [Claim(patron) for patron in (*state.patrons, "m99")]
    actions += [Claim(patron, one) for patron, one in product(state.patrons, abroad + some[:1])]
    actions += [UseSpace(space) for space in (*SPACES, "x")]
    actions += [UseSpace(space, one) for space in SPACES for one in paintings]
    actions += [KeepTwo(cards) for number in range(4) for cards in combinations(drawn, number)]
    actions += [KeepTwo((*drawn[:1], "p999"))]
    actions += [
        Discard(one or msgspec.UNSET, other or msgspec.UNSET)
        for one in map(tuple, (some[:number] for number in range(4)))
        for other in map(tuple, (favours[:number] for number in range(3)))
    ]
    places = [*museum.values()]
    actions += [Arrange(dict(zip(museum, luck.sample(places, len(places)), strict=True)))]
    actions += [Arrange({**museum, "p999": 24}), Arrange(dict(list(museum.items())[1:]))]
    return actions


@pytest.mark.parametrize("variant", TABLES, ids=str)
def test_of_all_actions_exactly_the_listed_are_accepted(variant: Variant) -> None:
    luck, looked = Random(variant.seats), Counter[str]()
    for seed in range(2):
        for state, turn in variant.moments(seed, seed):
            window = RULES.window(state)
            assert window is not None
            looked[window.kind] += 1
            if looked[window.kind] > EACH_KIND:
                continue
            entries = [*RULES.legal(state, turn.seat), *RULES.anytime(state, turn.seat)]
            for action in every_action(state, luck):
                assert accepted(state, turn.seat, action) == listed(entries, action), action
    assert len(looked) >= 6


def accepted(state: State, seat: int, action: AnyAction) -> bool:
    """Tell whether an action is taken, completed if need be."""
    try:
        RULES.apply(state, seat, RULES.complete(state, seat, action))
    except IllegalAction:
        return False
    return True


def test_actions_on_the_wire_say_only_what_is_needed() -> None:
    actions = (Trade("p001", "p002"), Claim("m01"), Hold("baroque"), Arrange({"p001": 3}), Done())
    assert [msgspec.to_builtins(action) for action in actions] == [
        {"do": "trade", "give": "p001", "take": "p002"},
        {"do": "claim", "patron": "m01"},
        {"do": "hold", "category": "baroque"},
        {"do": "arrange", "places": {"p001": 3}},
        {"do": "done"},
    ]
