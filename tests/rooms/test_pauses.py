"""A room nobody is in pauses, goes on as if it had not, and is given up after half an hour."""

import pytest

from saleroom_protocol.errors import Reason
from saleroom_rules.replay import verify
from saleroom_server.rooms.commands import AddBot
from saleroom_server.rooms.limits import RoomLimits
from tests.support.followers import Follower
from tests.support.founding import BOT, PEOPLE
from tests.support.rooms import HandRoom
from tests.support.toy.room import BID, toy

MINUTE = 60_000
AT_ONCE = RoomLimits(pause_after_ms=0)


def deserted(hand: HandRoom, players: list[Follower]) -> None:
    for player in players:
        hand.is_gone(player)


def test_two_minutes_after_the_last_player_has_gone_the_room_pauses() -> None:
    hand, players = toy(pace="untimed")
    hand.is_gone(players[0])
    hand.is_gone(players[1])
    hand.waits(10 * MINUTE)
    assert hand.status == "running", "one is still there"
    hand.leaves(players[2])
    hand.waits(2 * MINUTE - 1)
    assert hand.status == "running"
    watching = hand.joins(3, "spectator")
    hand.waits(1)
    assert hand.status == "paused"
    assert watching.events == [{"event": "paused"}]
    assert watching.document["status"] == "paused"


def test_the_first_player_back_resumes_it_a_spectator_does_not() -> None:
    hand, players = toy(pace="untimed")
    deserted(hand, players)
    hand.waits(3 * MINUTE)
    watching = hand.joins(0, "spectator")
    hand.waits(0)
    assert hand.status == "paused"
    player = hand.joins(1)
    hand.waits(0)
    assert hand.status == "running"
    told = [event for update in watching.told("update") for event in update.get("events", ())]
    assert {"event": "resumed"} in told
    assert player.document["status"] == "running"


def test_while_paused_nothing_is_taken_and_nothing_charged() -> None:
    hand, players = toy(limits=AT_ONCE)
    hand.waits(5_000)
    deserted(hand, players)
    hand.waits(0)
    left = hand.window["left_ms"]
    assert left == 15_000
    number = hand.window["number"]
    assert "closes_at" not in hand.window
    hand.waits(10 * MINUTE)
    assert (hand.window["left_ms"], hand.window["number"]) == (left, number)
    player = hand.joins(0)
    assert hand.refuses(hand.act(player, BID, number)) == (Reason.PAUSED, {})
    hand.waits(0)
    assert hand.window["closes_at"] == hand.now + left


@pytest.mark.parametrize("left_ms", [*range(0, 20_001, 2_500), 1, -1, -250])
def test_wherever_a_pause_comes_the_window_goes_on_as_if_it_had_not(left_ms: int) -> None:
    """The window may even be within its grace."""
    hand, players = toy(limits=AT_ONCE)
    for player in players:
        hand.acts(player, BID)
    opened_at, closes_at = hand.window["opened_at"], hand.window["closes_at"]
    pause_at = closes_at - left_ms
    hand.to(pause_at)
    deserted(hand, players)
    hand.waits(0)
    assert hand.status == "paused"
    assert hand.window["left_ms"] == max(0, left_ms)
    hand.waits(7 * MINUTE)
    hand.joins(0)
    hand.waits(0)
    assert hand.window["opened_at"] == opened_at + 7 * MINUTE
    assert hand.window["closes_at"] == closes_at + 7 * MINUTE
    hand.to(closes_at + 7 * MINUTE + 250)
    assert hand.window["number"] == 2
    hand.waits(1)
    assert hand.window["number"] == 3


def test_a_window_that_waits_for_nobody_is_paused_and_resumed_too() -> None:
    hand, players = toy(limits=AT_ONCE)
    for player in players:
        hand.resigns(player)
    early = hand.window["closes_at"]
    hand.waits(4_000)
    deserted(hand, players)
    hand.waits(0)
    assert hand.window["left_ms"] == 1_000
    hand.waits(MINUTE)
    hand.joins(0)
    hand.waits(0)
    assert hand.window["closes_at"] == early + MINUTE
    hand.waits(1_251)
    assert hand.window["number"] == 2


