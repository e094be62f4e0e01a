"""The course of a turn: P-TURN-1 to P-TURN-7."""

import pytest
from msgspec import UNSET

from saleroom_protocol.games.forms import Form, some_of
from saleroom_protocol.games.pictura import (
    ActionFacts,
    Claim,
    Decline,
    Discard,
    DiscardFacts,
    Done,
    Exhibit,
    FavourDraw,
    FavourPoints,
    FavoursDiscarded,
    FavourTake,
    Inventory,
    LastTurns,
    NothingTraded,
    NoTrade,
    Options,
    PaintingsArchived,
    PaintingsDrawn,
    TradeFacts,
    TrendRevealed,
    TurnBegun,
    Why,
)
from saleroom_rules.contract import do_of
from tests.support.pictura import FAVOUR, PATRON, RULES, At, Game, table

HAND = [f"p{number:03}" for number in range(1, 8)]
MANY = [f"p{number:03}" for number in range(1, 12)]
POINTS = PATRON["renaissance", "mythology", "points"]


def traded(game: Game) -> None:
    """Let everybody who is asked do what time running out would."""
    while game.kind == "trade":
        game.does(RULES.default(game.state, game.asked))


def next_turn(game: Game) -> tuple[object, ...]:
    """Let the turn pass to its end."""
    turn = game.table.turn
    events: tuple[object, ...] = ()
    while game.table.turn == turn:
        events = game.does(RULES.default(game.state, game.asked))
    return events


def test_p_turn_1_a_turn_begins_with_two_paintings() -> None:
    game = Game(table("turn", hands={0: ["p050"]}, deck=["p009", "p003", "p004"]))
    assert game.hand(0) == ("p003", "p009", "p050")
    assert game.table.piles.paintings == 1


def test_p_turn_1_with_fewer_in_the_deck_they_are_what_there_is() -> None:
    game = Game(table("turn", hands={0: ["p050"]}, deck=["p009"]))
    assert game.hand(0) == ("p009", "p050")


def test_p_turn_2_the_active_player_must_trade() -> None:
    game = Game(table(hands={0: HAND}))
    assert (game.asked, game.facts) == (0, TradeFacts(0))
    assert {entry.do for entry in game.legal()} == {"trade"}
    for action in (NoTrade(), Decline()):
        assert game.refuses(action) == (Why.TRADE_NEEDED, {})


def test_p_turn_3_every_other_player_may_trade_once_clockwise() -> None:
    game = Game(table(seats=4, active=2, hands={seat: [HAND[seat]] for seat in range(4)}))
    asked = []
    while game.kind == "trade":
        asked.append(game.asked)
        assert game.facts == TradeFacts(2)
        game.does(RULES.default(game.state, game.asked))
    assert asked == [2, 3, 0, 1]
    assert (game.kind, game.asked) == ("action", 2)


def test_p_turn_3_the_others_may_decline_and_nobody_else() -> None:
    game = Game(table(hands={0: HAND[:2], 1: HAND[2:4]}))
    game.does(RULES.default(game.state, 0))
    assert game.legal(1)[-1] == Decline()
    assert game.refuses(NoTrade()) == (Why.NOT_ACTIVE, {"active": 0})
    assert game.does(Decline()) == (NothingTraded(1),)
    assert game.kind == "action"


def test_p_turn_3_who_holds_no_painting_is_not_asked() -> None:
    game = Game(table(seats=4, hands={0: HAND[:1], 2: HAND[1:2]}))
    game.does(RULES.default(game.state, 0))
    assert game.asked == 2
    game.does(Decline())
    assert game.kind == "action"


def test_p_turn_4_exactly_one_of_three_actions_is_taken() -> None:
    game = Game(table("action", hands={0: HAND}))
    assert game.facts == ActionFacts()
    assert game.refuses(Done()) == (Why.ACTION_NEEDED, {})
    assert not game.entries("done")
    game.does(Inventory())
    assert game.refuses(Exhibit("p001", "p002")) == (Why.ONE_ACTION, {"chosen": "inventory"})
    assert game.refuses(Inventory()) == (Why.ONE_ACTION, {"chosen": "inventory"})
    game.does(Done())
    assert game.table.turn == 3


def test_p_turn_4_the_first_step_commits_to_the_action() -> None:
    game = Game(table("action", hands={0: HAND}))
    game.does(Exhibit("p001", "p002"))
    assert game.facts == ActionFacts("improve")
    assert not game.entries("inventory")
    assert game.refuses(Inventory()) == (Why.ONE_ACTION, {"chosen": "improve"})


def test_p_turn_4_nobody_answers_for_another_or_another_window() -> None:
    game = Game(table(hands={0: HAND}))
    assert game.refuses(Decline(), 1) == (Why.NOT_ASKED, {"seat": 1})
    assert game.refuses(Inventory()) == (Why.WRONG_WINDOW, {"open": "trade"})
    traded(game)
    assert game.refuses(NoTrade()) == (Why.WRONG_WINDOW, {"open": "action"})


