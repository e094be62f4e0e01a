"""Bargaining for another value: V-OBJ-2, message by message, in every state there is."""

from collections.abc import Callable
from itertools import permutations
from typing import Any

import pytest

from saleroom_protocol.games.forms import Form, one_of
from saleroom_protocol.games.vernissage import (
    Agree,
    Allow,
    AnyAction,
    Ask,
    BargainingEnded,
    Challenge,
    Counter,
    CountersExchanged,
    DisputeFacts,
    FameMoved,
    Insist,
    Object,
    Objected,
    Offer,
    Stand,
    Stated,
    Why,
    Withdraw,
    Withdrew,
)
from tests.support.vernissage import RULES, Game, disputed, placed, stage

OTHERS = (-2, -3, -4, -5, -7)  # scandals beside the board that are another value than −6


def exchanged(new: int) -> tuple[Any, ...]:
    """Return the events of an agreement on another value than −6 for Boyz."""
    swap = CountersExchanged("boyz", "scandal", -6, new)
    return swap, FameMoved("boyz", "counter", new, 20 + new)


def words(game: Game, seat: int) -> dict[str, Any]:
    """Return what a seat may say, with the values it may name."""
    return {
        getattr(entry, "do", "") or entry.__struct_config__.tag: (
            entry.choose["value"].one_of if isinstance(entry, Form) else ()
        )
        for entry in game.legal(seat)
    }


def test_v_obj_2_the_active_player_and_the_objectors_are_asked_openly_in_any_order() -> None:
    game = disputed(seats=4, active=2, objectors=(0, 3))
    window = game.window
    assert (window.kind, window.seats, window.sealed) == ("bargain", (0, 2, 3), False)
    assert window.facts == DisputeFacts(2, "boyz", "scandal", -6)
    assert (game.dispute.stated, game.dispute.statements, game.dispute.withdrawn) == ({}, {}, ())
    for seat, action in ((3, Ask(-2)), (2, Offer(-3)), (0, Ask(-4)), (2, Offer(-5))):
        game.says(seat, action)
    assert game.window == window
    assert game.refuses(Ask(-2), 1) == (Why.NOT_ASKED, {"seat": 1})


def test_v_obj_2_only_another_value_of_the_same_kind_that_lies_beside_the_board() -> None:
    # Both −4 lie in front of Kali.
    artists = {"kali": stage(1, ("scandal", -4), ("scandal", -4))}
    game = disputed(artists=artists)
    values = (-2, -3, -5, -7)
    assert words(game, 0) == {"offer": values, "stand": ()}
    assert words(game, 1) == {"ask": values, "withdraw": (), "insist": ()}
    for value in (-4, -1, 6, 0, -8):
        assert game.refuses(Offer(value), 0) == (Why.NO_EXCHANGE, {"value": value})
        assert game.refuses(Ask(value), 1) == (Why.NO_EXCHANGE, {"value": value})


def test_v_obj_2_a_duplicate_of_the_placed_value_is_not_another_value() -> None:
    game = disputed()
    assert -6 in game.table.supply["scandal"]
    assert game.refuses(Offer(-6), 0) == (Why.NO_EXCHANGE, {"value": -6})
    assert game.refuses(Ask(-6), 2) == (Why.NO_EXCHANGE, {"value": -6})


def test_v_obj_2_everybody_has_at_most_one_stated_value_and_a_new_one_replaces_the_own() -> None:
    game = disputed()
    assert game.says(0, Offer(-5)) == (Stated(0, "offer", -5),)
    assert game.says(1, Ask(-2)) == (Stated(1, "ask", -2),)
    assert game.says(2, Ask(-4)) == (Stated(2, "ask", -4),)
    assert game.dispute.stated == {"0": -5, "1": -2, "2": -4}
    game.says(1, Ask(-3))
    assert game.dispute.stated == {"0": -5, "1": -3, "2": -4}
    game.says(0, Offer(-3))
    assert game.dispute.stated == {"0": -3, "1": -3, "2": -4}
    assert game.dispute.statements == {"0": 2, "1": 2, "2": 1}
    assert (game.kind, game.artist("boyz").space) == ("bargain", 20)


def test_v_obj_2_an_offer_the_only_objector_takes_up_is_exchanged_and_takes_effect() -> None:
    game = disputed(objectors=(1,))
    game.says(0, Offer(-3))
    assert game.says(1, Agree(-3)) == (Stated(1, "agree", -3), *exchanged(-3))
    assert game.kind == "buy", "without further objection"
    assert game.dispute.value == -3
    assert game.dispute.result == "agreed"
    assert game.artist("boyz").counters == (Counter("scandal", -3),)
    supply = game.table.supply["scandal"]
    assert (supply.count(-6), supply.count(-3)) == (2, 1)


