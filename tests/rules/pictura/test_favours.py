"""Favours: P-FAV, P-FAV-1, P-FAV-2."""

from typing import Any

import pytest

from saleroom_protocol.games.forms import Form, one_of, some_of
from saleroom_protocol.games.pictura import (
    Acquire,
    AnyAction,
    Exhibit,
    FavourAcquire,
    FavourChoose,
    FavourDraw,
    FavourDrawn,
    FavourExhibit,
    FavourPlayed,
    FavourPoints,
    FavourRecover,
    FavourTake,
    FavourTrade,
    FavourTrend,
    GoalReached,
    Hold,
    KeepTwo,
    KeepTwoFacts,
    NoTrade,
    Options,
    PaintingHung,
    PaintingsArchived,
    PaintingsDrawn,
    PaintingsRecovered,
    Scored,
    Trade,
    Traded,
    TwoKept,
    Why,
)
from saleroom_rules.contract import do_of
from tests.support.pictura import FAVOUR, RENAISSANCE, ROCOCO, RULES, At, Game, scored, table

HAND = ["p001", "p003", "p111"]
TOKYO = {"tokyo": ("t02", ["p004", "p009", "p112", "p150"])}
FULL = [f"p{number:03}" for number in range(50, 75)]


def holding(kind: str, at: At = "action", **position: Any) -> Game:
    """Return a game in which seat 0 holds one favour and some paintings."""
    position = {"hands": {0: HAND}} | position
    return Game(table(at, favours={0: [FAVOUR[kind]]}, **position))


@pytest.mark.parametrize("kind", FAVOUR)
@pytest.mark.parametrize("at", ["trade", "action"])
def test_p_fav_any_favour_may_be_played_to_draw_two_paintings(kind: str, at: At) -> None:
    game = holding(kind, at, deck=["p150", "p120", "p130"])
    assert game.choice("favour_draw", "favour") == (kind,)
    events = game.does(FavourDraw(kind))
    assert events == (
        FavourPlayed(0, FAVOUR[kind], "draw"),
        PaintingsDrawn(0, 2, ("p120", "p150")),
    )
    assert game.table.favours == {FAVOUR[kind]: kind}
    assert (game.kind, game.favours(0)) == (at, ())


def test_p_fav_only_what_the_hand_holds_and_of_alike_the_lowest() -> None:
    game = Game(table("action", favours={0: ["f03", "f02", "f20"]}))
    assert game.choice("favour_draw", "favour") == ("points", "trend")
    assert game.refuses(FavourDraw("take")) == (Why.NOT_IN_HAND, {"card": "take"})
    assert game.refuses(FavourChoose()) == (Why.NOT_IN_HAND, {"card": "choose"})
    assert game.does(FavourPoints())[0] == FavourPlayed(0, "f02", "points")
    assert game.favours(0) == ("f03", "f20")


def test_p_fav_four_points() -> None:
    game = holding("points")
    assert game.entries("favour_points") == [FavourPoints()]
    assert game.does(FavourPoints())[1:] == (Scored(0, "favour", 4, 14),)


def test_p_fav_exhibit_one_painting_without_discarding() -> None:
    game = holding("exhibit", trend="t02")
    assert game.choice("favour_exhibit", "painting") == tuple(HAND)
    assert game.refuses(FavourExhibit("p004")) == (Why.NOT_IN_HAND, {"card": "p004"})
    events = game.does(FavourExhibit("p003"))
    assert events[1:] == (PaintingHung(0, "p003", 0), Scored(0, "trend", 2, 12))
    assert (game.archive(0), game.table.entered) == ((), ("p003",))


def test_p_fav_take_one_painting_free_from_a_museum() -> None:
    game = holding("take", cities=TOKYO)
    assert game.choice("favour_take", "painting")[:4] == ("p004", "p009", "p112", "p150")
    assert game.refuses(FavourTake("p001")) == (Why.NOT_THERE, {"painting": "p001"})
    assert scored(game.does(FavourTake("p009"))) == []
    assert "p009" in game.hand(0)


