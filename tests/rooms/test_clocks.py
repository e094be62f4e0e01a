"""Windows and their clocks, to the millisecond."""

import pytest

from saleroom_protocol.errors import Reason
from saleroom_protocol.games.record import Pace
from saleroom_server.rooms.commands import Ring
from tests.support.founding import BEGINNING
from tests.support.rooms import HandRoom
from tests.support.toy.room import BID, INSIST, PLACE, placing, toy

GRACE = 250


@pytest.mark.parametrize("milliseconds", [-1, 0, GRACE, GRACE + 1])
def test_an_answer_counts_until_the_bell_after_the_grace(milliseconds: int) -> None:
    hand, players = toy()
    closes_at = hand.window["closes_at"]
    assert closes_at == hand.window["opened_at"] + 20_000
    hand.to(closes_at + milliseconds)
    if milliseconds <= GRACE:
        assert hand.window["number"] == 1
        hand.acts(players[0], BID)
        assert "expired" not in hand.entries
    else:
        assert hand.entries[-1] == "expired"
        assert players[0].events[0] == {"event": "expired", "window": 1, "seats": [0, 1, 2]}
        facts = {"window": 1, "open": 2, "closed_by": "expiry"}
        assert hand.refuses(hand.act(players[0], BID, 1)) == (Reason.WINDOW_CLOSED, facts)


def test_an_answer_decided_before_a_late_bell_counts() -> None:
    hand, players = toy()
    hand.now = hand.window["closes_at"] + 10_000
    for player in players:
        hand.acts(player, BID)
    assert "expired" not in hand.entries


def test_a_window_closes_on_time_though_nobody_is_connected() -> None:
    hand, players = toy()
    for player in players:
        hand.is_gone(player)
    due = hand.window["closes_at"] + GRACE + 1
    hand.to(due - 1)
    assert hand.window["number"] == 1
    hand.to(due)
    assert hand.window["number"] == 2


def test_a_hundred_flaps_of_connections_delay_nothing() -> None:
    hand, players = toy()
    closes_at, flapping = hand.window["closes_at"], players[1]
    for _ in range(100):
        hand.is_gone(flapping)
        hand.waits(100)
        flapping = hand.joins(1)
        hand.waits(95)
        assert hand.window["closes_at"] == closes_at
    hand.to(closes_at + GRACE)
    assert hand.window["number"] == 1
    hand.waits(1)
    assert hand.window["number"] == 2


def test_a_bell_that_rings_early_or_twice_closes_nothing() -> None:
    hand, _ = toy()
    for _ in range(3):
        assert hand.rings().silent
    hand.expires()
    number, entries = hand.window["number"], list(hand.entries)
    for _ in range(3):
        assert hand.rings().silent
    assert (hand.window["number"], hand.entries) == (number, entries)


def test_a_bell_for_a_window_that_was_answered_closes_no_newer_one() -> None:
    hand, players = toy()
    stale = hand.room.due()
    hand.waits(15_000)
    for player in players:
        hand.acts(player, BID)
    assert stale is not None
    hand.now = stale
    assert hand.does(Ring()).silent
    assert hand.window["number"] == 2


def test_the_state_and_its_clock_change_in_one_frame() -> None:
    hand, players = toy()
    for player in players:
        hand.waits(500)
        hand.acts(player, BID)
    window = players[0].last if "patch" in players[0].last else players[0].messages[-2]
    assert window["patch"]["window"]["opened_at"] == hand.now
    assert window["patch"]["window"]["closes_at"] == hand.now + 20_000


@pytest.mark.parametrize(
    ("pace", "turn"), [("relaxed", 90_000), ("standard", 45_000), ("quick", 22_500)]
)
def test_the_pace_stretches_the_standard_time(pace: Pace, turn: int) -> None:
    hand = HandRoom(pace=pace)
    hand.begins(0, 1, 2)
    assert hand.window["closes_at"] - hand.window["opened_at"] == turn


def test_an_untimed_room_waits_for_ever() -> None:
    hand, players = toy(pace="untimed")
    assert "closes_at" not in hand.window
    assert hand.room.due() is None
    hand.waits(365 * 24 * 3_600_000)
    hand.acts(players[0], BID)
    assert "closes_at" not in hand.window
    hand.reloads()
    assert "closes_at" not in hand.window
    assert hand.window["opened_at"] == hand.now


def test_a_bidder_with_nothing_to_offer_is_asked_like_everybody_else() -> None:
    lengths, met = set(), 0
    for number in range(30):
        hand = HandRoom(server_seed=number.to_bytes(32, "big").hex())
        hand.begins(0, 1, 2)
        (active,) = hand.asked
        hand.acts(hand.playing(active), hand.playing(active).document["legal"][-1])
        for _ in range(3):
            if hand.window["kind"] == "offer":
                window, (bidder,) = hand.window, hand.asked
                lengths.add(window["closes_at"] - window["opened_at"])
                met += len(hand.playing(bidder).document["legal"]) == 1
                hand.acts(hand.playing(bidder), {"do": "pass"})
    assert met, "somebody had nothing to offer"
    assert lengths == {20_000}


def test_windows_on_one_clock_share_what_is_left_of_it() -> None:
    hand, players = placing()
    assert hand.window["closes_at"] == hand.now + 20_000
    hand.waits(12_000)
    hand.acts(players[0], PLACE)
    assert hand.window["number"] == 4
    assert hand.window["closes_at"] == hand.now + 8_000
    hand.waits(3_000)
    hand.acts(players[1], PLACE)
    for player in players:
        hand.acts(player, BID)
    hand.acts(players[0], INSIST)
    assert hand.window["closes_at"] == hand.now + 20_000, "the next round has a clock of its own"


def test_a_shared_clock_that_has_run_out_leaves_nothing() -> None:
    hand, _ = placing()
    hand.expires()
    assert hand.window["closes_at"] == hand.window["opened_at"]


def test_a_shared_clock_is_whole_again_after_a_load() -> None:
    hand, players = placing()
    hand.waits(12_000)
    hand.acts(players[0], PLACE)
    hand.waits(3_000)
    hand.reloads()
    assert hand.window["closes_at"] == hand.now + 20_000


def test_a_shared_clock_does_not_run_in_an_untimed_room() -> None:
    hand, players = placing(pace="untimed")
    hand.acts(players[0], PLACE)
    assert "closes_at" not in hand.window


def test_after_a_crash_with_a_second_left_the_window_starts_again_in_full() -> None:
    hand, players = toy()
    hand.acts(players[0], BID)
    hand.to(hand.window["closes_at"] - 1_000)
    hand.reloads()
    assert hand.window["number"] == 1
    assert hand.window["answered"] == [0]
    assert (hand.window["opened_at"], hand.window["closes_at"]) == (hand.now, hand.now + 20_000)
    for player in players:
        assert [told["type"] for told in player.messages[-2:]] == ["view", "update"]
        assert player.events == [{"event": "clock_restarted"}]
    hand.waits(20_250)
    assert hand.window["number"] == 1
    hand.waits(1)
    assert hand.window["number"] == 2


def test_a_waiting_room_that_is_loaded_has_no_clock_to_tell_of() -> None:
    hand = HandRoom()
    hand.seats(0)
    player = hand.joins(0)
    hand.reloads()
    assert player.last["type"] == "view"


def test_the_time_of_a_view_is_that_of_what_it_shows() -> None:
    hand = HandRoom()
    hand.seats(0)
    hand.waits(5_000)
    assert hand.joins(3, "spectator").last["at"] == BEGINNING
    hand.reloads()
    assert hand.joins(4, "spectator").last["at"] == hand.now
