"""The turn, in the order of the rules: K-TURN-1, A, B."""

import pytest
from msgspec import UNSET

from saleroom_protocol.games.forms import Form, one_of
from saleroom_protocol.games.kunstmarkt import (
    Buy,
    CustomerDrawn,
    DrawCustomer,
    MarketRefilled,
    Offer,
    Pass,
    PictureBought,
    PlayCustomer,
    Why,
)
from tests.support.kunstmarkt import RULES, Game, dealt, table

MARKET = ("p10", "p20", "p30", "p40", "p48")  # at 2,000 5,000 8,000 10,000 15,000
FOUR = ("p01", "p02", "p03", "p04")


def test_k_turn_1_the_turn_goes_clockwise_and_wraps() -> None:
    game = Game(table(active=1))
    asked = []
    for _ in range(4):
        asked.append(game.asked)
        game.does(DrawCustomer())
    assert asked == [1, 2, 0, 1]


def test_k_turn_1_exactly_one_action_a_turn() -> None:
    game = Game(table())
    number = game.window.number
    game.does(DrawCustomer())
    assert (game.asked, game.window.kind, game.window.number) == (1, "turn", number + 1)


def test_k_turn_1_passing_is_not_allowed_in_a_turn() -> None:
    game = Game(table())
    assert game.refuses(Pass()) == (Why.WRONG_WINDOW, {"open": "turn"})
    assert game.refuses(Offer("p01")) == (Why.WRONG_WINDOW, {"open": "turn"})


def test_k_turn_1_nobody_else_may_act() -> None:
    game = Game(table())
    assert game.refuses(DrawCustomer(), seat=1) == (Why.NOT_ASKED, {"seat": 1})
    assert game.legal(1) == []


@pytest.mark.parametrize("callers", [(), ("c01",), ("c01", "c02"), ("c01", "c02", "c03")])
def test_k_turn_1_there_is_always_something_to_do_even_without_money(
    callers: tuple[str, ...],
) -> None:
    game = Game(table(customers=(callers, (), ()), cash=(0, 0, 0)))
    assert game.legal()


def test_what_is_listed_in_a_turn_stands_in_the_documented_order() -> None:
    game = Game(table(customers=(("c09", "c02"), (), ()), cash=(8_000, 0, 0), market=MARKET))
    assert game.legal() == [
        DrawCustomer(),
        Buy("p10"),
        Buy("p20"),
        Buy("p30"),
        PlayCustomer("c02"),
        PlayCustomer("c09"),
    ]


def test_k_a_1_drawing_takes_the_top_customer_into_the_hand() -> None:
    game = Game(table(customers=(("c05",), (), ())))
    top = game.state.deck[0]
    assert game.does(DrawCustomer()) == (CustomerDrawn(0, top),)
    assert game.state.players[0].customers == tuple(sorted(("c05", top)))
    assert top not in game.state.deck


def test_k_a_1_with_three_customers_in_hand_none_may_be_drawn() -> None:
    game = Game(table(customers=(("c01", "c02", "c03"), (), ())))
    assert game.refuses(DrawCustomer()) == (Why.HAND_FULL, {"limit": 3})
    assert DrawCustomer() not in game.legal()


def test_k_a_2_no_action_discards_a_customer() -> None:
    game = Game(table(customers=(("c01", "c02", "c03"), (), ()), cash=(0, 0, 0)))
    assert game.legal() == [PlayCustomer("c01"), PlayCustomer("c02"), PlayCustomer("c03")]


@pytest.mark.parametrize(
    ("picture", "price"),
    list(zip(MARKET, (2_000, 5_000, 8_000, 10_000, 15_000), strict=True)),
)
def test_k_b_1_each_picture_costs_its_price_card(picture: str, price: int) -> None:
    game = Game(table(market=MARKET))
    refill = game.state.stock[0]
    bought = PictureBought(0, picture, price)
    assert game.does(Buy(picture)) == (bought, MarketRefilled(refill, 15_000))
    assert game.cash(0) == 25_000 - price
    assert game.hand(0) == (picture,)