def test_p_fav_take_back_two_cards_of_the_archive() -> None:
    game = holding("recover", archives={0: ["p090", "p010", "p020"], 1: ["p030"]})
    form = Form("favour_recover", {}, {"paintings": some_of(["p090", "p010", "p020"], 2, 2)})
    assert game.entries("favour_recover") == [form]
    for wrong in (("p010",), ("p010", "p010"), ("p010", "p090", "p020")):
        assert game.refuses(FavourRecover(wrong)) == (Why.WRONG_NUMBER, {"needed": 2})
    foreign = FavourRecover(("p010", "p030"))
    assert game.refuses(foreign) == (Why.NOT_IN_ARCHIVE, {"painting": "p030"})
    events = game.does(FavourRecover(("p020", "p090")))
    assert events[1:] == (PaintingsRecovered(0, ("p020", "p090")),)
    assert (game.hand(0), game.archive(0)) == (("p001", "p003", "p020", "p090", "p111"), ("p010",))


def test_p_fav_1_take_back_two_takes_the_only_one_if_there_is_but_one() -> None:
    game = holding("recover", archives={0: ["p090"]})
    game.does(FavourRecover(("p090",)))
    assert game.archive(0) == ()


def test_p_fav_one_extra_trade() -> None:
    game = holding("trade", cities=TOKYO, scores={0: 1})
    below = FavourTrade("p111", "p009")
    assert game.refuses(below) == (Why.BELOW_ZERO, {"score": 1, "points": -2})
    assert [entry.fixed["give"] for entry in game.entries("favour_trade")] == HAND
    events = game.does(FavourTrade("p003", "p112"))
    assert events[1:] == (Traded(0, "tokyo", "p003", "p112"), Scored(0, "trade", 2, 3))
    assert game.kind == "action"


def test_p_fav_an_extra_trade_is_not_the_one_that_must_be_made() -> None:
    game = holding("trade", "trade", cities=TOKYO)
    game.does(FavourTrade("p003", "p112"))
    assert (game.kind, game.asked) == ("trade", 0)
    assert game.refuses(NoTrade()) == (Why.TRADE_NEEDED, {})
    game.does(Trade("p001", "p150"))
    assert game.kind == "action"


@pytest.mark.parametrize("at", ["trade", "action"])
def test_p_fav_draw_four_and_keep_two(at: At) -> None:
    game = holding("choose", at, deck=["p150", "p120", "p130", "p140", "p160"])
    events = game.does(FavourChoose())
    drawn = ("p120", "p130", "p140", "p150")
    assert events[1:] == (PaintingsDrawn(0, 4, drawn),)
    assert (game.kind, game.facts) == ("keep_two", KeepTwoFacts(4, 2))
    assert RULES.private(game.state, 0).drawn == drawn
    assert not RULES.private(game.state, 1).drawn
    assert game.legal() == [Form("keep_two", {}, {"paintings": some_of(drawn, 2, 2)})]
    assert game.hand(0) == tuple(HAND), "not yet"
    for wrong in (("p120",), ("p120", "p120"), drawn):
        assert game.refuses(KeepTwo(wrong)) == (Why.WRONG_NUMBER, {"needed": 2})
    assert game.refuses(KeepTwo(("p120", "p160"))) == (Why.NOT_DRAWN, {"painting": "p160"})
    assert game.refuses(NoTrade()) == (Why.WRONG_WINDOW, {"open": "keep_two"})
    events = game.does(KeepTwo(("p150", "p130")))
    assert events == (TwoKept(0, 2, ("p130", "p150")),)
    assert RULES.tell(events[0], 1) == TwoKept(0, 2)
    assert game.state.deck == ("p160", "p120", "p140"), "the others under it, lower id first"
    assert game.hand(0) == ("p001", "p003", "p111", "p130", "p150")
    assert game.kind == at


@pytest.mark.parametrize(("deck", "kept"), [(["p150", "p120", "p130"], 2), (["p150"], 1)])
def test_p_fav_keep_two_opens_with_however_many_there_were(deck: list[str], kept: int) -> None:
    game = holding("choose", deck=deck)
    game.does(FavourChoose())
    assert game.facts == KeepTwoFacts(len(deck), kept)
    game.does(KeepTwo(tuple(sorted(deck)[:kept])))
    assert len(game.state.deck) == len(deck) - kept


def test_p_fav_a_point_for_each_painting_hung_this_turn_that_the_general_trend_likes() -> None:
    game = holding("trend", hands={0: ["p001", "p111", "p112", "p150"]}, trend="t02")
    game.does(Exhibit("p001", "p150"), Exhibit("p111", "p112"))
    assert game.score(0) == 11
    assert game.does(FavourTrend())[1:] == (Scored(0, "favour", 1, 12),)


