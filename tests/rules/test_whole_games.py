"""Games at random for each number of seats: they end, conserve, and replay the same."""

import pytest

from tests.support.games import Variant, variants
from tests.support.whole_games import check_game, header

GAMES_EACH = 40
# Every way a game can end comes up in these games, or the checks saw too little.
ENDINGS = {
    "kunstmarkt": {"capital", "last_customer", "last_picture"},
    "vernissage": {"two_out", "artist_on_top", "counter_on_top", "stall"},
    "pictura": {"goal", "last_painting"},
}
PLAIN = [variant for variant in variants() if variant.options == variant.rules.options()]


@pytest.mark.parametrize("variant", PLAIN, ids=str)
def test_games_end_conserve_everything_and_replay_to_the_same_bytes(variant: Variant) -> None:
    endings = set()
    for index in range(GAMES_EACH):
        checked = check_game(header(variant, index), luck=index)
        assert min(checked.outcome.places) == 1
        endings.add(checked.outcome.reason)
    assert endings == ENDINGS[variant.rules.key]
