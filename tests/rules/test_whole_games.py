"""Games at random for each number of seats: they end, conserve, and replay the same."""

import pytest

from tests.support.games import LONG, Variant, variants
from tests.support.whole_games import check_end, check_game, header

GAMES_EACH = {"kunstmarkt": 40, "vernissage": 40, "pictura": 4}
# Every way a game can end comes up in these games, or the checks saw too little.
ENDINGS = {
    "kunstmarkt": {"capital", "last_customer", "last_picture"},
    "vernissage": {"two_out", "artist_on_top", "counter_on_top", "stall"},
    "pictura": {"goal", "last_painting"},
}
PLAIN = [variant for variant in variants() if variant.options == variant.rules.options()]
LONG_GAMES = [variant for variant in PLAIN if variant.rules.key in LONG]


@pytest.mark.parametrize("variant", PLAIN, ids=str)
def test_games_end_conserve_everything_and_replay_to_the_same_bytes(variant: Variant) -> None:
    key, endings = variant.rules.key, set()
    for index in range(GAMES_EACH[key]):
        checked = check_game(header(variant, index), luck=index)
        assert min(checked.outcome.places) == 1
        endings.add(checked.outcome.reason)
    assert endings <= ENDINGS[key]
    assert endings == ENDINGS[key] or key in LONG


@pytest.mark.parametrize("variant", LONG_GAMES, ids=str)
def test_a_hundred_of_the_long_games_end_and_conserve_everything(variant: Variant) -> None:
    endings = {check_end(variant, luck=index).reason for index in range(100)}
    assert endings <= ENDINGS[variant.rules.key]
    assert endings == ENDINGS[variant.rules.key] or variant.seats < variant.rules.seats[-1]