def test_p_fav_what_was_acquired_counts_there_too() -> None:
    game = holding("trend", archives={1: ["p014", "p090"]}, trend="t02")
    game.does(Acquire("p014", "p111"), Acquire("p090", "p003"))
    assert game.table.entered == ("p014", "p090")
    assert game.does(FavourTrend())[1:] == (Scored(0, "favour", 1, 11),)


def test_p_fav_it_counts_too_where_the_general_trend_does_not_score_by_itself() -> None:
    options = Options(general_trend=False)
    game = holding("trend", archives={1: ["p014"]}, trend="t02", options=options)
    game.does(Acquire("p014", "p111"))
    assert game.does(FavourTrend())[1:] == (Scored(0, "favour", 1, 10),)


def test_p_fav_what_hung_before_does_not_count_there() -> None:
    game = holding("trend", museums={0: ["p014", "p009"]}, trend="t02")
    assert game.refuses(FavourTrend()) == (Why.NOTHING_TO_DO, {"favour": "trend"})


def test_p_fav_acquire_from_a_rivals_archive_without_paying_the_point() -> None:
    game = holding("acquire", archives={1: ["p090", "p091"]}, scores={0: 0})
    choose = {"painting": one_of(["p090", "p091"]), "archive": one_of(HAND)}
    assert game.entries("favour_acquire") == [Form("favour_acquire", {}, choose)]
    foreign = FavourAcquire("p092", "p111")
    assert game.refuses(foreign) == (Why.NOT_IN_ARCHIVE, {"painting": "p092"})
    events = game.does(FavourAcquire("p091", "p111"))
    assert events[1:] == (PaintingsArchived(0, ("p111",)), PaintingHung(0, "p091", 0, 1))
    assert (game.score(0), game.score(1)) == (0, 10)


NOTHING: dict[str, tuple[AnyAction, dict[str, Any]]] = {
    "exhibit": (FavourExhibit("p001"), {"hands": {}}),
    "exhibit in a full museum": (FavourExhibit("p001"), {"museums": {0: FULL}}),
    "take": (
        FavourTake("p180"),
        {"cities": dict.fromkeys(("tokyo", "madrid", "victoria", "moscow"), ("t02", ()))},
    ),
    "recover": (FavourRecover(()), {}),
    "trade": (FavourTrade("p001", "p180"), {"hands": {}}),
    "choose": (FavourChoose(), {"deck": []}),
    "trend": (FavourTrend(), {"trend": "t02", "entered": ("p111",)}),
    "acquire": (FavourAcquire("p001", "p003"), {}),
    "acquire for nothing": (
        FavourAcquire("p090", "p003"),
        {"hands": {}, "archives": {1: ["p090"]}},
    ),
    "acquire in a full museum": (
        FavourAcquire("p090", "p003"),
        {"museums": {0: FULL}, "archives": {1: ["p090"]}},
    ),
}


@pytest.mark.parametrize("case", NOTHING)
def test_p_fav_1_a_favour_that_finds_nothing_to_do_may_only_be_played_to_draw(case: str) -> None:
    action, position = NOTHING[case]
    kind = case.split()[0]
    game = holding(kind, **position)
    assert game.entries(f"favour_{kind}") == []
    assert game.refuses(action) == (Why.NOTHING_TO_DO, {"favour": kind})
    game.does(FavourDraw(kind))
    assert game.table.favour_played


@pytest.mark.parametrize(
    ("before", "after", "favours"), [(8, 12, 1), (16, 20, 1), (46, 50, 1), (10, 14, 0), (15, 19, 0)]
)
def test_p_fav_2_whoever_first_reaches_10_20_and_so_on_draws_a_favour(
    before: int, after: int, favours: int
) -> None:
    game = holding("points", scores={0: before}, favour_deck=["f09", "f10"])
    events = game.does(FavourPoints())
    assert events[1] == Scored(0, "favour", 4, after)
    drawn = [event for event in events if isinstance(event, FavourDrawn)]
    assert len(drawn) == favours
    assert game.player(0).passed == after // 10 * 10


