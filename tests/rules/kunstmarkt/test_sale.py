"""A customer's visit, in the order of the rules: K-C-1 to K-C-5."""

from collections.abc import Callable
from itertools import pairwise

import pytest
from msgspec import UNSET

from saleroom_protocol.games.kunstmarkt import (
    Buy,
    CustomerLeft,
    CustomerPlayed,
    DrawCustomer,
    Offer,
    OfferFacts,
    Pass,
    Passed,
    PictureOffered,
    PictureSold,
    PlayCustomer,
    Why,
)
from saleroom_rules.kunstmarkt.cards import CUSTOMERS, PICTURES
from saleroom_seeds.kunstmarkt import Picture
from tests.support.kunstmarkt import RULES, Game, table

DUERER, CORINTH, KOLLER = "p01", "p14", "p20"  # German: fame 98, 82, 12
BRUEGEL = "p23"  # from the Netherlands
GERMAN_FAMOUS, GERMAN_SMALL = "c01", "c03"  # pay 15,000 and 13,000
ANY_FAMOUS, ANY_LARGE, ANY_SMALL, ANY_OLD, ANY_NEW = "c21", "c23", "c24", "c26", "c27"


def visit(customer: str, *hands: tuple[str, ...], active: int = 0) -> Game:
    """Return a game in which the active player has just played this customer."""
    callers = [() if seat != active else (customer,) for seat in range(len(hands))]
    game = Game(table(pictures=hands, customers=callers, active=active))
    game.does(PlayCustomer(customer))
    return game


def test_the_cards_named_here_are_what_the_tests_take_them_for() -> None:
    assert [PICTURES[card].fame for card in (DUERER, CORINTH, KOLLER)] == [98, 82, 12]
    assert [PICTURES[card].nationality for card in (CORINTH, BRUEGEL)] == ["DE", "NL"]
    assert CUSTOMERS[GERMAN_FAMOUS].nationalities == ("DE",)
    wishes = [CUSTOMERS[card].wish for card in (ANY_FAMOUS, ANY_LARGE, ANY_SMALL, ANY_OLD, ANY_NEW)]
    assert wishes == ["famous", "large", "small", "old", "new"]
    assert not any(CUSTOMERS[card].nationalities for card in (ANY_FAMOUS, ANY_NEW))


def test_k_c_1_a_played_customer_lies_open_and_leaves_the_hand() -> None:
    game = Game(table(customers=((GERMAN_FAMOUS, "c02"), (), ())))
    assert game.does(PlayCustomer(GERMAN_FAMOUS)) == (CustomerPlayed(0, GERMAN_FAMOUS),)
    assert game.state.players[0].customers == ("c02",)
    sale = RULES.table(game.state).sale
    assert sale is not UNSET
    assert (sale.customer, sale.offers, sale.best) == (GERMAN_FAMOUS, {}, UNSET)


def test_k_c_1_only_a_customer_of_the_own_hand_can_be_played() -> None:
    game = Game(table(customers=((GERMAN_FAMOUS,), ("c02",), ())))
    for elsewhere in ("c02", game.state.deck[0], "c99"):
        assert game.refuses(PlayCustomer(elsewhere)) == (Why.NOT_IN_HAND, {"card": elsewhere})


@pytest.mark.parametrize("active", range(4))
def test_k_c_1_everybody_is_asked_once_from_the_left_the_active_player_last(active: int) -> None:
    game = visit(GERMAN_FAMOUS, (), (), (), (), active=active)
    asked = []
    for _ in range(4):
        assert game.window.kind == "offer"
        asked.append(game.asked)
        game.does(Pass())
    assert asked == [(active + step) % 4 for step in (1, 2, 3, 4)]
    assert (game.window.kind, game.asked) == ("turn", (active + 1) % 4)


def test_k_c_1_an_offer_is_laid_open_and_a_pass_is_public() -> None:
    game = visit(GERMAN_FAMOUS, (), (CORINTH,), ())
    assert game.does(Offer(CORINTH)) == (PictureOffered(1, CORINTH),)
    assert game.does(Pass()) == (Passed(2),)


def test_k_c_1_only_a_picture_of_the_own_hand_can_be_offered() -> None:
    game = visit(GERMAN_FAMOUS, (DUERER,), (CORINTH,), ())
    for elsewhere in (DUERER, game.state.market[0], game.state.stock[0], "p99"):
        assert game.refuses(Offer(elsewhere)) == (Why.NOT_IN_HAND, {"card": elsewhere})


def test_k_c_1_nothing_but_an_offer_answers_a_customer() -> None:
    game = visit(GERMAN_FAMOUS, (), (CORINTH,), ())
    for action in (DrawCustomer(), Buy(game.state.market[0]), PlayCustomer("c02")):
        assert game.refuses(action) == (Why.WRONG_WINDOW, {"open": "offer"})
    assert game.refuses(Pass(), seat=0) == (Why.NOT_ASKED, {"seat": 0})


def test_k_c_2_an_offer_must_match_the_grey_criterion() -> None:
    game = visit(GERMAN_FAMOUS, (), (BRUEGEL,), ())
    assert game.refuses(Offer(BRUEGEL)) == (Why.NO_MATCH, {"customer": GERMAN_FAMOUS})


def test_k_c_2_a_picture_of_two_categories_matches_either() -> None:
    cranach = "p02"  # biblical and nude
    for customer in ("c11", "c15"):
        game = visit(customer, (), (cranach,), ())
        assert Offer(cranach) in game.legal()


def test_k_c_2_a_criterion_may_list_several_nationalities() -> None:
    kandinsky = "p30"  # Russia
    game = visit("c07", (), (BRUEGEL, kandinsky, CORINTH), ())
    assert game.legal() == [Offer(BRUEGEL), Offer(kandinsky), Pass()]