@pytest.mark.parametrize("at", ["trade", "action"])
def test_p_turn_5_one_favour_and_one_patron_in_the_own_windows(at: At) -> None:
    favours = [FAVOUR["points"], FAVOUR["take"]]
    game = Game(
        table(
            at,
            favours={0: favours},
            hands={0: HAND},
            museums={0: ["p013", "p019"]},
            patrons=[POINTS, "m05"],
        )
    )
    game.does(FavourPoints())
    assert (game.kind, game.table.favour_played, game.table.patron_claimed) == (at, True, False)
    assert game.refuses(FavourTake("p180")) == (Why.ONE_FAVOUR, {})
    assert game.refuses(FavourDraw("take")) == (Why.ONE_FAVOUR, {})
    game.does(Claim(POINTS))
    assert (game.kind, game.table.patron_claimed) == (at, True)
    assert game.refuses(Claim("m05")) == (Why.ONE_PATRON, {})
    assert not any(do_of(entry).startswith(("favour", "claim")) for entry in game.legal())


def test_p_turn_5_it_is_once_a_turn_not_once_a_window() -> None:
    game = Game(table(hands={0: HAND}, favours={0: [FAVOUR["points"], FAVOUR["take"]]}))
    game.does(FavourPoints())
    traded(game)
    assert game.refuses(FavourTake("p180")) == (Why.ONE_FAVOUR, {})
    game.does(Inventory(), Done())
    assert not game.table.favour_played


def test_p_turn_5_a_patron_may_be_claimed_again_in_the_next_turn() -> None:
    game = Game(
        table("action", museums={1: ["p001", "p002"]}, patrons=[POINTS], patron_claimed=True)
    )
    game.does(Inventory(), Done())
    assert not game.table.patron_claimed
    assert game.entries("claim") == [Claim(POINTS)]


def test_p_turn_5_between_and_after_the_steps_of_an_action_too() -> None:
    game = Game(table("action", hands={0: HAND}, favours={0: [FAVOUR["points"]]}))
    game.does(Exhibit("p001", "p002"))
    assert game.entries("favour_points")
    game.does(FavourPoints())
    assert game.facts == ActionFacts("improve")
    game.does(Exhibit("p003", "p004"), Done())
    assert game.table.turn == 3


def test_p_turn_5_not_while_another_trades_or_by_another() -> None:
    game = Game(table(hands={0: HAND[:2], 1: HAND[2:4]}, favours={1: [FAVOUR["points"]]}))
    game.does(RULES.default(game.state, 0))
    assert game.asked == 1
    assert game.refuses(FavourPoints()) == (Why.NOT_ACTIVE, {"active": 0})
    assert game.refuses(Claim(POINTS)) == (Why.NOT_ACTIVE, {"active": 0})
    assert not game.entries("favour_points")


def test_p_turn_6_with_too_much_in_the_hand_exactly_the_excess_goes() -> None:
    favours = ["f01", "f02", "f03", "f04", "f05"]
    game = Game(table("action", hands={0: MANY}, favours={0: favours}, favour_deck=()))
    game.does(Inventory(), Done())
    assert (game.kind, game.facts) == ("discard", DiscardFacts(3, 2))
    choose = {"paintings": some_of(MANY, 3, 3), "favours": some_of(favours, 2, 2)}
    assert game.legal() == [Form("discard", {}, choose)]
    few = Discard(("p001", "p002"), ("f01", "f02"))
    assert game.refuses(few) == (Why.WRONG_NUMBER, {"needed": 3})
    twice = Discard(("p001", "p002", "p002"), ("f01", "f02"))
    assert game.refuses(twice) == (Why.WRONG_NUMBER, {"needed": 3})
    none = Discard(("p001", "p002", "p003"))
    assert game.refuses(none) == (Why.WRONG_NUMBER, {"needed": 2})
    foreign = Discard(("p001", "p002", "p003"), ("f01", "f24"))
    assert game.refuses(foreign) == (Why.NOT_IN_HAND, {"card": "f24"})
    assert game.refuses(Done()) == (Why.WRONG_WINDOW, {"open": "discard"})
    events = game.does(Discard(("p002", "p011", "p005"), ("f05", "f01")))
    assert events[:2] == (
        PaintingsArchived(0, ("p011", "p005", "p002")),
        FavoursDiscarded(0, ("f01", "f05")),
    )
    assert game.archive(0) == ("p011", "p005", "p002"), "the highest id first"
    lie_open = [("f01", "points"), ("f05", "exhibit")]
    assert [*game.table.favours.items()] == lie_open
    assert (len(game.hand(0)), game.favours(0)) == (8, ("f02", "f03", "f04"))
    assert events[2] == TurnBegun(3, 1)