def test_p_fav_2_one_for_each_step() -> None:
    game = Game(
        table(
            "action", museums={0: RENAISSANCE[:9]}, scores={0: 4}, favour_deck=["f09", "f10", "f11"]
        )
    )
    events = game.does(Hold("renaissance"))
    assert scored(events) == [(0, "exhibition", 17)]
    assert [event for event in events if isinstance(event, FavourDrawn)] == [
        FavourDrawn(0, "f09"),
        FavourDrawn(0, "f10"),
    ]


def test_p_fav_2_the_track_ends_at_50() -> None:
    game = holding("points", scores={0: 58}, reached=0, favour_deck=["f09"])
    assert game.does(FavourPoints())[1:] == (Scored(0, "favour", 4, 62),)
    assert game.player(0).passed == 50


def test_p_fav_2_the_points_for_50_draw_nothing_further() -> None:
    game = Game(
        table(
            "action",
            museums={0: RENAISSANCE[:9]},
            scores={0: 38},
            favour_deck=["f09", "f10", "f11"],
        )
    )
    events = game.does(Hold("renaissance"))
    assert events[1:] == (
        Scored(0, "exhibition", 17, 55),
        FavourDrawn(0, "f09"),
        FavourDrawn(0, "f10"),
        GoalReached(0),
        Scored(0, "goal", 5, 60),
    )


def test_p_fav_2_by_what_the_general_trend_likes_too() -> None:
    game = Game(table("action", hands={0: HAND}, trend="t02", scores={0: 8}, favour_deck=["f09"]))
    events = game.does(Exhibit("p003", "p001"))
    assert events[2:] == (Scored(0, "trend", 2, 10), FavourDrawn(0, "f09"))


def test_p_fav_2_a_rival_who_is_paid_draws_before_the_painting_is_hung() -> None:
    game = Game(
        table(
            "action",
            hands={0: HAND},
            archives={2: ["p090"]},
            scores={0: 20, 2: 29},
            favour_deck=["f09"],
        )
    )
    assert game.does(Acquire("p090", "p111")) == (
        PaintingsArchived(0, ("p111",)),
        Scored(0, "paid", -1, 19),
        Scored(2, "paid", 1, 30),
        FavourDrawn(2, "f09"),
        PaintingHung(0, "p090", 0, 2),
        Scored(0, "trend", 1, 20),
    ), "and who comes back to 20 draws none"
    assert game.favours(2) == ("f09",)


def test_p_fav_2_only_the_first_time() -> None:
    game = Game(
        table(
            scores={0: 20},
            hands={0: ["p003", "p111"]},
            cities=TOKYO,
            favours={0: [FAVOUR["trade"]]},
        )
    )
    game.does(FavourTrade("p111", "p009"))
    assert (game.score(0), game.player(0).passed) == (18, 20)
    events = game.does(Trade("p003", "p112"))
    assert events[1:] == (Scored(0, "trade", 2, 20),)


def test_p_fav_2_in_the_turns_of_others_too() -> None:
    game = Game(table(hands={0: ["p111"], 2: ["p003"]}, cities=TOKYO, scores={2: 19}))
    game.does(Trade("p111", "p150"))
    events = game.does(Trade("p003", "p112"))
    assert isinstance(events[-1], FavourDrawn)
    assert events[-1].seat == 2
    assert RULES.tell(events[-1], 2) == events[-1]
    assert RULES.tell(events[-1], 0) == FavourDrawn(2)


def test_p_fav_2_without_the_option_no_favour_is_drawn() -> None:
    options = Options(favour_track=False)
    game = holding("points", scores={0: 18}, options=options)
    assert game.does(FavourPoints())[1:] == (Scored(0, "favour", 4, 22),)
    assert game.player(0).passed == 20


def test_all_favours_are_listed_in_the_order_of_their_kinds() -> None:
    held = [FAVOUR[kind] for kind in FAVOUR]
    game = Game(
        table(
            "action",
            hands={0: HAND},
            favours={0: held},
            archives={0: ["p090"], 1: ["p091"]},
            entered=("p001",),
            trend="t02",
            museums={0: ROCOCO[:3]},
        )
    )
    favours = [word for word in map(do_of, game.legal()) if word.startswith("favour")]
    assert [*dict.fromkeys(favours)] == [
        "favour_points",
        "favour_exhibit",
        "favour_take",
        "favour_recover",
        "favour_trade",
        "favour_choose",
        "favour_trend",
        "favour_acquire",
        "favour_draw",
    ]