def test_k_c_2_without_a_criterion_any_picture_will_do() -> None:
    game = visit(ANY_FAMOUS, (), (CORINTH, BRUEGEL, "p48"), ())
    assert len(game.legal()) == 4


def test_k_c_3_the_rulebooks_example_corinth_is_beaten_by_duerer() -> None:
    game = visit(GERMAN_FAMOUS, (), (CORINTH,), (DUERER,))
    game.does(Offer(CORINTH))
    assert game.legal() == [Offer(DUERER), Pass()]
    game.does(Offer(DUERER))
    assert game.does(Pass())[-1] == PictureSold(2, DUERER, GERMAN_FAMOUS, 15_000)


def test_k_c_3_the_rulebooks_example_does_not_work_the_other_way_round() -> None:
    game = visit(GERMAN_FAMOUS, (), (DUERER,), (CORINTH,))
    game.does(Offer(DUERER))
    assert game.legal() == [Pass()]
    assert game.refuses(Offer(CORINTH)) == (Why.NOT_BETTER, {"to_beat": DUERER})


@pytest.mark.parametrize(
    ("customer", "better"),
    [
        (ANY_FAMOUS, lambda picture: picture.fame),
        (ANY_LARGE, lambda picture: picture.size_dm2),
        (ANY_SMALL, lambda picture: -picture.size_dm2),
        (ANY_OLD, lambda picture: -picture.year),
        (ANY_NEW, lambda picture: picture.year),
    ],
)
def test_k_c_3_an_offer_must_be_strictly_better_in_what_the_customer_wishes(
    customer: str, better: Callable[[Picture], int]
) -> None:
    ranked = sorted(PICTURES, key=lambda card: better(PICTURES[card]))
    for worse, good in pairwise(ranked):
        game = visit(customer, (), (worse,), (good,))
        game.does(Offer(worse))
        assert game.legal() == [Offer(good), Pass()]
        game = visit(customer, (), (good,), (worse,))
        game.does(Offer(good))
        assert game.legal() == [Pass()]


def test_k_c_4_offers_lie_on_the_table_until_the_sale() -> None:
    game = visit(GERMAN_FAMOUS, (), (KOLLER, BRUEGEL), (CORINTH,))
    game.does(Offer(KOLLER), Offer(CORINTH))
    shown = RULES.table(game.state)
    assert shown.sale is not UNSET
    assert (shown.sale.offers, shown.sale.best) == ({"1": KOLLER, "2": CORINTH}, 2)
    assert [player.pictures for player in shown.players.values()] == [0, 1, 0]


def test_k_c_4_the_best_is_sold_by_the_bank_and_beaten_ones_return() -> None:
    game = visit(GERMAN_FAMOUS, (DUERER,), (KOLLER, BRUEGEL), (CORINTH,))
    game.does(Offer(KOLLER), Offer(CORINTH))
    sold = PictureSold(0, DUERER, GERMAN_FAMOUS, 15_000)
    assert game.does(Offer(DUERER)) == (PictureOffered(0, DUERER), sold)
    assert [game.hand(seat) for seat in range(3)] == [(), (KOLLER, BRUEGEL), (CORINTH,)]
    assert [game.cash(seat) for seat in range(3)] == [40_000, 25_000, 25_000]
    shown = RULES.table(game.state)
    assert shown.discards.pictures == {DUERER: "sold"}
    assert shown.discards.customers == {GERMAN_FAMOUS: "served"}
    assert shown.sale is UNSET
    assert game.asked == 1


def test_k_c_4_the_customer_need_not_buy_from_who_played_it() -> None:
    game = visit(GERMAN_FAMOUS, (), (CORINTH,), ())
    game.does(Offer(CORINTH), Pass(), Pass())
    assert [game.cash(seat) for seat in range(3)] == [25_000, 40_000, 25_000]


def test_a_returned_offer_is_known_to_all() -> None:
    game = visit(GERMAN_FAMOUS, (), (KOLLER, BRUEGEL), (CORINTH,))
    game.does(Offer(KOLLER), Offer(CORINTH), Pass())
    assert RULES.table(game.state).players["1"].known == (KOLLER,)


def test_a_known_picture_that_is_sold_is_known_no_more() -> None:
    game = Game(table(pictures=((KOLLER,), (), ()), customers=((ANY_FAMOUS,), (), ())))
    best = game.state.market[0]
    game.does(Buy(best), DrawCustomer(), DrawCustomer(), PlayCustomer(ANY_FAMOUS))
    game.does(Pass(), Pass(), Offer(best))
    assert RULES.table(game.state).players["0"].known == ()


def test_k_c_5_without_an_offer_the_customer_is_discarded_and_nothing_is_paid() -> None:
    game = visit(GERMAN_FAMOUS, (), (CORINTH,), ())
    assert game.does(Pass(), Pass(), Pass()) == (Passed(0), CustomerLeft(GERMAN_FAMOUS))
    assert [game.cash(seat) for seat in range(3)] == [25_000] * 3
    assert RULES.table(game.state).discards.customers == {GERMAN_FAMOUS: "left"}
    assert game.hand(1) == (CORINTH,)


def test_the_window_says_which_customer_and_what_to_beat() -> None:
    game = visit(GERMAN_FAMOUS, (), (CORINTH,), (DUERER,))
    assert game.window.facts == OfferFacts(GERMAN_FAMOUS)
    game.does(Offer(CORINTH))
    assert game.window.facts == OfferFacts(GERMAN_FAMOUS, CORINTH)
