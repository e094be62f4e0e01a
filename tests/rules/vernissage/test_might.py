"""Might in a Trial of Strength, round by round: V-TRI-1."""

from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Any

import pytest
from msgspec.structs import replace

from saleroom_protocol.games.forms import Form, one_of
from saleroom_protocol.games.vernissage import (
    Challenge,
    Commit,
    Forgo,
    MightCommitted,
    MightFacts,
    Stand,
    TrialDecided,
    TrialRolled,
    Why,
)
from saleroom_rules.vernissage.state import MightWindow
from tests.support.vernissage import (
    BOYZ,
    CRITICS,
    LIMITED,
    MIGHT,
    RULES,
    Game,
    disputed,
    loaded,
    placed,
    table,
)

DICE = ((1, 1), (1, 2), (6, 6))  # two Contra, then Pro


def trial(
    contra: Sequence[int] = (1, 2),
    *,
    hands: Mapping[int, Sequence[str]],
    dice: Sequence[tuple[int, int]] = DICE,
    objectors: Sequence[int] = (1, 2),
    **position: Any,
) -> tuple[Game, tuple[Any, ...]]:
    """Return a game in which these have just challenged seat 0, and the last one's events."""
    rng = loaded("scandal", trial=dice)
    game = disputed(hands=hands, rng=rng, objectors=objectors, **position)
    game.says(0, Stand())
    events: tuple[Any, ...] = ()
    for seat in objectors:
        events = game.says(seat, Challenge() if seat in contra else Forgo())
    return game, events


def mighty(*counts: int) -> dict[int, tuple[str, ...]]:
    """Return hands with so many might cards each."""
    cards = iter(MIGHT)
    return {seat: tuple(next(cards) for _ in range(count)) for seat, count in enumerate(counts)}


def test_v_tri_1_all_contra_commit_at_once_sealed_then_pro_openly() -> None:
    game, _ = trial(hands=mighty(2, 1, 2))
    window = game.window
    assert (window.kind, window.seats, window.sealed) == ("might", (1, 2), True)
    assert window.facts == MightFacts("contra", 1, {"0": 0, "1": 0, "2": 0})
    before = game.table
    assert game.says(2, Commit(2)) == ()
    assert game.table == before, "neither the number nor the hand counts show it"
    assert game.says(1, Commit(0)) == (MightCommitted({"1": 0, "2": 2}),)
    window = game.window
    assert (window.kind, window.seats, window.sealed) == ("might", (0,), False)
    assert window.facts == MightFacts("pro", 2, {"0": 0, "1": 0, "2": 2})
    assert list(game.facts.might) == ["0", "1", "2"], "by seat"


def test_v_tri_1_what_is_committed_leaves_the_hand_and_lies_open() -> None:
    game, _ = trial(hands=mighty(2, 1, 3))
    game.does(Commit(1), Commit(2))
    assert (game.player(1).brown, game.player(2).brown) == (0, 1)
    assert game.hand(2) == (MIGHT[5],)
    assert game.dispute.trial.might == {"0": 0, "1": 1, "2": 2}  # type: ignore[union-attr]


def test_v_tri_1_any_number_from_none_to_all_of_the_hand() -> None:
    game, _ = trial(hands={0: MIGHT[:1], 1: (*MIGHT[1:4], *BOYZ, *CRITICS), 2: BOYZ[:0]})
    assert game.legal(1) == [Form("commit", {}, {"might": one_of((0, 1, 2, 3))})]
    for might in (-1, 4):
        assert game.refuses(Commit(might), 1) == (Why.NOT_ENOUGH_MIGHT, {"might": might})
    assert game.refuses(Challenge(), 1) == (Why.WRONG_WINDOW, {"open": "might"})


def test_v_tri_1_pro_is_asked_even_if_contra_added_nothing() -> None:
    game, _ = trial(hands=mighty(1, 1, 1))
    game.does(Commit(0), Commit(0))
    assert (game.kind, game.window.seats) == ("might", (0,))
    assert game.facts == MightFacts("pro", 2, {"0": 0, "1": 0, "2": 0})


def test_v_tri_1_it_ends_when_pro_adds_nothing() -> None:
    game, _ = trial(hands=mighty(2, 2, 2))
    game.does(Commit(1), Commit(2))
    events = game.does(Commit(0))
    assert events[:2] == (
        MightCommitted({"0": 0}),
        TrialRolled({"1": (1, 1), "2": (1, 2), "0": (6, 6)}, {"1": 3, "2": 5, "0": 12}),
    )


def test_v_tri_1_if_pro_added_any_contra_may_add_again_and_so_on() -> None:
    game, _ = trial(hands=mighty(3, 2, 2))
    game.does(Commit(1), Commit(0))
    assert game.does(Commit(2)) == (MightCommitted({"0": 2}),)
    assert game.facts == MightFacts("contra", 3, {"0": 2, "1": 1, "2": 0})
    assert game.window.sealed
    assert game.legal(1) == [Form("commit", {}, {"might": one_of((0, 1))})]
    game.does(Commit(1))
    assert game.does(Commit(0)) == (MightCommitted({"1": 1, "2": 0}),)
    assert game.facts == MightFacts("pro", 4, {"0": 2, "1": 2, "2": 0})
    events = game.does(Commit(1))
    # Seat 1 has no card left; seat 2 could still add.
    assert events == (MightCommitted({"0": 1}),)
    assert game.window.seats == (2,)
    assert game.facts == MightFacts("contra", 5, {"0": 3, "1": 2, "2": 0})