def test_an_untimed_room_shows_no_time_while_paused() -> None:
    hand, players = toy(pace="untimed")
    deserted(hand, players)
    hand.waits(2 * MINUTE)
    assert not {"left_ms", "closes_at"} & hand.window.keys()
    hand.joins(0)
    hand.waits(0)
    assert not {"left_ms", "closes_at"} & hand.window.keys()


def test_a_room_paused_for_half_an_hour_is_closed() -> None:
    hand, players = toy(pace="untimed")
    deserted(hand, players)
    hand.waits(32 * MINUTE - 1)
    assert hand.status == "paused"
    hand.waits(1)
    assert hand.status == "closed"
    assert hand.document()["result"]["reason"] == "abandoned"
    assert hand.entries[-2:] == ["paused", "closed"]
    verify(hand.record())


def test_a_room_of_house_bots_alone_plays_on() -> None:
    hand = HandRoom("toy", pace="untimed")
    hand.begins()
    while not hand.standing.is_over:
        hand.to_the_next_bell()
    assert hand.status == "finished"
    assert "paused" not in hand.entries


def test_beside_a_person_house_bots_do_not_keep_a_room_awake() -> None:
    hand = HandRoom("toy", pace="untimed")
    hand.begins(0)
    hand.is_gone(hand.playing(0))
    hand.waits(2 * MINUTE)
    assert hand.status == "paused"


def test_a_bot_of_somebody_else_counts_as_a_player() -> None:
    hand = HandRoom("toy", pace="untimed")
    hand.seats(0)
    hand.does(hand.seat(BOT))
    hand.does(AddBot(PEOPLE[0], "easy"))
    hand.waits(2_000)
    robot = hand.joins(BOT)
    hand.waits(10 * MINUTE)
    assert hand.status == "running"
    hand.is_gone(robot)
    hand.waits(2 * MINUTE)
    assert hand.status == "paused"
    hand.rejoins(robot)
    hand.waits(0)
    assert hand.status == "running"


def test_who_sat_down_over_http_has_two_minutes_from_the_start_to_come() -> None:
    hand = HandRoom("toy", pace="untimed", autostart=False)
    hand.seats(0, 1, 2)
    hand.waits(10 * MINUTE)
    hand.begins()
    hand.waits(2 * MINUTE - 1)
    assert hand.status == "running"
    hand.waits(1)
    assert hand.status == "paused"


def test_a_paused_room_that_is_loaded_stays_paused_with_its_window_whole() -> None:
    hand, players = toy(limits=AT_ONCE, pace="relaxed")
    hand.waits(10_000)
    deserted(hand, players)
    hand.waits(0)
    assert hand.window["left_ms"] == 30_000
    hand.reloads()
    assert hand.status == "paused"
    assert hand.window["left_ms"] == 40_000
    hand.waits(MINUTE)
    hand.joins(0)
    hand.waits(0)
    assert hand.window["closes_at"] == hand.now + 40_000


def test_a_load_gives_players_two_minutes_to_come_back() -> None:
    hand, players = toy(pace="untimed")
    deserted(hand, players)
    hand.waits(MINUTE)
    hand.reloads()
    hand.waits(2 * MINUTE - 1)
    assert hand.status == "running"
    hand.waits(1)
    assert hand.status == "paused"


def test_sockets_that_go_on_after_a_load_keep_the_room_awake() -> None:
    hand, _ = toy(pace="untimed")
    hand.reloads()
    hand.waits(5 * MINUTE)
    assert hand.status == "running"


def test_joining_again_on_the_same_socket_is_not_going_away() -> None:
    hand, players = toy(pace="untimed")
    for player in players[1:]:
        hand.is_gone(player)
    hand.waits(MINUTE)
    hand.rejoins(players[0])
    hand.waits(5 * MINUTE)
    assert hand.status == "running"
