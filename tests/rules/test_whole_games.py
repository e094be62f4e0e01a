"""Two hundred games for each number of seats: they end, conserve, and replay the same."""

import pytest

from saleroom_rules.games import GAMES
from tests.support.whole_games import check_game, header

GAMES_EACH = 200
TABLES = [(key, seats) for key, rules in GAMES.items() for seats in rules.seats]
# Every way a game can end comes up in these games, or the checks above saw too little.
ENDINGS = {"kunstmarkt": {"capital", "last_customer", "last_picture"}}


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_games_end_conserve_everything_and_replay_to_the_same_bytes(game: str, seats: int) -> None:
    endings = set()
    for index in range(GAMES_EACH):
        checked = check_game(header(game, seats, index, {}), luck=index)
        assert sorted(checked.outcome.places)[0] == 1
        endings.add(checked.outcome.reason)
    assert endings == ENDINGS[game]
