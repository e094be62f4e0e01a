"""Objecting to a counter, and challenging without agreement: V-OBJ-1 and V-OBJ-3."""

from itertools import permutations
from typing import Any

import pytest

from saleroom_protocol.games.vernissage import (
    Allow,
    AnyAction,
    BargainingEnded,
    Challenge,
    Challenged,
    DisputeFacts,
    FameMoved,
    Forgo,
    Insist,
    MightFacts,
    Object,
    Objected,
    Stand,
    Why,
    Withdraw,
)
from tests.support.vernissage import BOYZ, MIGHT, RULES, Game, disputed, placed, stage

SIX_DOWN = FameMoved("boyz", "counter", -6, 14)


def test_v_obj_1_all_others_with_influence_on_that_artist_are_asked_at_once() -> None:
    artists = {"boyz": stage(4)}
    agents = {0: (1, 4), 1: (2, 4), 2: (3, 5), 3: (4,), 4: ()}
    game = placed("scandal", -6, seats=5, active=1, artists=artists, agents=agents)
    assert game.window.seats == (0, 3)
    assert game.facts == DisputeFacts(1, "boyz", "scandal", -6)
    assert game.window.sealed
    assert game.legal(0) == game.legal(3) == [Object(), Allow()]
    for seat in (1, 2, 4):
        assert game.refuses(Object(), seat) == (Why.NOT_ASKED, {"seat": seat})


def test_v_obj_1_if_nobody_objects_the_counter_takes_effect() -> None:
    game = placed("scandal", -6)
    assert game.says(2, Allow()) == ()
    assert game.says(1, Allow()) == (Objected(()), SIX_DOWN)
    assert game.kind == "buy"
    assert (game.dispute.objectors, game.dispute.result) == ((), "unopposed")


def test_v_obj_1_who_has_answered_is_seen_and_what_is_not() -> None:
    actions: list[AnyAction] = [Object(), Allow()]
    for action in actions:
        game = placed("scandal", -6, seats=4)
        before = game.table
        assert game.says(3, action) == ()
        assert game.window.answered == (3,)
        assert game.table == before
        assert game.refuses(action, 3) == (Why.NOT_ASKED, {"seat": 3})
        assert RULES.private(game.state, 3).answer == action


@pytest.mark.parametrize("objectors", [(1,), (2,), (3,), (1, 3), (1, 2, 3)])
def test_v_obj_1_those_who_object_bargain_with_the_active_player(
    objectors: tuple[int, ...],
) -> None:
    game = placed("scandal", -6, seats=4)
    events: tuple[Any, ...] = ()
    for seat in (1, 2, 3):
        events = game.says(seat, Object() if seat in objectors else Allow())
    assert events == (Objected(objectors),)
    assert (game.kind, game.window.seats) == ("bargain", (0, *objectors))
    assert game.dispute.objectors == objectors


def test_v_obj_1_the_order_of_answers_changes_neither_state_nor_events() -> None:
    answers: dict[int, AnyAction] = {1: Object(), 2: Allow(), 3: Object()}
    led_to = []
    for order in permutations(answers):
        game = placed("scandal", -6, seats=4)
        told = [game.says(seat, answers[seat]) for seat in order]
        led_to.append((game.state, told))
    assert all(reached == led_to[0] for reached in led_to)


def refused(game: Game, *withdrawn: int) -> Game:
    """Go on to the question who challenges, after these have withdrawn."""
    for seat in withdrawn:
        game.says(seat, Withdraw())
    game.says(0, Stand())
    return game


def test_v_obj_3_without_agreement_the_remaining_objectors_decide_at_once_and_sealed() -> None:
    game = refused(disputed(seats=4, objectors=(1, 2, 3)), 2)
    assert (game.kind, game.window.seats, game.window.sealed) == ("challenge", (1, 3), True)
    assert game.facts == DisputeFacts(0, "boyz", "scandal", -6)
    assert game.legal(1) == game.legal(3) == [Challenge(), Forgo()]
    assert game.refuses(Challenge(), 2) == (Why.NOT_ASKED, {"seat": 2})
    assert game.refuses(Object(), 1) == (Why.WRONG_WINDOW, {"open": "challenge"})


def test_v_obj_3_an_objector_who_insists_ends_the_bargaining_as_well() -> None:
    game = disputed()
    assert game.says(2, Insist()) == (BargainingEnded(2),)
    assert (game.kind, game.window.seats) == ("challenge", (1, 2))


def test_v_obj_3_if_nobody_challenges_the_counter_stays_and_takes_effect() -> None:
    game = refused(disputed())
    game.says(2, Forgo())
    assert game.says(1, Forgo()) == (Challenged(()), SIX_DOWN)
    assert game.dispute.result == "unchallenged"
    assert game.artist("boyz").counters == disputed().artist("boyz").counters
    assert game.kind == "buy"


@pytest.mark.parametrize("contra", [(1,), (2,), (1, 2)])
def test_v_obj_3_those_who_challenge_are_contra(contra: tuple[int, ...]) -> None:
    hands = {1: MIGHT[:1], 2: MIGHT[1:2]}
    game = refused(disputed(hands=hands))
    events: tuple[Any, ...] = ()
    for seat in (1, 2):
        events = game.says(seat, Challenge() if seat in contra else Forgo())
    assert events == (Challenged(contra),)
    might = {"0": 0, **{str(seat): 0 for seat in contra}}
    assert game.facts == MightFacts("contra", 1, might)
    assert game.window.seats == contra


def test_v_obj_3_the_order_of_answers_changes_neither_state_nor_events() -> None:
    led_to = []
    for order in permutations((1, 2, 3)):
        game = refused(disputed(seats=4, objectors=(1, 2, 3), hands={3: BOYZ}))
        before = game.table
        told = [game.says(seat, Forgo() if seat == 2 else Challenge()) for seat in order[:2]]
        assert told == [(), ()]
        assert game.table == before
        assert game.window.answered == tuple(sorted(order[:2]))
        events = game.says(order[2], Forgo() if order[2] == 2 else Challenge())
        led_to.append((game.state, events))
    assert all(reached == led_to[0] for reached in led_to)


def test_time_running_out_objects_to_nothing_and_challenges_nobody() -> None:
    game = placed("scandal", -6)
    assert [RULES.default(game.state, seat) for seat in (1, 2)] == [Allow(), Allow()]
    game = refused(disputed())
    assert [RULES.default(game.state, seat) for seat in (1, 2)] == [Forgo(), Forgo()]