def test_v_obj_2_the_active_player_agrees_when_the_only_objector_asks() -> None:
    game = disputed(objectors=(2,))
    game.says(2, Ask(-2))
    assert words(game, 0) == {"offer": OTHERS, "agree": (-2,), "stand": ()}
    assert game.says(0, Agree(-2)) == (Stated(0, "agree", -2), *exchanged(-2))


def test_v_obj_2_offering_what_is_asked_is_an_agreement_as_well() -> None:
    game = disputed(objectors=(2,))
    game.says(2, Ask(-2))
    assert game.says(0, Offer(-2)) == (Stated(0, "offer", -2), *exchanged(-2))


def test_v_obj_2_asking_for_what_is_offered_is_an_agreement_as_well() -> None:
    game = disputed(objectors=(2,))
    game.says(0, Offer(-2))
    assert game.says(2, Ask(-2)) == (Stated(2, "ask", -2), *exchanged(-2))


def test_v_obj_2_two_objectors_who_want_different_values_hold_everything_up() -> None:
    game = disputed()
    game.says(1, Ask(-2))
    game.says(2, Ask(-3))
    assert "agree" not in words(game, 0)
    for value in (-2, -3):
        assert game.refuses(Agree(value), 0) == (Why.NOTHING_TO_AGREE, {"value": value})
    game.says(0, Offer(-3))
    assert game.kind == "bargain", "only one of them states that"
    assert words(game, 1)["agree"] == (-3,)
    assert game.says(1, Agree(-3)) == (Stated(1, "agree", -3), *exchanged(-3))


def test_v_obj_2_the_active_player_agrees_once_all_remaining_objectors_ask_alike() -> None:
    game = disputed(seats=4, objectors=(1, 2, 3))
    game.says(1, Ask(-2))
    game.says(2, Ask(-2))
    assert game.refuses(Agree(-2), 0) == (Why.NOTHING_TO_AGREE, {"value": -2})
    game.says(3, Ask(-2))
    assert words(game, 0)["agree"] == (-2,)
    assert game.says(0, Agree(-2)) == (Stated(0, "agree", -2), *exchanged(-2))


def test_v_obj_2_one_who_agrees_and_then_asks_anew_agrees_no_more() -> None:
    game = disputed()
    game.says(0, Offer(-3))
    game.says(1, Agree(-3))
    game.says(1, Ask(-2))
    assert game.dispute.stated == {"0": -3, "1": -2}
    game.says(2, Agree(-3))
    assert game.kind == "bargain"
    assert game.says(1, Agree(-3)) == (Stated(1, "agree", -3), *exchanged(-3))


def test_v_obj_2_agreeing_late_to_a_former_offer_is_a_statement_of_that_value() -> None:
    game = disputed(objectors=(1,))
    game.says(0, Offer(-5))
    game.says(0, Offer(-4))
    assert words(game, 1)["agree"] == (-4, -5)
    assert game.says(1, Agree(-5)) == (Stated(1, "agree", -5),)
    assert game.kind == "bargain"
    assert game.dispute.stated == {"0": -4, "1": -5}
    assert game.dispute.statements == {"0": 2, "1": 1}
    # It counts: the active player may come back to it.
    assert game.says(0, Agree(-5)) == (Stated(0, "agree", -5), *exchanged(-5))


def test_v_obj_2_agreeing_late_to_what_was_asked_is_a_statement_of_that_value() -> None:
    game = disputed()
    game.says(1, Ask(-2))
    game.says(2, Ask(-2))
    game.says(2, Ask(-3))
    assert game.says(0, Agree(-2)) == (Stated(0, "agree", -2),)
    assert game.kind == "bargain"
    assert game.says(2, Agree(-2))[1:] == exchanged(-2)


def test_v_obj_2_agreeing_late_is_not_refused_after_a_withdrawal_either() -> None:
    game = disputed()
    game.says(1, Ask(-2))
    game.says(2, Ask(-2))
    game.says(1, Withdraw())
    game.says(2, Ask(-4))
    assert words(game, 0)["agree"] == (-2, -4)
    game.says(0, Agree(-2))
    assert game.dispute.stated == {"0": -2, "1": -2, "2": -4}
    assert game.kind == "bargain", "what a withdrawn objector had stated no longer counts"


def test_v_obj_2_what_the_other_side_never_named_cannot_be_agreed_to() -> None:
    game = disputed()
    assert game.refuses(Agree(-3), 0) == (Why.NOTHING_TO_AGREE, {"value": -3})
    assert game.refuses(Agree(-3), 1) == (Why.NOTHING_TO_AGREE, {"value": -3})
    game.says(0, Offer(-3))
    game.says(2, Ask(-5))
    # Another objector is not the other side, and one's own value is not the other side's.
    assert game.refuses(Agree(-5), 1) == (Why.NOTHING_TO_AGREE, {"value": -5})
    assert game.refuses(Agree(-6), 1) == (Why.NOTHING_TO_AGREE, {"value": -6})
    assert game.refuses(Agree(-5), 0) == (Why.NOTHING_TO_AGREE, {"value": -5})


