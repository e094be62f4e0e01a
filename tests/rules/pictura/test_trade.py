"""Trading with the international museums: P-TRADE-1 to P-TRADE-3."""

from saleroom_protocol.games.forms import Form, one_of
from saleroom_protocol.games.pictura import (
    Decline,
    FavourTrade,
    NothingTraded,
    NoTrade,
    Scored,
    Trade,
    Traded,
    Why,
)
from saleroom_rules.pictura.cards import WORTH
from tests.support.pictura import FAVOUR, GREEDY, Game, scored, table

# Renaissance, history, painter 14: p003 is worth 2 there, p001 1, p039 1, p111 0.
TOKYO = {"tokyo": ("t02", ["p004", "p009", "p112", "p150"])}  # worth 1, 2, 0, 0


def test_p_trade_1_the_value_given_counts_for_and_the_value_taken_against_at_once() -> None:
    game = Game(table(hands={0: ["p003", "p111"]}, cities=TOKYO))
    events = game.does(Trade("p003", "p112"))
    assert events == (Traded(0, "tokyo", "p003", "p112"), Scored(0, "trade", 2, 12))
    assert (game.hand(0), game.score(0)) == (("p111", "p112"), 12)
    assert game.city("tokyo") == {"p003", "p004", "p009", "p150"}


def test_p_trade_1_both_values_count_together() -> None:
    game = Game(table(hands={0: ["p003"]}, cities=TOKYO, scores={0: 0}))
    assert scored(game.does(Trade("p003", "p009"))) == [], "2 for, 2 against"
    game = Game(table(hands={0: ["p111"]}, cities=TOKYO, scores={0: 5}))
    assert scored(game.does(Trade("p111", "p009"))) == [(0, "trade", -2)]


def test_p_trade_1_only_what_the_hand_holds_for_what_a_museum_has() -> None:
    game = Game(table(hands={0: ["p003"], 1: ["p005"]}, cities=TOKYO, archives={1: ["p006"]}))
    assert game.refuses(Trade("p005", "p004")) == (Why.NOT_IN_HAND, {"card": "p005"})
    for elsewhere in ("p003", "p005", "p006", "p180x"):
        facts = {"painting": elsewhere}
        assert game.refuses(Trade("p003", elsewhere)) == (Why.NOT_THERE, facts)


def test_p_trade_2_a_trade_that_would_leave_less_than_0_points_is_not_allowed() -> None:
    game = Game(table(hands={0: ["p111", "p003"]}, cities=TOKYO, scores={0: 1}))
    facts = {"score": 1, "points": -2}
    assert game.refuses(Trade("p111", "p009")) == (Why.BELOW_ZERO, facts)
    (one, other) = game.entries("trade")
    assert (one.fixed["give"], other.fixed["give"]) == ("p003", "p111")
    assert "p009" in one.choose["take"].one_of
    assert "p009" not in other.choose["take"].one_of
    assert {"p004", "p112", "p150"} <= {*other.choose["take"].one_of}
    game.does(Trade("p111", "p004"))
    assert game.score(0) == 0


def test_p_trade_2_without_an_allowed_trade_the_window_is_opened_all_the_same() -> None:
    game = Game(table(hands={0: ["p111"], 1: ["p117"]}, cities=GREEDY, scores={0: 0, 1: 0}))
    assert game.legal() == [NoTrade()]
    assert game.refuses(Decline()) == (Why.TRADE_NEEDED, {})
    assert game.does(NoTrade()) == (NothingTraded(0),)
    assert (game.asked, game.legal()) == (1, [Decline()])
    game.does(Decline())
    assert game.kind == "action"


def test_p_trade_2_the_active_player_is_asked_with_an_empty_hand_too() -> None:
    game = Game(table(deck=[]))
    assert (game.asked, game.legal()) == (0, [NoTrade()])


def test_p_trade_3_the_trend_of_a_museum_never_changes() -> None:
    game = Game(table(hands={0: ["p003"]}, cities=TOKYO))
    before = {city: museum.trend for city, museum in game.table.museums.items()}
    game.does(Trade("p003", "p112"))
    assert {city: museum.trend for city, museum in game.table.museums.items()} == before
    assert game.table.museums["tokyo"].matching == ("p004", "p009", "p003")
    assert game.table.museums["tokyo"].other == ("p150",)


def test_there_is_a_form_for_every_painting_that_could_be_given() -> None:
    cities = TOKYO | {
        city: ("t02", [f"p{place}{n}" for n in range(4)])
        for city, place in (("madrid", 14), ("victoria", 16), ("moscow", 17))
    }
    game = Game(table(hands={0: ["p111"]}, cities=cities, scores={0: 0}))
    takes = [p for _, pile in cities.values() for p in pile if not WORTH["t02"][p]]
    assert game.legal() == [Form("trade", {"give": "p111"}, {"take": one_of(takes)})]


def test_a_painting_just_taken_may_be_given_again_and_one_just_given_be_taken() -> None:
    game = Game(
        table(
            cities=TOKYO, hands={0: ["p003", "p111"], 1: ["p005"]}, favours={0: [FAVOUR["trade"]]}
        )
    )
    game.does(FavourTrade("p003", "p112"), Trade("p112", "p150"))
    game.does(Trade("p005", "p003"))
    assert (game.hand(0), game.hand(1)) == (("p111", "p150"), ("p003",))
    assert game.city("tokyo") == {"p004", "p005", "p009", "p112"}


def test_who_declines_loses_nothing() -> None:
    game = Game(table(hands={0: ["p111"], 1: ["p003"]}, cities=TOKYO))
    game.does(Trade("p111", "p112"), Decline())
    assert (game.score(1), game.hand(1)) == (10, ("p003",))


def test_another_may_trade_as_the_active_player_does() -> None:
    game = Game(table(hands={0: ["p111"], 1: ["p003"]}, cities=TOKYO))
    game.does(Trade("p111", "p112"))
    events = game.does(Trade("p003", "p150"))
    assert events == (Traded(1, "tokyo", "p003", "p150"), Scored(1, "trade", 2, 12))
