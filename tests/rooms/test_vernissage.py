"""Vernissage in a room: its sealed, open and chained windows against the clock."""

from functools import partial
from random import Random
from typing import Any

import pytest

from saleroom_protocol.games import VOCABULARIES
from saleroom_rules.replay import verify
from tests.support import rooms
from tests.support.followers import Follower
from tests.support.founding import picked
from tests.support.rooms import HandRoom

KINDS = [*VOCABULARIES["vernissage"].facts]


running, opened = partial(rooms.running, "vernissage"), partial(rooms.opened, "vernissage")


def several(hand: HandRoom) -> bool:
    """Whether more than one is asked."""
    return len(hand.asked) > 1


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


@pytest.mark.parametrize("kind", ["objection", "challenge", "might", "reveal"])
def test_who_has_answered_is_told_at_once_and_what_is_told_to_nobody_else(kind: str) -> None:
    hand = opened(kind, several)
    first, *others = hand.asked
    told = {}
    for choice in (0, -1):
        twin = HandRoom(standing=hand.standing, now=hand.now)
        followers = {seat: twin.joins(seat) for seat in range(3)}
        watching = twin.joins(3, "spectator")
        entry = followers[first].document["legal"][choice]
        action = {key: value for key, value in entry.items() if key != "choose"}
        for field, options in entry.get("choose", {}).items():
            action[field] = options["one_of"][choice]
        twin.acts(followers[first], action, 0, "the answer")
        assert twin.window["answered"] == [first]
        assert followers[first].document["you"]["answer"] == action
        told[choice] = [
            follower.frames[-1] for follower in (watching, *(followers[seat] for seat in others))
        ]
    assert told[0] == told[-1], "the same bytes, whatever the answer"


def test_answers_that_come_in_one_tick_all_count() -> None:
    hand = opened("objection", several)
    asked, at = hand.asked, hand.window["closes_at"] + 250  # the last moment there is
    hand.to(at)
    for seat in asked:
        hand.acts(hand.playing(seat), {"do": "object"})
    assert hand.now == at
    assert hand.window["kind"] == "bargain"
    assert hand.document()["table"]["dispute"]["objectors"] == asked
    assert "expired" not in hand.entries


def test_a_statement_in_the_last_millisecond_counts_and_buys_no_time() -> None:
    hand = opened("bargain")
    closes_at, number = hand.window["closes_at"], hand.window["number"]
    pro = hand.window["facts"]["pro"]
    offer = next(one for one in legal(hand, pro) if one["do"] == "offer")
    value = offer["choose"]["value"]["one_of"][0]
    hand.to(closes_at + 250)
    hand.acts(hand.playing(pro), {"do": "offer", "value": value})
    assert hand.document()["table"]["dispute"]["stated"] == {str(pro): value}
    assert (hand.window["number"], hand.window["closes_at"]) == (number, closes_at)
    hand.to(closes_at + 251)
    assert hand.window["kind"] == "challenge", "nobody has agreed in time"


def test_both_windows_of_the_play_share_one_clock() -> None:
    def can_step(hand: HandRoom) -> bool:
        """Whether a step change can be played, and a card is left after it."""
        seat = hand.asked[0]
        player = hand.document()["table"]["players"][str(seat)]
        stepping = any(entry["do"] == "limited" for entry in legal(hand, seat))
        return stepping and player["brown"] + player["grey"] > 1

    hand = opened("play", can_step)
    player, before = hand.playing(hand.asked[0]), hand.window
    entry = next(one for one in player.document["legal"] if one["do"] == "limited")
    hand.waits(10_000)
    hand.acts(player, picked(entry, Random(1).choice))
    assert (hand.window["kind"], hand.window["facts"]) == ("play", {"stepped": True})
    assert hand.window["closes_at"] == before["closes_at"]


def test_a_game_in_which_nobody_answers_ends_and_verifies() -> None:
    hand = running()
    while not hand.standing.is_over:
        hand.to_the_next_bell()
    assert hand.status == "finished"
    assert set(hand.entries[hand.entries.index("started") + 1 : -1]) == {"expired"}
    verify(hand.record())


def legal(hand: HandRoom, seat: int) -> Any:
    follower: Follower = hand.playing(seat)
    return follower.document["legal"]