def test_v_obj_2_repeating_the_own_value_is_refused_in_every_word() -> None:
    game = disputed()
    game.says(0, Offer(-3))
    game.says(1, Ask(-5))
    assert game.refuses(Offer(-3), 0) == (Why.ALREADY_STATED, {"value": -3})
    assert game.refuses(Agree(-3), 0) == (Why.ALREADY_STATED, {"value": -3})
    assert game.refuses(Ask(-5), 1) == (Why.ALREADY_STATED, {"value": -5})
    game.says(1, Agree(-3))
    assert game.refuses(Agree(-3), 1) == (Why.ALREADY_STATED, {"value": -3})
    assert game.refuses(Ask(-3), 1) == (Why.ALREADY_STATED, {"value": -3})
    assert words(game, 0)["offer"] == (-2, -4, -5, -7)
    assert words(game, 1)["ask"] == (-2, -4, -5, -7)
    assert "agree" not in words(game, 1)


def test_v_obj_2_a_withdrawal_is_final() -> None:
    game = disputed()
    game.says(1, Ask(-2))
    assert game.says(1, Withdraw()) == (Withdrew(1),)
    window = game.window
    assert (window.seats, window.answered, game.dispute.withdrawn) == ((0, 1, 2), (1,), (1,))
    assert game.legal(1) == []
    for action in (Ask(-3), Withdraw(), Insist()):
        assert game.refuses(action, 1) == (Why.NOT_ASKED, {"seat": 1})
    game.says(0, Stand())
    assert game.window.seats == (2,)
    assert game.refuses(Challenge(), 1) == (Why.NOT_ASKED, {"seat": 1})


@pytest.mark.parametrize("order", list(permutations((1, 2, 3))))
def test_v_obj_2_when_the_last_objector_withdraws_the_placed_counter_takes_effect(
    order: tuple[int, ...],
) -> None:
    game = disputed(seats=4, objectors=(1, 2, 3))
    game.says(0, Offer(-3))
    for seat in order[:2]:
        assert game.says(seat, Withdraw()) == (Withdrew(seat),)
    assert game.window.answered == tuple(sorted(order[:2]))
    taken = FameMoved("boyz", "counter", -6, 14)
    assert game.says(order[2], Withdraw()) == (Withdrew(order[2]), taken)
    assert game.kind == "buy"
    assert (game.dispute.value, game.dispute.result) == (-6, "withdrawn")
    assert game.dispute.withdrawn == (1, 2, 3)


def test_v_obj_2_a_withdrawal_may_leave_the_rest_in_agreement() -> None:
    game = disputed()
    game.says(0, Offer(-3))
    game.says(1, Agree(-3))
    game.says(2, Ask(-2))
    assert game.says(2, Withdraw()) == (Withdrew(2), *exchanged(-3))
    assert (game.kind, game.dispute.result) == ("buy", "agreed")


def test_v_obj_2_a_withdrawal_may_leave_the_rest_asking_alike() -> None:
    game = disputed(seats=4, objectors=(1, 2, 3))
    game.says(1, Ask(-2))
    game.says(2, Ask(-2))
    game.says(3, Ask(-4))
    assert "agree" not in words(game, 0)
    game.says(3, Withdraw())
    assert words(game, 0)["agree"] == (-2,)


def test_v_obj_2_silence_is_no_agreement() -> None:
    game = disputed()
    game.says(0, Offer(-3))
    game.says(1, Agree(-3))
    assert game.kind == "bargain"
    game = disputed()
    game.says(1, Ask(-3))
    game.says(2, Ask(-3))
    assert game.kind == "bargain"


@pytest.mark.parametrize(("seat", "action"), [(0, Stand()), (1, Insist()), (2, Insist())])
def test_v_obj_2_standing_or_insisting_ends_it_without_agreement(
    seat: int, action: AnyAction
) -> None:
    game = disputed()
    game.says(0, Offer(-3))
    game.says(1, Agree(-3))
    assert game.says(seat, action) == (BargainingEnded(seat),)
    assert (game.kind, game.window.seats) == ("challenge", (1, 2))
    assert (game.dispute.value, game.artist("boyz").space) == (-6, 20)


@pytest.mark.parametrize(
    ("seat", "action"),
    [(0, Ask(-3)), (0, Withdraw()), (0, Insist()), (1, Offer(-3)), (2, Stand())],
)
def test_v_obj_2_what_the_other_side_says_is_refused(seat: int, action: AnyAction) -> None:
    assert disputed().refuses(action, seat) == (Why.WRONG_SIDE, {"pro": 0})


