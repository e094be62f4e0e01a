"""An artist who is IN: V-IN-1 to V-IN-3."""

from itertools import permutations
from typing import Any

import pytest

from saleroom_protocol.games.forms import Form, one_of
from saleroom_protocol.games.vernissage import (
    Allow,
    BuyGrey,
    FameMoved,
    Reveal,
    RevealFacts,
    Why,
    WorksPaid,
    WorksShown,
)
from tests.support.vernissage import BELOW_IN, BOYZ, KALI, MIGHT, RULES, Game, stage, unopposed


def arriving(value: int = 6, *, space: int = BELOW_IN, **position: Any) -> Game:
    """Return a game in which Boyz's marker has just come from below to the golden spaces."""
    game, events = unopposed("purchase", value, artists={"boyz": stage(space=space)}, **position)
    assert events[-1] == FameMoved("boyz", "counter", value, space + value)
    return game


def test_v_in_1_all_are_asked_at_once_and_sealed_whether_they_hold_any_or_not() -> None:
    game = arriving(seats=4, active=2, hands={1: BOYZ[:2], 3: KALI[:1]})
    window = game.window
    assert (window.kind, window.seats, window.sealed) == ("reveal", (0, 1, 2, 3), True)
    assert window.facts == RevealFacts("boyz", 60_000)


def test_v_in_1_window_and_facts_are_the_same_whoever_holds_works() -> None:
    windows = [
        arriving(hands=hands).window
        for hands in ({}, {0: BOYZ[:3]}, {1: BOYZ[:1], 2: BOYZ[1:2]}, {2: KALI})
    ]
    assert all(window == windows[0] for window in windows)


@pytest.mark.parametrize("space", [BELOW_IN - 6, BELOW_IN - 5])
def test_v_in_1_the_marker_must_end_above_200_000(space: int) -> None:
    game, _ = unopposed("purchase", 6, artists={"boyz": stage(space=space)})
    assert (game.kind == "reveal") == (space + 6 > BELOW_IN)


def test_v_in_1_each_may_show_any_number_of_the_works_of_this_artist_in_hand() -> None:
    game = arriving(hands={0: (*BOYZ[:2], *KALI[:3], MIGHT[0]), 1: KALI[:1]})
    assert game.legal(0) == [Form("reveal", {}, {"works": one_of((0, 1, 2))})]
    assert game.legal(1) == [Form("reveal", {}, {"works": one_of((0,))})]
    for seat, works in ((0, 3), (0, -1), (1, 1)):
        assert game.refuses(Reveal(works), seat) == (Why.NOT_ENOUGH_WORKS, {"works": works})
    assert game.refuses(Allow(), 0) == (Why.WRONG_WINDOW, {"open": "reveal"})
    assert game.refuses(BuyGrey(), 0) == (Why.WRONG_WINDOW, {"open": "reveal"})


def test_v_in_1_works_that_lie_open_already_are_not_shown_again() -> None:
    game = arriving(hands={1: BOYZ[:1]}, shown={1: {BOYZ[1]: "boyz"}})
    assert game.refuses(Reveal(2), 1) == (Why.NOT_ENOUGH_WORKS, {"works": 2})


def test_v_in_1_nothing_of_an_answer_is_seen_until_all_have_answered() -> None:
    seen = []
    for works in (0, 1, 2):
        game = arriving(hands={1: BOYZ[:2]})
        assert game.says(1, Reveal(works)) == ()
        others = [RULES.private(game.state, seat) for seat in (0, 2)]
        seen.append((game.table, game.window, others))
        assert RULES.private(game.state, 1).answer == Reveal(works)
        assert game.refuses(Reveal(0), 1) == (Why.NOT_ASKED, {"seat": 1})
    assert all(other == seen[0] for other in seen)
    assert seen[0][1].answered == (1,)


def test_v_in_1_the_order_of_answers_changes_neither_state_nor_events() -> None:
    answers, led_to = (Reveal(1), Reveal(0), Reveal(2)), []
    for order in permutations(range(3)):
        game = arriving(hands={0: BOYZ[:1], 2: BOYZ[1:4]})
        told = [game.says(seat, answers[seat]) for seat in order]
        assert told[:2] == [(), ()]
        led_to.append((game.state, told[2]))
    assert all(reached == led_to[0] for reached in led_to)


def test_v_in_2_the_rulebooks_example_two_works_shown_on_60_000_bring_120_000() -> None:
    game = arriving(6, hands={1: BOYZ[:2]})
    game.does(Reveal(0), Reveal(2))
    assert game.does(Reveal(0)) == (
        WorksShown(1, BOYZ[:2]),
        WorksPaid(1, "boyz", 2, 120_000),
        FameMoved("boyz", "paid", -6, BELOW_IN),
    )
    assert [game.player(seat).cash for seat in range(3)] == [200_000, 320_000, 200_000]


def test_v_in_2_works_shown_before_pay_again_with_the_new_ones() -> None:
    shown = {1: {BOYZ[0]: "boyz", KALI[0]: "kali"}, 2: {BOYZ[1]: "boyz"}}
    game = arriving(1, hands={1: BOYZ[2:4]}, shown=shown)
    game.does(Reveal(0), Reveal(1))
    events = game.does(Reveal(0))
    assert events[1:3] == (WorksPaid(1, "boyz", 2, 20_000), WorksPaid(2, "boyz", 1, 10_000))
    assert [game.player(seat).cash for seat in range(3)] == [200_000, 220_000, 210_000]


def test_v_in_2_who_keeps_works_in_hand_is_paid_nothing_for_them() -> None:
    game = arriving(hands={1: BOYZ[:2]})
    game.does(Reveal(0), Reveal(0))
    assert game.does(Reveal(0)) == (FameMoved("boyz", "paid", -6, BELOW_IN),)
    assert game.player(1).cash == 200_000


def test_v_in_2_shown_works_leave_the_hand_and_stay_open() -> None:
    game = arriving(hands={1: (*BOYZ[:3], *KALI[:1])})
    game.does(Reveal(0), Reveal(2), Reveal(0))
    player = game.player(1)
    assert player.shown == {BOYZ[0]: "boyz", BOYZ[1]: "boyz"}
    assert (game.hand(1), player.brown) == ((BOYZ[2], KALI[0]), 2)


@pytest.mark.parametrize("value", range(1, 8))
def test_v_in_3_after_the_payment_the_marker_goes_to_200_000(value: int) -> None:
    game = arriving(value)
    assert game.facts.pays == value * 10_000
    game.does(Reveal(0), Reveal(0), Reveal(0))
    assert (game.artist("boyz").space, game.artist("boyz").worth) == (BELOW_IN, 200_000)
    assert game.kind == "buy"


def test_time_running_out_shows_nothing() -> None:
    game = arriving(hands={1: BOYZ[:2]})
    assert {RULES.default(game.state, seat) for seat in range(3)} == {Reveal(0)}
