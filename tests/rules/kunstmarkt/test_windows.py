"""Live windows: who is asked, for how long, and what time running out plays (K-WIN)."""

import pytest

from saleroom_protocol.games.kunstmarkt import DrawCustomer, Offer, Pass, PlayCustomer
from saleroom_rules.contract import Window
from tests.support.kunstmarkt import RULES, Game, table

GERMAN_FAMOUS = "c01"
CORINTH, MONET = "p14", "p48"


def bidding(*hands: tuple[str, ...]) -> Game:
    """Return a game in which seat 0 has played a customer who wants German pictures."""
    game = Game(table(pictures=hands, customers=((GERMAN_FAMOUS,), (), ())))
    game.does(PlayCustomer(GERMAN_FAMOUS))
    return game


def test_k_win_1_a_bidder_who_can_offer_nothing_is_asked_and_the_window_looks_the_same() -> None:
    windows: set[Window] = set()
    for hand in ((), (MONET,), (CORINTH,)):
        game = bidding((), hand, ())
        windows.add(game.window)
    assert len(windows) == 1


def test_k_win_1_every_offer_window_lasts_as_long_whatever_the_bidder_holds() -> None:
    game = bidding((), (CORINTH,), ())
    lengths = []
    for _ in range(3):
        lengths.append((game.window.kind, game.window.seconds))
        game.does(Pass())
    assert lengths == [("offer", 20)] * 3


def test_k_win_2_the_bidder_is_given_exactly_what_would_be_accepted_and_pass() -> None:
    game = bidding((), (MONET, CORINTH), ("p01", "p20"))
    assert game.legal() == [Offer(CORINTH), Pass()]
    game.does(Offer(CORINTH))
    assert game.legal() == [Offer("p01"), Pass()]


def test_a_turn_lasts_45_seconds_and_is_open_to_see() -> None:
    window = Game(table(active=2)).window
    assert (window.kind, window.seats, window.seconds, window.sealed, window.budget) == (
        "turn",
        (2,),
        45,
        False,
        "",
    )
    assert window.owing == (2,)


def test_time_running_out_in_a_turn_draws_if_that_is_allowed() -> None:
    for callers in ((), ("c01", "c02")):
        state = table(customers=(callers, (), ()))
        assert RULES.default(state, 0) == DrawCustomer()


@pytest.mark.parametrize(
    ("callers", "played"),
    [
        (("c21", "c19", "c03"), "c19"),  # 25,000, 12,000, 13,000
        (("c19", "c28", "c21"), "c19"),  # 12,000 twice: the lower id
    ],
)
def test_time_running_out_with_a_full_hand_plays_the_customer_who_pays_least(
    callers: tuple[str, ...], played: str
) -> None:
    state = table(customers=(callers, (), ()))
    assert RULES.default(state, 0) == PlayCustomer(played)


def test_time_running_out_in_an_offer_passes() -> None:
    game = bidding((), (CORINTH,), ())
    assert RULES.default(game.state, game.asked) == Pass()


def test_nothing_can_be_done_outside_a_window_and_there_is_no_advice() -> None:
    game = bidding((), (CORINTH,), ())
    assert [RULES.anytime(game.state, seat) for seat in range(3)] == [(), (), ()]
    assert RULES.puzzle(game.state, game.asked) is None
