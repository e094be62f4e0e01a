"""Seats that are away: nobody waits for them long, and they may come back."""

from saleroom_rules.replay import verify
from tests.support.followers import Follower
from tests.support.rooms import HandRoom
from tests.support.toy.room import ARRANGE, BID, COME_BACK, INSIST, toy


def away(hand: HandRoom) -> list[int]:
    seats = hand.document()["seats"]
    return [int(seat) for seat, info in seats.items() if info["away"]]


def length(hand: HandRoom) -> int:
    return int(hand.window["closes_at"] - hand.window["opened_at"])


def with_one_away() -> tuple[HandRoom, list[Follower]]:
    """Return a toy game in its second round, with seat 1 away and everybody else there."""
    hand, players = toy()
    hand.acts(players[0], BID)
    hand.acts(players[2], BID)
    hand.expires()
    hand.acts(players[0], {"do": "say", "value": 1})
    hand.acts(players[2], {"do": "say", "value": 2})
    hand.acts(players[2], INSIST)
    hand.acts(players[0], {"do": "place", "spaces": {"a": 1, "b": 2}})
    hand.expires()
    assert away(hand) == [1]
    return hand, players


def test_one_missed_window_is_not_being_away_two_in_a_row_are() -> None:
    hand, players = toy()
    hand.expires()
    assert away(hand) == []
    hand.expires()
    assert away(hand) == [0, 1, 2], "who owed has missed it, whoever was answered for"
    assert players[0].events == [
        {"event": "expired", "window": 2, "seats": [0, 1, 2]},
        {"event": "spoken", "seat": 0},
        *({"event": "away", "seat": seat} for seat in range(3)),
    ]


def test_an_act_in_between_begins_the_count_anew() -> None:
    for action, window in ((BID, 0), (ARRANGE, None)):
        hand, players = toy()
        hand.expires()
        if window is None:
            hand.acts(players[0], action, window)
        else:
            hand.acts(players[0], INSIST)
        hand.expires()
        assert 0 not in away(hand)


def test_a_window_closes_five_seconds_after_only_the_away_are_left() -> None:
    hand, players = with_one_away()
    assert length(hand) == 20_000, "the others are waited for"
    hand.waits(3_000)
    hand.acts(players[0], BID)
    assert length(hand) == 20_000
    hand.waits(3_000)
    hand.acts(players[2], BID)
    assert hand.window["closes_at"] == hand.now + 5_000
    assert players[0].told("update")[-1]["patch"]["window"]["closes_at"] == hand.now + 5_000
    hand.waits(5_250)
    assert hand.window["number"] == 5
    hand.waits(1)
    assert hand.window["number"] == 6


def test_a_window_in_which_all_who_owe_are_away_lasts_five_seconds() -> None:
    hand, _ = toy()
    hand.expires()
    hand.expires()
    assert length(hand) == 5_000


def test_a_seat_that_comes_back_gets_the_time_there_was() -> None:
    hand, players = toy()
    hand.expires()
    hand.expires()
    opened_at = hand.window["opened_at"]
    hand.waits(2_000)
    hand.acts(players[0], COME_BACK, None)
    assert hand.window["closes_at"] == opened_at + 20_000
    assert players[1].events == [{"event": "back", "seat": 0}]
    assert away(hand) == [1, 2]
    hand.reloads()
    assert away(hand) == [1, 2]


def test_a_seat_that_comes_back_late_gets_five_seconds_at_least() -> None:
    hand, players = with_one_away()
    hand.waits(18_000)
    hand.acts(players[0], BID)
    hand.acts(players[2], BID)
    hand.waits(1_500)
    hand.acts(players[1], COME_BACK, None)
    assert hand.window["closes_at"] == hand.now + 5_000


def test_the_shortened_time_is_never_longer_than_the_regular_one() -> None:
    hand, players = with_one_away()
    closes_at = hand.window["closes_at"]
    hand.waits(18_000)
    hand.acts(players[0], BID)
    hand.acts(players[2], BID)
    assert hand.window["closes_at"] == closes_at


def test_any_accepted_act_brings_back() -> None:
    for action, window in ((BID, 0), (ARRANGE, None)):
        hand, players = with_one_away()
        assert [entry["do"] for entry in players[1].document["you"]["anytime"]] == [
            "resign",
            "come_back",
            "arrange",
        ]
        hand.acts(players[1], action, window)
        assert away(hand) == []
        assert players[0].events[0] == {"event": "back", "seat": 1}


def test_being_connected_or_not_does_not_matter() -> None:
    hand, players = with_one_away()
    hand.is_gone(players[1])
    hand.waits(2_000)
    hand.joins(1)
    assert away(hand) == [1]
    hand.is_gone(players[0])
    hand.waits(3_000)
    assert away(hand) == [1]
    assert length(hand) == 20_000


def test_a_seat_that_has_resigned_is_waited_for_like_one_that_is_away() -> None:
    hand, players = toy()
    for player in players[1:]:
        hand.resigns(player)
    assert length(hand) == 20_000
    hand.waits(2_000)
    hand.acts(players[0], BID)
    assert hand.window["closes_at"] == hand.now + 5_000
    hand.expires()
    assert players[0].events[0] == {"event": "expired", "window": 1, "seats": [1, 2]}
    hand.acts(players[0], INSIST)
    hand.acts(players[0], {"do": "place", "spaces": {"a": 1, "b": 2}})
    assert length(hand) == 5_000
    hand.expires()
    assert not [event for event in players[0].events if event["event"] == "away"]


def test_resigning_in_ones_own_turn_ends_it_by_the_time_it_was_opened() -> None:
    hand, players = toy()
    for player in players:
        hand.acts(player, BID)
    hand.acts(players[0], INSIST)
    opened_at = hand.window["opened_at"]
    hand.waits(10_000)
    hand.resigns(players[0])
    assert hand.window["closes_at"] == opened_at + 5_000
    hand.waits(0)
    assert hand.entries[-1] == "expired"


def test_in_an_untimed_room_only_those_who_resigned_are_not_waited_for() -> None:
    hand, players = toy(pace="untimed", options={"short": True})
    for player in players[1:]:
        hand.resigns(player)
    assert "closes_at" not in hand.window
    hand.waits(60_000)
    hand.acts(players[0], BID)
    assert hand.window["closes_at"] == hand.now + 5_000
    hand.waits(5_251)
    assert hand.window["kind"] == "haggle"
    assert "closes_at" not in hand.window
    hand.resigns(players[0])
    hand.waits(60_000)
    assert hand.status == "finished"
    verify(hand.record())


def test_in_an_untimed_room_nobody_is_ever_away() -> None:
    hand, _ = toy(pace="untimed")
    hand.waits(10**9)
    assert away(hand) == []
