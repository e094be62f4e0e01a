"""How a game ends, and what is counted then: P-END-1, P-END-2, P-SCORE-1 to P-SCORE-5."""

from typing import Any

import pytest

from saleroom_protocol.games.pictura import (
    Acquire,
    AnyAction,
    Claim,
    Discard,
    Done,
    Exhibit,
    FavourChoose,
    FavourDrawn,
    FavourPoints,
    GoalReached,
    Hold,
    Inventory,
    KeepTwo,
    LastTurns,
    Scored,
    Trade,
    TurnBegun,
    UseSpace,
)
from saleroom_rules.contract import Outcome
from saleroom_rules.pictura.board import GRAND_GALLERY
from saleroom_rules.pictura.cards import CATEGORIES
from saleroom_rules.pictura.scoring import final_score
from saleroom_rules.pictura.state import Player
from tests.support.pictura import BAROQUE, FAVOUR, PATRON, RENAISSANCE, RULES, Game, hung, table

TOKYO = {"tokyo": ("t02", ["p111", "p112", "p150", "p151"])}
POINTS = PATRON["renaissance", "mythology", "points"]


def turns(game: Game) -> list[int]:
    """Play on by defaults to the final arrangement; return whose turns still come."""
    seen: list[tuple[int, int]] = []
    while game.kind != "arrange_final":
        if not seen or seen[-1][0] != game.table.turn:
            seen.append((game.table.turn, game.table.active))
        game.does(RULES.default(game.state, game.asked))
    return [seat for _, seat in seen][1:]


def at_46(seat: int = 0, **position: Any) -> Game:
    """Return a game of four in which a seat holds a favour of 4 points, and 46 points."""
    favours = {seat: [FAVOUR["points"]]}
    return Game(
        table("action", seats=4, active=seat, favours=favours, scores={seat: 46}, **position)
    )


# 50 points


def test_p_end_1_the_first_to_reach_50_gets_5_after_the_tracks_favour() -> None:
    game = at_46(favour_deck=["f09", "f10"])
    events = game.does(FavourPoints())
    assert events[1:] == (
        Scored(0, "favour", 4, 50),
        FavourDrawn(0, "f09"),
        GoalReached(0),
        Scored(0, "goal", 5, 55),
    )
    assert game.table.reached == 0
    assert not game.table.last_turns, "the turn goes on first"


def test_p_end_1_all_others_have_one_more_turn_clockwise_from_the_active_player() -> None:
    game = at_46(2)
    game.does(FavourPoints(), Inventory())
    events = game.does(Done())
    assert events[0] == LastTurns("goal", (3, 0, 1))
    assert (game.table.active, game.table.last_turns) == (3, (0, 1))
    assert turns(game) == [0, 1]
    game.does(*(RULES.default(game.state, seat) for seat in range(4)))
    assert game.outcome.reason == "goal"


def test_p_end_1_in_anothers_turn_the_active_player_has_one_more_turn_last() -> None:
    game = Game(table(hands={0: ["p073"], 1: ["p003"]}, cities=TOKYO, scores={1: 48}))
    game.does(Trade("p073", "p151"))
    events = game.does(Trade("p003", "p112"))
    assert GoalReached(1) in events
    game.does(Inventory())
    assert game.does(Done())[0] == LastTurns("goal", (2, 0))
    assert turns(game) == [0]


def test_p_end_1_by_a_rivals_purchase_from_the_archive() -> None:
    game = Game(
        table(
            "action",
            trend="t13",
            hands={0: ["p073"]},
            archives={2: ["p091"]},
            scores={0: 49, 2: 49},
        )
    )
    events = game.does(Acquire("p091", "p073"))
    reached = [event for event in events if isinstance(event, GoalReached)]
    assert reached == [GoalReached(2)], "who is paid is there first"
    assert (game.score(0), game.score(2)) == (50, 55)
    game.does(Done())
    assert game.table.last_turns == (0,)


def test_p_end_1_by_an_exhibition_and_the_turn_goes_on() -> None:
    game = Game(table("action", museums={0: RENAISSANCE[:4]}, scores={0: 44}))
    events = game.does(Hold("renaissance"))
    assert GoalReached(0) in events
    game.does(UseSpace("end_points"))
    assert game.does(Done())[0] == LastTurns("goal", (1, 2))


@pytest.mark.parametrize("action", [Claim(POINTS), Exhibit("p003", "p111")])
def test_p_end_1_by_a_patron_or_what_the_general_trend_likes_too(action: AnyAction) -> None:
    museums, hands = {0: RENAISSANCE[:2]}, {0: ["p003", "p111"]}
    game = Game(
        table("action", museums=museums, hands=hands, trend="t02", patrons=[POINTS], scores={0: 48})
    )
    assert GoalReached(0) in game.does(action)
    assert game.table.reached == 0