def test_k_b_1_only_the_five_open_pictures_are_for_sale() -> None:
    game = Game(table(pictures=(FOUR[:1], (), ()), market=MARKET))
    for elsewhere in ("p01", game.state.stock[0], "p99"):
        assert game.refuses(Buy(elsewhere)) == (Why.NOT_ON_MARKET, {"picture": elsewhere})


def test_k_b_2_a_full_hand_names_a_discard_which_goes_before_the_new_one_comes() -> None:
    game = Game(table(pictures=(FOUR, (), ()), market=MARKET))
    bought = PictureBought(0, "p10", 2_000, "p03")
    assert game.does(Buy("p10", "p03"))[0] == bought
    assert game.hand(0) == ("p01", "p02", "p04", "p10")
    assert RULES.table(game.state).discards.pictures == {"p03": "discarded"}


def test_k_b_2_a_full_hand_is_listed_as_one_form_a_picture() -> None:
    game = Game(table(pictures=(FOUR, (), ()), cash=(5_000, 0, 0), market=MARKET))
    assert game.legal()[1:] == [
        Form("buy", {"picture": picture}, {"discard": one_of(FOUR)}) for picture in ("p10", "p20")
    ]


def test_k_b_2_a_full_hand_without_a_discard_is_refused() -> None:
    game = Game(table(pictures=(FOUR, (), ()), market=MARKET))
    assert game.refuses(Buy("p10")) == (Why.DISCARD_NEEDED, {"limit": 4})


def test_k_b_2_with_room_in_hand_no_discard_is_allowed() -> None:
    game = Game(table(pictures=(FOUR[:3], (), ()), market=MARKET))
    assert game.refuses(Buy("p10", "p01")) == (Why.DISCARD_NOT_ALLOWED, {"limit": 4})


@pytest.mark.parametrize("discard", ["p10", "p20", "p47"])
def test_k_b_2_only_a_picture_of_the_hand_can_be_discarded_not_the_new_one(discard: str) -> None:
    game = Game(table(pictures=(FOUR, (), ()), market=MARKET))
    assert game.refuses(Buy("p10", discard)) == (Why.NOT_IN_HAND, {"card": discard})


def test_k_b_3_without_enough_cash_nothing_moves() -> None:
    game = Game(table(pictures=(FOUR, (), ()), cash=(9_999, 0, 0), market=MARKET))
    facts = {"price": 10_000, "cash": 9_999}
    assert game.refuses(Buy("p40", "p01")) == (Why.TOO_EXPENSIVE, facts)


def test_k_b_3_the_last_coin_may_be_spent() -> None:
    game = Game(table(cash=(10_000, 0, 0), market=MARKET))
    game.does(Buy("p40"))
    assert game.cash(0) == 0


@pytest.mark.parametrize("place", range(5))
def test_k_b_4_dearer_pictures_slide_down_and_the_stock_refills_15_000(place: int) -> None:
    game = Game(table(market=MARKET))
    refill = game.state.stock[0]
    game.does(Buy(MARKET[place]))
    assert game.state.market == (*MARKET[:place], *MARKET[place + 1 :], refill)
    assert refill not in game.state.stock


def test_a_bought_picture_is_known_to_all_and_a_dealt_one_is_not() -> None:
    game = Game(table(pictures=(FOUR[:1], (), ()), market=MARKET))
    game.does(Buy("p20"))
    shown = RULES.table(game.state).players["0"]
    assert (shown.pictures, shown.known) == (2, ("p20",))


def test_a_known_picture_that_is_discarded_is_known_no_more() -> None:
    game = Game(table(pictures=(FOUR[:3], (), ()), market=MARKET))
    game.does(Buy("p20"), DrawCustomer(), DrawCustomer(), Buy("p10", "p20"))
    assert RULES.table(game.state).players["0"].known == ("p10",)


def test_only_the_player_who_drew_is_told_which_customer() -> None:
    game = Game(dealt())
    seat = game.asked
    (event,) = game.does(DrawCustomer())
    for viewer in (None, *range(3)):
        told = RULES.tell(event, viewer)
        assert isinstance(told, CustomerDrawn)
        assert (told.customer is UNSET) == (viewer != seat)