def test_v_tri_1_it_ends_when_contra_adds_nothing_after_pros_answer() -> None:
    game, _ = trial(hands=mighty(3, 2, 2))
    game.does(Commit(1), Commit(1), Commit(1), Commit(0))
    assert game.kind == "might"
    events = game.does(Commit(0))
    assert events[0] == MightCommitted({"1": 0, "2": 0})
    assert isinstance(events[1], TrialRolled)
    assert events[1].totals == {"1": 3, "2": 4, "0": 13}


def test_v_tri_1_only_participants_commit() -> None:
    game, _ = trial((1,), hands=mighty(1, 1, 1), dice=((1, 1), (6, 6)))
    assert game.window.seats == (1,)
    assert game.refuses(Commit(1), 2) == (Why.NOT_ASKED, {"seat": 2})
    assert game.facts.might == {"0": 0, "1": 0}


def test_v_tri_1_only_might_counts_and_the_lowest_ids_are_taken() -> None:
    game, _ = trial((1,), hands={1: (*BOYZ[:2], MIGHT[7], MIGHT[3], MIGHT[9])}, dice=DICE[:2])
    game.says(1, Commit(2))
    assert game.over is False
    # Pro holds nothing and is not asked: the trial is over and the cards are back.
    assert game.hand(1) == (*BOYZ[:2], MIGHT[3], MIGHT[7], MIGHT[9])


@pytest.mark.parametrize(
    ("hand", "asked"), [((), False), (LIMITED[1], False), (BOYZ[:1], True), (MIGHT[:1], True)]
)
def test_v_tri_1_who_holds_no_brown_card_is_not_asked_who_holds_another_one_is(
    hand: tuple[str, ...], asked: bool
) -> None:
    game, _ = trial(hands={1: hand, 2: CRITICS[:1]})
    assert game.window.seats == ((1, 2) if asked else (2,))
    game, _ = trial(hands={0: hand, 2: CRITICS[:1]})
    game.says(2, Commit(0))
    assert (game.kind == "might") == asked


def test_v_tri_1_a_first_round_that_would_ask_nobody_is_skipped_and_pro_is_asked() -> None:
    game, _ = trial(hands=mighty(2, 0, 0))
    assert game.facts == MightFacts("pro", 1, {"0": 0, "1": 0, "2": 0})
    assert game.window.seats == (0,)
    events = game.does(Commit(1))
    assert events[0] == MightCommitted({"0": 1})
    assert isinstance(events[1], TrialRolled)


def test_v_tri_1_where_nobody_holds_a_brown_card_the_dice_are_rolled_at_once() -> None:
    game, events = trial(hands={0: LIMITED[1][:1]})
    assert [type(event).__name__ for event in events[:3]] == [
        "Challenged",
        "TrialRolled",
        "TrialDecided",
    ]
    assert game.kind == "buy"


def test_v_tri_1_pro_answers_last_unless_there_is_no_card_to_answer_with() -> None:
    game, _ = trial(hands=mighty(1, 2, 0), dice=DICE)
    game.says(1, Commit(1))
    game.says(0, Commit(1))
    events = game.says(1, Commit(1))
    assert events[0] == MightCommitted({"1": 1})
    assert isinstance(events[1], TrialRolled)
    assert events[2] == TrialDecided("pro")


def test_v_tri_1_the_order_of_answers_changes_neither_state_nor_events() -> None:
    led_to = []
    for order in permutations((1, 2, 3)):
        game, _ = trial(
            (1, 2, 3),
            hands=mighty(1, 1, 2, 3),
            seats=4,
            objectors=(1, 2, 3),
            dice=(*DICE, (1, 1)),
        )
        told = [game.says(seat, Commit(seat - 1)) for seat in order]
        assert told[:2] == [(), ()]
        led_to.append((game.state, told[-1]))
    assert all(reached == led_to[0] for reached in led_to)
    assert led_to[0][1] == (MightCommitted({"1": 0, "2": 1, "3": 2}),)


def test_v_tri_1_window_and_facts_are_the_same_whoever_holds_might() -> None:
    windows = set()
    for hands in ({1: MIGHT[:2], 2: BOYZ[:1]}, {1: BOYZ[:2], 2: MIGHT[:1]}):
        game, _ = trial(hands={**hands, 0: CRITICS[:1]})
        window = game.window
        windows.add((window.number, window.kind, window.seats, window.seconds, window.sealed))
        assert window.facts == MightFacts("contra", 1, {"0": 0, "1": 0, "2": 0})
    assert len(windows) == 1


def test_time_running_out_commits_nothing() -> None:
    game, _ = trial(hands=mighty(1, 1, 1))
    assert [RULES.default(game.state, seat) for seat in (1, 2)] == [Commit(0), Commit(0)]
    game.does(Commit(0), Commit(0))
    assert RULES.default(game.state, 0) == Commit(0)


def test_a_trial_there_is_not_is_not_played_on() -> None:
    # No game leads there: hand-made states are told what they lack.
    game = placed("scandal", -6)
    window = MightWindow(seats=(0,), facts=MightFacts("pro", 1, {"0": 0}))
    with pytest.raises(ValueError, match="no trial"):
        RULES.apply(replace(game.state, window=window), 0, Commit(0))
    with pytest.raises(ValueError, match="no counter"):
        RULES.apply(replace(table("buy"), window=window), 0, Commit(0))
