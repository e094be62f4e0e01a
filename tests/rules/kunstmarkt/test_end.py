"""The end, in the order of the rules: K-END-1 to K-END-3."""

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from saleroom_protocol.games.kunstmarkt import (
    Buy,
    DrawCustomer,
    GameEnded,
    Offer,
    Pass,
    PlayCustomer,
    Why,
)
from saleroom_rules.contract import IllegalAction
from saleroom_rules.kunstmarkt.state import State
from tests.support.kunstmarkt import RULES, Game, dealt, table

ANY_FAMOUS = "c21"  # pays 25,000
DUERER, CORINTH, PICASSO = "p01", "p14", "p42"


def sells(cash: int) -> Game:
    """Return a game in which seat 1, with so much cash, has just sold for 25,000."""
    game = Game(
        table(
            pictures=((), ("p01", "p03"), ("p02",)),
            customers=((ANY_FAMOUS,), (), ()),
            cash=(120_000, cash, 0),
        )
    )
    game.does(PlayCustomer(ANY_FAMOUS), Offer("p01"), Pass(), Pass())
    return game


def test_k_end_1_125_000_in_cash_ends_the_game_at_once_and_wins() -> None:
    game = sells(100_000)
    assert game.over
    assert game.outcome.reason == "capital"
    assert game.outcome.places == (2, 1, 3)
    assert game.outcome.scores == (120_000, 125_000, 0)


def test_k_end_1_one_short_of_125_000_goes_on() -> None:
    assert not sells(99_999).over


def test_k_end_1_the_last_event_says_so() -> None:
    game = Game(table(pictures=((), ("p01",), ()), customers=((ANY_FAMOUS,), (), ())))
    players = (replace(game.state.players[1], cash=100_000), *game.state.players[1:])
    game.state = replace(game.state, players=(game.state.players[0], players[0], players[2]))
    game.does(PlayCustomer(ANY_FAMOUS), Offer("p01"), Pass())
    assert game.does(Pass())[-1] == GameEnded("capital")


def test_k_end_2_the_last_customer_drawn_ends_the_game_at_once() -> None:
    game = Game(table(deck=1))
    assert game.does(DrawCustomer())[-1] == GameEnded("last_customer")
    assert game.over
    assert len(game.state.players[0].customers) == 1


def test_k_end_2_the_last_but_one_customer_does_not() -> None:
    game = Game(table(deck=2))
    game.does(DrawCustomer())
    assert not game.over


def test_k_end_2_the_last_picture_of_the_stock_on_the_market_ends_the_game_at_once() -> None:
    game = Game(table(stock=1))
    last = game.state.stock[0]
    assert game.does(Buy(game.state.market[0]))[-1] == GameEnded("last_picture")
    assert game.over
    assert game.state.market[-1] == last


def test_k_end_2_the_last_but_one_picture_does_not() -> None:
    game = Game(table(stock=2))
    game.does(Buy(game.state.market[0]))
    assert not game.over


def ended(cash: tuple[int, ...], *pictures: tuple[str, ...]) -> State:
    """Return a finished game with this cash and these hands."""
    hands = pictures or ((),) * len(cash)
    state = table(pictures=hands, customers=((),) * len(cash), cash=cash)
    return replace(state, ended="last_customer")


@pytest.mark.parametrize(
    ("state", "places"),
    [
        (ended((10, 30, 20)), (3, 1, 2)),
        (ended((30, 30, 20), ("p01",), ("p03", "p06"), ()), (2, 1, 3)),
        (ended((30, 30, 20), (PICASSO, "p44"), (CORINTH, DUERER), ()), (1, 2, 3)),
        (ended((30, 30, 20), (), (), ()), (1, 1, 3)),
        (ended((30, 20, 20), (), (), ()), (1, 2, 2)),
        (ended((7, 7, 7, 7, 7)), (1, 1, 1, 1, 1)),
        (ended((20, 30, 30), ("p01",) * 0, ("p05",), ("p06", "p07")), (3, 2, 1)),
    ],
    ids=[
        "the richest wins",
        "then most pictures",
        "then the most famous single picture",
        "else the victory is shared",
        "and so are lower places",
        "all may share it",
        "unsold pictures are worth nothing but break ties",
    ],
)
def test_k_end_3_ranking(state: State, places: tuple[int, ...]) -> None:
    assert Game(state).outcome.places == places


def test_k_end_3_scores_are_cash_alone() -> None:
    assert Game(ended((30, 10, 20), ("p01",), (PICASSO,), ())).outcome.scores == (30, 10, 20)


def test_k_end_3_places_know_nothing_of_the_seat() -> None:
    assert Game(ended((20, 20, 30))).outcome.places == (2, 2, 1)


def test_after_the_end_nobody_is_asked_and_nothing_is_legal() -> None:
    game = Game(table(deck=1))
    game.does(DrawCustomer())
    for seat in range(3):
        assert game.legal(seat) == []
        with pytest.raises(IllegalAction) as refused:
            RULES.apply(game.state, seat, DrawCustomer())
        assert refused.value.why is Why.NOT_ASKED


def test_k_set_5_after_the_end_all_hands_and_all_cash_are_open() -> None:
    game = Game(replace(dealt(hidden_cash=True), ended="last_picture"))
    for player, shown in zip(
        game.state.players, RULES.table(game.state).players.values(), strict=True
    ):
        assert shown.hand is not UNSET
        assert (shown.hand.pictures, shown.hand.customers) == (player.pictures, player.customers)
        assert shown.cash == player.cash


def test_a_game_under_way_has_no_outcome() -> None:
    assert RULES.outcome(dealt()) is None
