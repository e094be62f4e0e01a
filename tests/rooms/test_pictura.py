"""Museum Pictura in a room: arranging meanwhile, what the journal holds of it, and the clocks."""

from functools import partial
from random import Random
from typing import Any

import pytest

from saleroom_protocol.errors import Reason
from saleroom_protocol.games import VOCABULARIES
from saleroom_rules.replay import verify
from saleroom_server.rooms.limits import RoomLimits
from tests.support import rooms
from tests.support.founding import picked
from tests.support.rooms import HandRoom

KINDS = [*VOCABULARIES["pictura"].facts]


running, opened = partial(rooms.running, "pictura"), partial(rooms.opened, "pictura")


def turned(hand: HandRoom, seat: int) -> dict[str, Any]:
    """Return a seat's arrangement upside down."""
    museum = hand.document()["table"]["players"][str(seat)]["museum"]
    return {"do": "arrange", "places": {painting: 24 - at for painting, at in museum.items()}}


def can_hold(hand: HandRoom) -> bool:
    """Whether the active player could hold an exhibition."""
    listed = hand.document(hand.asked[0])["legal"]
    return any(entry["do"] == "hold" for entry in listed)


@pytest.mark.parametrize("kind", KINDS)
def test_a_disconnect_in_every_phase_plays_on_by_default(kind: str) -> None:
    hand = opened(kind)
    number, asked, closes_at = hand.window["number"], hand.asked, hand.window["closes_at"]
    for seat in asked:
        hand.is_gone(hand.playing(seat))
    hand.to(closes_at + 250)
    assert hand.window["number"] == number, "everybody has the whole time"
    hand.to(closes_at + 251)
    assert hand.entries[-1] in ("expired", "finished")
    assert hand.standing.is_over or hand.window["number"] > number


@pytest.mark.parametrize("kind", sorted({*KINDS} - {"arrange_final"}))
def test_a_museum_is_arranged_in_every_phase_and_no_window_waits_for_it(kind: str) -> None:
    hand = opened(kind)
    window, wanted = hand.window, turned(hand, 1)
    hand.acts(hand.playing(1), wanted, None)
    assert hand.window == window
    assert hand.document()["table"]["players"]["1"]["museum"] == wanted["places"]
    acted: Any = hand.journal[-1].entry
    assert (acted.seat, acted.action) == (1, wanted)
    hand.reloads()
    assert hand.document()["table"]["players"]["1"]["museum"] == wanted["places"]


def test_a_museum_is_arranged_once_in_two_seconds() -> None:
    hand = running(limits=RoomLimits())
    hand.acts(hand.playing(1), turned(hand, 1), None)
    again = hand.act(hand.playing(1), turned(hand, 1), None)
    assert hand.refuses(again) == (Reason.RATE_LIMITED, {"retry_after_ms": 2_000})
    hand.acts(hand.playing(2), turned(hand, 2), None)
    hand.waits(2_000)
    hand.acts(hand.playing(1), turned(hand, 1), None)


def test_how_an_exhibitions_paintings_were_put_together_is_in_the_journal() -> None:
    hand = opened("action", can_hold)
    seat = hand.asked[0]
    (form,) = [entry for entry in hand.document(seat)["legal"] if entry["do"] == "hold"]
    museum = hand.document()["table"]["players"][str(seat)]["museum"]
    apart = dict(zip(museum, [*range(0, 25, 2), *range(1, 25, 2)], strict=False))
    hand.acts(hand.playing(seat), {"do": "arrange", "places": apart}, None)
    category = form["choose"]["category"]["one_of"][0]
    hand.acts(hand.playing(seat), {"do": "hold", "category": category})
    acted: Any = hand.journal[-1].entry
    shown = hand.document()["table"]["players"][str(seat)]["museum"]
    assert acted.action["arrangement"] == shown != apart
    own = {"do": "hold", "category": category, "arrangement": apart}
    reason, facts = hand.refuses(hand.act(hand.playing(seat), own))
    assert (reason, facts["why"]) == (Reason.ILLEGAL_ACTION, "server_arranges")


def test_at_the_end_the_journal_holds_the_arrangements_that_were_taken() -> None:
    hand = opened("arrange_final")
    answer = turned(hand, 1)
    hand.acts(hand.playing(1), answer)
    assert hand.document(1)["you"]["answer"] == answer
    hand.to(hand.window["closes_at"] + 251)
    expired: Any = next(
        one.entry for one in reversed(hand.journal) if hasattr(one.entry, "answers")
    )
    assert {*expired.answers} == {"0", "2"}
    for seat, action in expired.answers.items():
        museum = hand.document()["table"]["players"][seat]["museum"]
        assert action == {"do": "arrange", "places": museum}
    museum = hand.document()["table"]["players"]["1"]["museum"]
    assert museum == answer["places"]
    assert verify(hand.record()).closing.outcome == hand.standing.outcome


def test_who_lets_the_time_of_one_action_run_out_is_not_away() -> None:
    hand = opened("action")
    seat = hand.asked[0]
    while hand.window["kind"] == "action" and hand.asked == [seat]:
        hand.to(hand.window["closes_at"] + 251)
    assert hand.entries[-2:] == ["expired", "expired"], "an inventory, and no time for more"
    assert not hand.document()["seats"][str(seat)]["away"]
    assert hand.window["kind"] == "discard"
    assert hand.window["closes_at"] - hand.window["opened_at"] == 20_000
    hand.to(hand.window["closes_at"] + 251)
    assert hand.document()["seats"][str(seat)]["away"], "that is another clock"


def test_the_trade_and_action_windows_of_a_turn_share_what_is_left_of_their_time() -> None:
    hand = opened("action")
    seat = hand.asked[0]
    closes_at = hand.window["closes_at"]
    hand.waits(10_000)
    hand.acts(hand.playing(seat), {"do": "inventory"})
    assert hand.window["kind"] == "action"
    assert hand.window["closes_at"] == closes_at, "60 seconds for all steps"


def test_the_clock_of_an_action_stands_still_while_a_space_is_chosen() -> None:
    hand = opened("action", can_hold)
    seat = hand.asked[0]
    hold = next(entry for entry in hand.document(seat)["legal"] if entry["do"] == "hold")
    hand.waits(10_000)
    hand.acts(hand.playing(seat), picked(hold, Random(1).choice))
    assert (hand.window["kind"], hand.window["closes_at"]) == ("bonus_space", hand.now + 20_000)
    hand.waits(15_000)
    space = hand.document(seat)["legal"][-1]
    hand.acts(hand.playing(seat), picked(space, Random(1).choice))
    assert (hand.window["kind"], hand.window["closes_at"]) == ("action", hand.now + 50_000)