def test_v_obj_2_with_no_other_value_beside_the_board_the_window_opens_all_the_same() -> None:
    game = placed("scandal", -6, supply={"scandal": (-6, -6)})
    game.says(1, Object())
    assert game.says(2, Object()) == (Objected((1, 2)),)
    assert game.kind == "bargain"
    assert game.legal(0) == [Stand()]
    assert game.legal(1) == [Withdraw(), Insist()]
    assert game.refuses(Offer(-6), 0) == (Why.NO_EXCHANGE, {"value": -6})
    assert game.refuses(Ask(-5), 1) == (Why.NO_EXCHANGE, {"value": -5})


def in_turn(game: Game, seat: int, say: Callable[[int], AnyAction], times: int) -> None:
    """Let a seat make so many statements, no two alike in a row."""
    for number in range(times):
        game.says(seat, say((-2, -3)[number % 2]))


def test_v_obj_2_at_most_12_statements_a_player_and_window() -> None:
    game = disputed()
    in_turn(game, 0, Offer, 12)
    assert words(game, 0) == {"stand": ()}
    for action in (Offer(-5), Agree(-5), Offer(-3)):
        assert game.refuses(action, 0) == (Why.TOO_MANY_STATEMENTS, {"limit": 12})
    in_turn(game, 1, Ask, 11)
    assert "ask" in words(game, 1)
    game.says(1, Agree(-3))
    assert words(game, 1) == {"withdraw": (), "insist": ()}
    assert game.refuses(Ask(-4), 1) == (Why.TOO_MANY_STATEMENTS, {"limit": 12})
    assert game.dispute.statements == {"0": 12, "1": 12}
    # Whoever has statements left may still agree with them.
    assert game.says(2, Agree(-3))[1:] == exchanged(-3)


def test_v_obj_2_the_twelfth_statement_may_be_the_agreement() -> None:
    game = disputed(objectors=(1,))
    game.says(0, Offer(-5))
    in_turn(game, 1, Ask, 11)
    assert game.says(1, Agree(-5))[1:] == exchanged(-5)


def test_v_obj_2_the_next_dispute_begins_with_no_statements_made() -> None:
    game = disputed(objectors=(1,))
    in_turn(game, 0, Offer, 12)
    game.says(1, Withdraw())
    while game.kind != "objection":
        game.does(RULES.default(game.state, game.asked))
    game.does(Object())
    while game.kind != "bargain":
        game.does(Allow())
    assert game.dispute.statements == {}
    assert "offer" in words(game, game.dispute.pro)


def test_v_obj_2_ending_it_needs_no_statement_left() -> None:
    game = disputed()
    in_turn(game, 1, Ask, 12)
    assert game.says(1, Withdraw()) == (Withdrew(1),)


def test_v_obj_2_the_exchanged_counter_is_the_one_just_placed() -> None:
    lying = (("purchase", 1), ("scandal", -5))
    game = disputed(objectors=(1,), artists={"boyz": stage(1, *lying)})
    game.says(0, Offer(-4))
    game.says(1, Agree(-4))
    values = [counter.value for counter in game.artist("boyz").counters or ()]
    assert values == [1, -5, -4]


def test_v_obj_2_the_exchanged_value_counts_in_everything_that_follows() -> None:
    # +6 would lead IN, +1 does not.
    game = disputed("purchase", 6, objectors=(1,), artists={"boyz": stage(space=30)})
    game.says(1, Ask(1))
    events = game.says(0, Agree(1))
    assert events[-1] == FameMoved("boyz", "counter", 1, 31)
    assert game.facts.pays == 10_000


def test_v_obj_2_nothing_but_bargaining_answers_it() -> None:
    for seat, action in ((0, Object()), (1, Challenge()), (1, Allow())):
        assert disputed().refuses(action, seat) == (Why.WRONG_WINDOW, {"open": "bargain"})


def test_v_obj_2_words_and_values_are_listed_in_the_documented_order() -> None:
    game = disputed()
    assert game.legal(0) == [Form("offer", {}, {"value": one_of(OTHERS)}), Stand()]
    game.says(0, Offer(-3))
    assert game.legal(1) == [
        Form("ask", {}, {"value": one_of(OTHERS)}),
        Form("agree", {}, {"value": one_of((-3,))}),
        Withdraw(),
        Insist(),
    ]


def test_time_running_out_ends_the_bargaining_without_agreement() -> None:
    game = disputed()
    assert [RULES.default(game.state, seat) for seat in (0, 1, 2)] == [
        Stand(),
        Insist(),
        Insist(),
    ]
