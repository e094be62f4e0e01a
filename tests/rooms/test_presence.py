"""Who is connected, as the document tells it, and how many look on."""

from itertools import pairwise

from saleroom_server.rooms.commands import GiveUpSeat
from tests.support.founding import BEGINNING, PEOPLE
from tests.support.rooms import HandRoom


def seated() -> HandRoom:
    hand = HandRoom(autostart=False)
    hand.seats(0, 1)
    return hand


def connected(hand: HandRoom, seat: int) -> bool:
    return bool(hand.document()["seats"][str(seat)]["connected"])


def test_who_joins_is_connected_at_once_and_all_are_told_in_an_update_of_its_own() -> None:
    hand = seated()
    watching = hand.joins(3, "spectator")
    player = hand.joins(0)
    assert not connected(hand, 0)
    hand.waits(0)
    assert connected(hand, 0)
    assert watching.events == [{"event": "presence", "seat": 0, "connected": True}]
    assert player.last["seq"] == watching.last["seq"] == hand.room.seq


def test_who_goes_is_disconnected_two_seconds_later() -> None:
    hand = seated()
    player = hand.joins(0)
    hand.waits(10_000)
    hand.is_gone(player)
    hand.waits(1_999)
    assert connected(hand, 0)
    hand.waits(1)
    assert not connected(hand, 0)


def test_who_is_back_within_two_seconds_never_was_away() -> None:
    hand = seated()
    player = hand.joins(0)
    hand.waits(10_000)
    seq = hand.room.seq
    for _ in range(20):
        hand.is_gone(player)
        hand.waits(1_999)
        hand.rejoins(player)
        hand.waits(3)
    hand.waits(10_000)
    assert hand.room.seq == seq


def test_a_seat_flips_at_most_once_in_two_seconds() -> None:
    hand = seated()
    flips: list[int] = []
    for _ in range(100):
        player = hand.joins(0)
        for _ in range(7):
            before = connected(hand, 0)
            hand.waits(100)
            if connected(hand, 0) != before:
                flips.append(hand.now)
        hand.is_gone(player)
        hand.waits(2_050)
    assert len(flips) > 20
    assert all(later - earlier >= 1_900 for earlier, later in pairwise(flips))


def test_two_seats_that_flip_at_once_are_one_update() -> None:
    hand = seated()
    watching = hand.joins(3, "spectator")
    hand.joins(0)
    hand.joins(1)
    seq = hand.room.seq
    hand.rings()
    assert hand.room.seq == seq + 1
    assert [event["seat"] for event in watching.events] == [0, 1]


def test_who_leaves_the_room_is_not_connected_though_the_socket_lives() -> None:
    hand = seated()
    player = hand.joins(0)
    hand.waits(0)
    hand.leaves(player)
    hand.waits(2_000)
    assert not connected(hand, 0)


def test_whoever_only_looks_on_from_now_is_not_connected() -> None:
    hand = seated()
    player = hand.joins(0)
    hand.waits(0)
    player.as_ = "spectator"
    hand.rejoins(player)
    hand.waits(2_000)
    assert not connected(hand, 0)


def test_a_seat_given_up_leaves_no_presence_behind() -> None:
    hand = seated()
    hand.joins(1)
    hand.waits(0)
    hand.does(GiveUpSeat(PEOPLE[1], 1))
    hand.seats(2)
    assert not connected(hand, 1)
    hand.waits(5_000)
    assert not connected(hand, 1)
    hand.joins(2)
    hand.waits(0)
    assert connected(hand, 1)


def test_spectators_are_counted_anew_at_most_every_five_seconds() -> None:
    hand = seated()
    first = hand.joins(3, "spectator")
    hand.to(BEGINNING + 4_999)
    assert first.document["spectators"] == 0
    for _ in range(50):
        hand.joins(4, "spectator")
    hand.to(BEGINNING + 5_000)
    assert first.document["spectators"] == 51
    assert first.last == {
        "type": "update",
        "room": hand.standing.room,
        "epoch": first.epoch,
        "seq": hand.room.seq,
        "at": hand.now,
        "patch": {"spectators": 51},
        "check": first.last["check"],
    }
    hand.joins(4, "spectator")
    hand.to(BEGINNING + 9_999)
    assert first.document["spectators"] == 51
    hand.to(BEGINNING + 10_000)
    assert first.document["spectators"] == 52


def test_the_count_rides_along_with_any_update_and_then_waits_again() -> None:
    hand = seated()
    watching = hand.joins(3, "spectator")
    hand.waits(3_000)
    hand.seats(2)
    assert watching.document["spectators"] == 1
    hand.joins(4, "spectator")
    hand.waits(4_999)
    assert watching.document["spectators"] == 1
    hand.waits(1)
    assert watching.document["spectators"] == 2


def test_who_comes_and_goes_between_two_counts_is_no_news() -> None:
    hand = seated()
    hand.is_gone(hand.joins(3, "spectator"))
    assert hand.room.due() == BEGINNING + 30 * 60_000