@pytest.mark.parametrize(
    ("hand", "favours", "facts", "fields"),
    [
        (MANY[:9], ["f01"], DiscardFacts(1, 0), {"paintings"}),
        (MANY[:8], ["f01", "f02", "f03"], DiscardFacts(0, 1), {"favours"}),
    ],
)
def test_p_turn_6_what_is_not_too_much_is_not_asked_for(
    hand: list[str], favours: list[str], facts: DiscardFacts, fields: set[str]
) -> None:
    deck = ("f09",) if facts.favours else ()
    game = Game(table("action", hands={0: hand}, favours={0: favours}, favour_deck=deck))
    game.does(Inventory(), Done())
    assert game.facts == facts
    (form,) = game.legal()
    assert set(form.choose) == fields
    both = Discard(("p001",), ("f01",))
    assert game.refuses(both) == (Why.WRONG_NUMBER, {"needed": 0})
    nothing = Discard((), ("f01",)) if facts.favours else Discard(("p001",), ())
    assert game.refuses(nothing) == (Why.WRONG_NUMBER, {"needed": 0})
    needed = Discard(UNSET, ("f01",)) if facts.favours else Discard(("p001",))
    _, begun, *_ = game.does(needed)
    assert begun == TurnBegun(3, 1), "one thing only was put away"


def test_p_turn_6_eight_paintings_and_three_favours_may_stay() -> None:
    game = Game(table("action", hands={0: MANY[:8]}, favours={0: ["f01", "f02"]}))
    game.does(Inventory(), Done())
    assert game.table.turn == 3


@pytest.mark.parametrize(
    ("space", "count", "kind"),
    [("hand_limit", 10, "trade"), ("hand_limit", 11, "discard"), ("end_points", 9, "discard")],
)
def test_p_turn_6_the_bonus_space_for_it_allows_ten_paintings(
    space: str, count: int, kind: str
) -> None:
    exhibitions = {0: {space: "baroque"}}
    game = Game(table("action", hands={0: MANY[:count]}, exhibitions=exhibitions))
    game.does(Inventory(), Done())
    assert game.kind == kind
    assert kind == "trade" or game.facts == DiscardFacts(1, 0)


def test_p_turn_6_a_hand_may_hold_more_until_then_and_in_the_turns_of_others() -> None:
    game = Game(table(hands={0: MANY, 1: [f"p{n:03}" for n in range(40, 50)]}))
    game.does(RULES.default(game.state, 0), Decline(), Inventory(), Done())
    assert game.kind == "discard"
    game.does(RULES.default(game.state, 0))
    assert (game.table.turn, len(game.hand(1))) == (3, 12)


def test_p_turn_6_in_the_last_turns_too() -> None:
    game = Game(table("action", hands={0: MANY[:9]}, ending="goal", last_turns=()))
    game.does(Inventory(), Done())
    assert (game.kind, game.facts) == ("discard", DiscardFacts(1, 0))
    game.does(Discard(("p001",)))
    assert (game.kind, game.archive(0)) == ("arrange_final", ("p001",))


def test_p_turn_7_a_new_general_trend_is_revealed_when_the_start_players_turn_begins() -> None:
    game = Game(table("action", start=0, active=1, seats=2, deck=["p009", "p003"]))
    before, top = game.table.trend, game.state.trend_deck[0]
    events = next_turn(game)
    drawn = PaintingsDrawn(0, 2, ("p003", "p009"))
    assert events[-3:] == (TurnBegun(3, 0), TrendRevealed(top), drawn)
    assert (game.table.trend, game.state.past_trends) == (top, (before,))
    next_turn(game)
    assert game.table.trend == top, "the other's turn renews nothing"


def test_p_turn_7_in_the_last_turns_too() -> None:
    game = Game(table("action", start=0, active=1, seats=2, reached=1))
    top = game.state.trend_deck[0]
    events = next_turn(game)
    assert events[:3] == (LastTurns("goal", (0,)), TurnBegun(3, 0), TrendRevealed(top))


def test_p_turn_7_not_in_the_first_turn() -> None:
    game = Game(table("turn", number=0))
    assert (game.table.turn, game.table.trend) == (1, "t30")


def test_p_turn_7_without_the_option_it_stays_the_same() -> None:
    game = Game(table("action", active=1, seats=2, options=Options(general_trend=False)))
    next_turn(game)
    assert (game.asked, game.table.trend) == (0, "t30")


def test_what_a_turn_left_behind_is_gone_in_the_next() -> None:
    game = Game(table("action", hands={0: HAND}, seats=2))
    game.does(Exhibit("p001", "p002"))
    assert [*game.table.entered] == ["p001"]
    events = game.does(Done())
    assert [*game.table.entered] == []
    assert isinstance(events[-1], PaintingsDrawn)
