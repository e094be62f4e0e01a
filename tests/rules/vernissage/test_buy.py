"""Buying a card: V-BUY-1 to V-BUY-3, V-STEP-3."""

from typing import Any

import pytest
from msgspec import UNSET

from saleroom_protocol.games.forms import Form, one_of
from saleroom_protocol.games.vernissage import (
    Allow,
    AnyAction,
    BuyGrey,
    BuyPile,
    BuySkipped,
    CardKept,
    Done,
    FateSkipped,
    GreyBought,
    GreyShuffled,
    Keep,
    KeepNone,
    Limited,
    NoteTaken,
    NothingKept,
    PickFacts,
    PileBought,
    Place,
    TurnBegun,
    Why,
)
from tests.support.vernissage import BOYZ, LIMITED, MIGHT, RULES, Game, table, unopposed

EMPTY: list[tuple[str, ...]] = [()] * 7
PILE = (*BOYZ[:3], *MIGHT[:4])


def at_buy(**position: Any) -> Game:
    """Return a game in which seat 0 is to buy."""
    return Game(table("buy", **position))


def at_b(**position: Any) -> tuple[Game, tuple[Any, ...]]:
    """Let seat 0 come to B after a counter nobody could object to; return all events."""
    return unopposed("purchase", 1, **position)


def one_pile(number: int, *cards: str) -> list[tuple[str, ...]]:
    """Return piles of which but one is empty."""
    return [cards if place == number else () for place in range(1, 8)]


def test_v_buy_1_one_of_seven_piles_or_the_top_grey_card() -> None:
    game = at_buy()
    assert game.legal() == [*map(BuyPile, range(1, 8)), BuyGrey()]


@pytest.mark.parametrize("pile", range(1, 8))
def test_v_buy_1_a_pile_costs_what_is_printed_and_may_be_looked_at(pile: int) -> None:
    game = at_buy()
    cards, price = game.state.piles[pile - 1], 10_000 + 10_000 * pile
    assert game.does(BuyPile(pile)) == (PileBought(0, pile, price, cards),)
    assert game.player(0).cash == 200_000 - price
    assert (game.kind, game.window.seats, game.facts) == ("pick", (0,), PickFacts(pile))
    assert RULES.private(game.state, 0).pile == cards
    assert game.legal() == [Form("keep", {}, {"card": one_of(cards)}), KeepNone()]


def test_v_buy_1_what_lies_in_the_pile_is_seen_by_the_buyer_only_and_only_while_picking() -> None:
    game = at_buy(hands={0: MIGHT[5:6]})
    (bought,) = game.does(BuyPile(2))
    for viewer in (None, 1, 2):
        assert RULES.tell(bought, viewer) == PileBought(0, 2, 30_000)
    assert RULES.tell(bought, 0) is bought
    assert RULES.private(game.state, 1).pile is UNSET
    game.does(KeepNone())
    assert RULES.private(game.state, 0).pile is UNSET


@pytest.mark.parametrize("place", range(7))
def test_v_buy_1_one_card_is_kept_and_the_rest_goes_back_in_place(place: int) -> None:
    game = at_buy(piles=[PILE, *EMPTY[1:]])
    game.does(BuyPile(1))
    (kept,) = game.does(Keep(PILE[place]))
    assert kept == CardKept(0, 1, PILE[place])
    assert game.hand(0) == (PILE[place],)
    assert game.state.piles[0] == (*PILE[:place], *PILE[place + 1 :])
    assert game.table.piles["1"].cards == 6
    assert (game.player(0).brown, game.player(0).cash) == (1, 180_000)
    for viewer in (None, 1, 2):
        assert RULES.tell(kept, viewer) == CardKept(0, 1)
    assert RULES.tell(kept, 0) is kept


def test_v_buy_1_nothing_may_be_kept_and_nothing_is_refunded() -> None:
    game = at_buy(piles=[PILE, *EMPTY[1:]])
    game.does(BuyPile(1))
    assert game.does(KeepNone())[0] == NothingKept(0, 1)
    assert game.state.piles[0] == PILE
    assert (game.hand(0), game.player(0).cash) == ((), 180_000)