def test_p_end_1_of_two_in_one_turn_the_first() -> None:
    game = Game(
        table(cities=TOKYO, hands={0: ["p073"], 1: ["p003"], 2: ["p004"]}, scores={1: 48, 2: 49})
    )
    game.does(Trade("p073", "p151"), Trade("p003", "p112"), Trade("p004", "p111"))
    assert (game.score(1), game.score(2)) == (55, 50)
    game.does(Inventory())
    assert game.does(Done())[0] == LastTurns("goal", (2, 0))


def test_p_end_1_in_an_extra_turn_50_points_bring_no_further_turns() -> None:
    game = at_46(1, reached=0, ending="goal", last_turns=(2,))
    game.does(FavourPoints(), Inventory(), Done())
    assert (game.table.active, game.table.reached, game.table.last_turns) == (2, 0, ())
    assert turns(game) == []


def test_p_end_1_nobody_else_gets_5_for_50() -> None:
    game = at_46(reached=3)
    assert [type(event) for event in game.does(FavourPoints())].count(GoalReached) == 0
    assert game.score(0) == 50


def test_p_end_1_falling_below_50_again_changes_nothing() -> None:
    game = Game(table(hands={0: ["p111"]}, cities={"tokyo": ("t02", ["p003"])}, reached=0))
    game.does(RULES.default(game.state, 0), Inventory())
    assert game.score(0) < 50
    assert game.does(Done())[0] == LastTurns("goal", (1, 2))


def test_p_end_1_the_extra_turns_are_whole_turns() -> None:
    game = at_46(3)
    game.does(FavourPoints(), Inventory(), Done())
    kinds = []
    while game.table.active == 0:
        kinds.append((game.kind, game.asked))
        game.does(RULES.default(game.state, game.asked))
    assert kinds[0] == ("trade", 0)
    assert ("action", 0) in kinds


# The last painting


@pytest.mark.parametrize(
    ("start", "active", "rest"), [(0, 1, (2, 3)), (2, 3, (0, 1)), (1, 0, ()), (3, 2, ())]
)
def test_p_end_2_with_an_empty_deck_the_round_is_finished(
    start: int, active: int, rest: tuple[int, ...]
) -> None:
    game = Game(table("action", seats=4, start=start, active=active, deck=[]))
    game.does(Inventory())
    events = game.does(Done())
    assert events[0] == LastTurns("last_painting", rest)
    assert turns(game) == list(rest[1:])
    game.does(*(RULES.default(game.state, seat) for seat in range(4)))
    assert game.outcome.reason == "last_painting"


def test_p_end_2_it_is_looked_at_when_a_turn_ends_after_the_discard_too() -> None:
    hand = [f"p{number:03}" for number in range(1, 11)]
    game = Game(table("action", hands={0: hand}, deck=[]))
    game.does(Inventory(), Done())
    assert game.kind == "discard"
    events = game.does(Discard(("p001", "p002")))
    assert LastTurns("last_painting", (1, 2)) in events


def test_p_end_2_what_went_back_under_the_deck_lets_the_game_go_on() -> None:
    favours, deck = {0: [FAVOUR["choose"]]}, ["p099", "p100", "p101"]
    game = Game(table("action", favours=favours, deck=deck))
    game.does(FavourChoose())
    assert game.table.piles.paintings == 0
    game.does(KeepTwo(("p099", "p100")), Inventory())
    assert isinstance(game.does(Done())[0], TurnBegun)


def test_p_end_2_with_50_points_in_the_same_turn_those_decide() -> None:
    game = at_46(3, deck=[])
    game.does(FavourPoints(), Inventory())
    assert game.does(Done())[0] == LastTurns("goal", (0, 1, 2))


def test_p_end_2_in_the_last_round_50_points_bring_5_but_no_extra_turns() -> None:
    game = at_46(1, ending="last_painting", last_turns=(2,), deck=[])
    assert Scored(1, "goal", 5, 55) in game.does(FavourPoints())
    game.does(Inventory())
    events = game.does(Done())
    assert not [event for event in events if isinstance(event, LastTurns)]
    assert turns(game) == []
    game.does(*(RULES.default(game.state, seat) for seat in range(4)))
    assert game.outcome.reason == "last_painting"