def test_v_buy_1_only_a_card_of_that_pile_can_be_kept() -> None:
    game = at_buy(hands={1: MIGHT[10:11]})
    game.does(BuyPile(3))
    other, aside = game.state.piles[3][0], game.state.aside[0]
    for card in (other, aside, game.state.grey[0], MIGHT[10], "b99", ""):
        assert game.refuses(Keep(card)) == (Why.NOT_IN_PILE, {"card": card})


def test_v_buy_1_an_empty_pile_cannot_be_bought_nor_one_there_is_not() -> None:
    game = at_buy(piles=[PILE, (), *EMPTY[2:]])
    assert game.legal() == [BuyPile(1), BuyGrey()]
    for pile in (2, 7, 0, 8, -1):
        assert game.refuses(BuyPile(pile)) == (Why.NO_PILE, {"pile": pile})


def test_v_buy_1_the_top_grey_card_costs_10_000_and_only_the_buyer_knows_it() -> None:
    game = at_buy(grey=("g20", "g01"))
    (bought,) = game.does(BuyGrey())
    assert bought == GreyBought(0, 10_000, "g20")
    assert (game.hand(0), game.player(0).grey, game.player(0).cash) == (("g20",), 1, 190_000)
    assert game.state.grey == ("g01",)
    for viewer in (None, 1, 2):
        assert RULES.tell(bought, viewer) == GreyBought(0, 10_000)
    assert RULES.tell(bought, 0) is bought


def test_v_buy_1_exactly_one_purchase() -> None:
    game = at_buy()
    game.does(BuyGrey())
    assert game.kind == "play"
    assert game.refuses(BuyGrey()) == (Why.WRONG_WINDOW, {"open": "play"})
    game = at_buy()
    game.does(BuyPile(1))
    assert game.refuses(BuyPile(2)) == (Why.WRONG_WINDOW, {"open": "pick"})


def test_v_buy_1_it_is_compulsory() -> None:
    game = at_buy(cash={0: 0})
    passes: list[AnyAction] = [Done(), Allow(), KeepNone(), Place("purchase", 1, "boyz")]
    for action in passes:
        assert game.refuses(action) == (Why.WRONG_WINDOW, {"open": "buy"})
    assert game.legal() == [*map(BuyPile, range(1, 8)), BuyGrey()], "even without any money"


def test_v_buy_1_with_nothing_to_buy_at_all_it_is_skipped() -> None:
    hands = {0: MIGHT[:1]}
    game, events = at_b(piles=EMPTY, grey=(), hands=hands)
    assert events[-1] == BuySkipped(0)
    assert game.kind == "play"


def test_v_buy_1_with_nothing_to_buy_and_no_card_to_play_the_turn_is_over() -> None:
    _, events = at_b(piles=EMPTY, grey=())
    assert events[2] == BuySkipped(0)
    assert events[3] == TurnBegun(2, 1)


def test_v_buy_1_without_grey_cards_there_is_none_to_buy() -> None:
    game = at_buy(piles=one_pile(4, "b01"), grey=())
    assert game.legal() == [BuyPile(4)]
    assert game.refuses(BuyGrey()) == (Why.NO_GREY, {})


@pytest.mark.parametrize(
    ("cash", "pile", "notes", "left"),
    [
        (20_000, 1, 0, 0),
        (19_999, 1, 1, 99_999),
        (0, 7, 1, 20_000),
        (80_000, 7, 0, 0),
        (79_999, 7, 1, 99_999),
    ],
)
def test_v_buy_2_who_cannot_pay_borrows_100_000_and_only_then(
    cash: int, pile: int, notes: int, left: int
) -> None:
    game = at_buy(cash={0: cash})
    events = game.does(BuyPile(pile))
    assert events[:-1] == (NoteTaken(0, 100_000),) * notes
    assert (game.player(0).notes, game.player(0).cash) == (notes, left)


def test_v_buy_2_a_grey_card_may_take_a_note_as_well() -> None:
    game = at_buy(cash={0: 9_999})
    assert game.does(BuyGrey())[0] == NoteTaken(0, 100_000)
    assert (game.player(0).notes, game.player(0).cash) == (1, 99_999)


def test_v_buy_2_as_often_as_needed() -> None:
    # Prices are below a loan; a debt no game leads to shows that it takes as many as it takes.
    game = at_buy(cash={0: -200_000})
    events = game.does(BuyPile(7))
    assert events[:-1] == (NoteTaken(0, 100_000),) * 3
    assert (game.player(0).notes, game.player(0).cash) == (3, 20_000)


def test_v_buy_2_notes_add_up_from_turn_to_turn() -> None:
    game = at_buy(cash={0: 0}, agents={1: (5,), 2: (5,)})
    while game.player(0).notes < 2:
        action = BuyPile(7) if game.kind == "buy" else RULES.default(game.state, game.asked)
        game.does(action)
    assert game.player(0).cash >= 0
    assert game.table.turn > 3


def test_v_buy_3_no_action_sells_or_gives_away_a_work() -> None:
    words = {action.__struct_config__.tag for action in RULES.action_type.__args__}
    assert not words & {"sell", "resell", "give", "trade", "discard"}
    game = at_buy(hands={0: BOYZ[:2]})
    game.does(BuyGrey())
    assert {getattr(entry, "do", "done") for entry in game.legal()} <= {"limited", "done"}


def test_v_step_3_an_empty_grey_pile_is_renewed_from_the_discards_when_a_buy_window_opens() -> None:
    discards = {"g20": 4, "g03": 1, "g08": 2}
    game, events = at_b(grey=(), discards=discards, hands={0: LIMITED[3]})
    assert events[-1] == GreyShuffled(3)
    assert game.kind == "buy"
    assert sorted(game.state.grey) == ["g03", "g08", "g20"]
    assert (game.table.grey.cards, game.table.grey.discards) == (3, {})
    assert BuyGrey() in game.legal()


def test_v_step_3_the_discards_are_shuffled_by_id_however_they_came() -> None:
    orders = []
    for discards in ({"g20": 4, "g03": 1, "g08": 2}, {"g08": 2, "g20": 4, "g03": 1}):
        game, _ = at_b(grey=(), discards=discards)
        orders.append(game.state.grey)
    assert orders[0] == orders[1]


def test_v_step_3_while_a_grey_card_is_left_discards_stay() -> None:
    game, events = at_b(grey=("g20",), discards={"g03": 1})
    assert not any(isinstance(event, GreyShuffled) for event in events)
    assert game.table.grey.discards == {"g03": 1}


def test_v_step_3_without_discards_an_empty_grey_pile_stays_empty() -> None:
    game, events = at_b(grey=(), piles=one_pile(2, "b01"))
    assert not any(isinstance(event, GreyShuffled) for event in events)
    assert game.legal() == [BuyPile(2)]


def test_v_step_3_discards_alone_keep_b_from_being_skipped() -> None:
    game, events = at_b(grey=(), piles=EMPTY, discards={"g03": 1})
    assert events[-1] == GreyShuffled(1)
    assert game.legal() == [BuyGrey()]


def test_v_step_3_a_card_discarded_in_c_is_there_for_the_next_to_buy() -> None:
    game = Game(
        table("play", hands={0: LIMITED[2][:1]}, grey=(), piles=EMPTY, agents={1: (9,), 2: (9,)})
    )
    events = game.does(Limited(2, "2", 3))
    assert events[-2:] == (FateSkipped(1), GreyShuffled(1))
    assert (game.kind, game.asked, game.legal()) == ("buy", 1, [BuyGrey()])


@pytest.mark.parametrize(
    ("position", "default"),
    [
        ({}, BuyGrey()),
        ({"cash": {0: 0}}, BuyGrey()),
        ({"grey": ()}, BuyPile(1)),
        ({"grey": (), "piles": [(), (), ("b01",), ("b02",), *EMPTY[4:]]}, BuyPile(3)),
        ({"grey": (), "cash": {0: 0}}, BuyPile(1)),
    ],
)
def test_time_running_out_buys_the_grey_card_else_the_cheapest_pile(
    position: dict[str, Any], default: AnyAction
) -> None:
    game = at_buy(**position)
    assert RULES.default(game.state, 0) == default
    game.does(default)


def test_time_running_out_keeps_the_first_card_of_the_pile() -> None:
    game = at_buy(piles=[PILE[::-1], *EMPTY[1:]])
    game.does(BuyPile(1))
    assert RULES.default(game.state, 0) == Keep(PILE[-1])
    assert game.refuses(BuyGrey()) == (Why.WRONG_WINDOW, {"open": "pick"})