def test_p_end_2_after_50_points_an_empty_deck_changes_nothing() -> None:
    game = at_46(1, deck=["p099", "p100"])
    game.does(FavourPoints(), Inventory(), Done())
    assert game.table.last_turns == (3, 0)
    assert turns(game) == [3, 0]


# The score


def scoring(*hangs: str, **fields: Any) -> Any:
    """Return the final score of a player, part by part."""
    fields = {"museum": hung(hangs), "trends": ("t28",), "score": 20} | fields
    given: dict[str, Any] = {
        "passed": 2,
        "paintings": (),
        "favours": (),
        "exhibitions": {},
        "patrons": {},
    }
    return final_score(Player(**given | fields))


def test_p_score_1_collections_count_as_they_hang() -> None:
    score = scoring("p001", "p002", "p007", "p013", "p014")
    assert score.collections == dict.fromkeys(CATEGORIES, 0) | {"renaissance": 4, "mythology": 3}
    assert (score.score, score.total) == (20, 27)


def test_p_score_2_every_painting_scores_under_the_trend_that_was_kept() -> None:
    score = scoring("p001", "p037", "p003", "p111", trends=("t01",))
    assert score.trend == 2 + 3 + 1 + 0
    assert score.total == 26


def test_p_score_3_a_grand_gallery_of_one_category_5_a_full_museum_10() -> None:
    gallery = dict(zip(RENAISSANCE[:9], GRAND_GALLERY, strict=True))
    assert (scoring(museum=gallery).gallery, scoring(museum=gallery).full) == (5, 0)
    full = scoring(*RENAISSANCE[:12], *BAROQUE[:13])
    assert (full.gallery, full.full) == (0, 10)
    assert scoring(*RENAISSANCE[:24]).full == 0


@pytest.mark.parametrize(("held", "points"), [*enumerate([0, 1, 3, 6, 10, 15, 21])])
def test_p_score_4_exhibitions_are_worth_more_the_more_there_were(held: int, points: int) -> None:
    spaces = ["draw_paintings", "draw_favours", "exhibit", "hand_limit", "archive_free", "x"]
    chips = dict(zip(spaces[:held], CATEGORIES, strict=False))
    assert scoring(exhibitions=chips).exhibitions == points


def test_p_score_4_the_space_for_the_end_is_worth_5() -> None:
    score = scoring(exhibitions={"end_points": "baroque"})
    assert (score.space, score.exhibitions, score.total) == (5, 1, 26)


@pytest.mark.parametrize(
    ("cards", "free", "plain"), [(0, 0, 0), (3, 0, -3), (5, 0, -5), (7, -2, -7)]
)
def test_p_score_5_what_lies_in_the_archive_costs_but_for_five_with_the_space_for_it(
    cards: int, free: int, plain: int
) -> None:
    archive = BAROQUE[:cards]
    assert scoring(archive=archive).archive == plain
    spared = scoring(archive=archive, exhibitions={"archive_free": "baroque"})
    assert spared.archive == free


def test_p_score_5_the_score_may_go_below_0_now() -> None:
    score = scoring(archive=BAROQUE[:7], score=2)
    assert score.total == -5


def ended(**position: Any) -> Outcome:
    game = Game(table("arrange_final", ending="goal", **position))
    assert RULES.outcome(game.state) is None
    game.does(*(RULES.default(game.state, seat) for seat in range(3)))
    return game.outcome


def test_p_score_5_most_points_win() -> None:
    outcome = ended(scores={0: 12, 1: 30, 2: 21}, archives={1: BAROQUE[:10]})
    assert outcome == Outcome((12, 20, 21), (3, 2, 1), "goal")


def test_p_score_5_a_tie_goes_to_more_paintings_in_the_museum_and_else_is_shared() -> None:
    worth_nothing = {0: ["p001"], 2: ["p007"]}
    outcome = ended(scores={0: 20, 1: 20, 2: 20}, museums=worth_nothing, trends={0: "t28"})
    assert outcome == Outcome((20, 20, 20), (1, 3, 1), "goal")


def test_at_the_end_everything_is_laid_open() -> None:
    game = Game(
        table(
            "arrange_final",
            ending="goal",
            hands={0: ["p001"]},
            favours={0: ["f05"]},
            trends={0: "t28"},
        )
    )
    assert not game.player(0).hand
    assert not game.player(0).final
    game.does(*(RULES.default(game.state, seat) for seat in range(3)))
    shown, final = game.player(0).hand, game.player(0).final
    assert shown
    assert final
    assert (shown.paintings, shown.favours, shown.trend) == (("p001",), ("f05",), "t28")
    assert final.total == game.outcome.scores[0]
