"""Who sits where, who is host, and when a game begins."""

from random import Random

import pytest
from msgspec import UNSET

from saleroom_protocol.document import Started
from saleroom_protocol.errors import Reason
from saleroom_server.rooms import commands
from saleroom_server.rooms.commands import AddBot, Close, GiveUpSeat, Start
from saleroom_server.rooms.seating import Seated
from tests.support.founding import ANYBODY, BEGINNING, BOT, INVITE, PEOPLE, ROOM, WATCH
from tests.support.rooms import HandRoom

CREATOR, SECOND, THIRD, STRANGER = PEOPLE[:4]
ENTROPY, OTHER_ENTROPY = "00" * 16, "ff" * 32


def test_whoever_sits_down_gets_the_lowest_free_seat_or_the_one_named() -> None:
    hand = HandRoom()
    assert hand.does(hand.seat(0, 1)).answer == Seated(1, True)
    assert hand.does(hand.seat(1)).answer == Seated(0, True)
    assert hand.does(hand.seat(BOT)).answer == Seated(2, True)
    assert hand.document()["seats"] == {
        "0": {
            "player": SECOND.player,
            "name": "Person b",
            "kind": "person",
            "connected": False,
            "away": False,
        },
        "1": {
            "player": CREATOR.player,
            "name": "Person a",
            "kind": "person",
            "connected": False,
            "away": False,
        },
        "2": {
            "player": BOT.player,
            "name": "Robot",
            "kind": "bot",
            "connected": False,
            "away": False,
        },
    }
    assert hand.refuses(hand.seat(3)) == (Reason.ROOM_FULL, {})
    assert hand.refuses(hand.seat(3, 1)) == (Reason.SEAT_TAKEN, {"seat": 1})


def test_a_seat_there_is_not_is_malformed() -> None:
    hand = HandRoom()
    assert hand.refuses(hand.seat(0, 3)) == (Reason.MALFORMED, {"field": "seat"})
    assert hand.refuses(AddBot(CREATOR, "easy", 9)) == (Reason.MALFORMED, {"field": "seat"})
    assert hand.refuses(GiveUpSeat(CREATOR, 3)) == (Reason.MALFORMED, {"field": "seat"})


def test_nobody_without_a_token_sits_down() -> None:
    hand = HandRoom()
    assert hand.refuses(hand.seat(ANYBODY)) == (Reason.BAD_TOKEN, {})


def test_whoever_sits_already_gets_the_same_seat_again_and_nobody_hears_of_it() -> None:
    hand = HandRoom()
    hand.seats(0, 1)
    seq = hand.room.seq
    decision = hand.does(hand.seat(1, 2))
    assert (decision.answer, decision.entries) == (Seated(1, False), ())
    assert hand.room.seq == seq
    hand.begins(2)
    assert hand.does(hand.seat(1, entropy=ENTROPY)).answer == Seated(1, False)
    assert "contributed" not in hand.entries


@pytest.mark.parametrize("seed", range(5))
def test_fifty_who_join_at_once_sit_as_if_one_had_come_after_the_other(seed: int) -> None:
    callers = [
        commands.Caller(f"p{chr(97 + n // 10) * 8}{chr(97 + n % 10) * 8}", "P") for n in range(50)
    ]
    Random(seed).shuffle(callers)
    hand = HandRoom(seats=5)
    seated: list[Seated] = []
    for caller in callers:
        if len(seated) < 5:
            seated.append(hand.does(hand.seat(caller)).answer)
        else:
            assert hand.refuses(hand.seat(caller)) == (Reason.ROOM_FULL, {})
    assert seated == [Seated(seat, True) for seat in range(5)]
    assert [hand.standing.sitters[seat].player for seat in range(5)] == [
        caller.player for caller in callers[:5]
    ]


def test_the_creator_is_host_also_without_a_seat() -> None:
    hand = HandRoom()
    hand.seats(1)
    assert hand.document()["host"] == CREATOR.player
    assert hand.refuses(AddBot(SECOND, "easy")) == (Reason.NOT_HOST, {})
    assert hand.refuses(AddBot(ANYBODY, "easy")) == (Reason.NOT_HOST, {})
    hand.does(AddBot(CREATOR, "easy"))
    assert hand.document()["seats"]["1"]["kind"] == "house"
    assert hand.document()["seats"]["1"]["connected"] is True


def test_a_host_who_leaves_is_followed_by_who_has_sat_longest_house_bots_aside() -> None:
    hand = HandRoom(autostart=False)
    hand.seats(0)
    hand.does(AddBot(CREATOR, "easy", 2))
    hand.seats(1)
    hand.does(GiveUpSeat(CREATOR, 0))
    assert hand.standing.host == SECOND.player
    hand.seats(0)
    assert hand.standing.host == SECOND.player
    hand.does(GiveUpSeat(SECOND, 1))
    hand.does(GiveUpSeat(CREATOR, 0))
    assert hand.standing.host == CREATOR.player, "with nobody there it is the creator again"


def test_a_room_without_a_creator_has_the_first_to_sit_as_host() -> None:
    hand = HandRoom(creator="")
    assert hand.document()["host"] == ""
    hand.seats(1, 2)
    assert hand.standing.host == SECOND.player
    hand.does(AddBot(SECOND, "easy"))


def test_a_house_bot_has_a_level_there_is() -> None:
    hand = HandRoom()
    assert hand.refuses(AddBot(CREATOR, "hard")) == (Reason.MALFORMED, {"field": "level"})
    hand.does(AddBot(CREATOR, "steady"))
    assert hand.document()["seats"]["0"]["player"] == "house0"
    assert hand.document()["seats"]["0"]["name"] == "Steady bot 0"
    hand.seats(1, 2)
    assert hand.refuses(AddBot(CREATOR, "easy")) == (Reason.ROOM_FULL, {})


def test_a_full_room_starts_by_itself_after_two_seconds() -> None:
    hand = HandRoom()
    hand.seats(0, 1)
    spectator = hand.joins(3, "spectator")
    assert "starts_at" not in spectator.document
    hand.seats(2)
    assert spectator.document["starts_at"] == BEGINNING + 2_000
    hand.to(BEGINNING + 1_999)
    assert hand.status == "waiting"
    hand.to(BEGINNING + 2_000)
    assert hand.status == "running"
    assert "starts_at" not in spectator.document
    assert spectator.events[0] == {"event": "started"}


def test_a_seat_given_up_takes_the_start_back_and_taken_again_sets_it_anew() -> None:
    hand = HandRoom()
    hand.seats(0, 1, 2)
    hand.waits(1_500)
    hand.does(GiveUpSeat(THIRD, 2))
    assert "starts_at" not in hand.document()
    hand.waits(10_000)
    hand.seats(3)
    assert hand.document()["starts_at"] == hand.now + 2_000
    hand.waits(1_500)
    hand.reloads()
    assert hand.document()["starts_at"] == hand.now + 2_000, "a load arms it anew"
    hand.waits(2_000)
    assert hand.status == "running"


def test_without_autostart_the_host_starts_a_full_room() -> None:
    hand = HandRoom(autostart=False)
    hand.seats(0, 1)
    assert hand.refuses(Start(CREATOR)) == (Reason.WRONG_STATUS, {"status": "waiting"})
    hand.seats(2)
    hand.waits(60_000)
    assert hand.status == "waiting"
    assert hand.refuses(Start(SECOND)) == (Reason.NOT_HOST, {})
    assert isinstance(hand.does(Start(CREATOR)).events[0], Started)
    wrong = (Reason.WRONG_STATUS, {"status": "running"})
    assert hand.refuses(Start(CREATOR)) == wrong
    assert hand.refuses(hand.seat(3)) == wrong
    assert hand.refuses(GiveUpSeat(SECOND, 1)) == wrong
    assert hand.refuses(AddBot(CREATOR, "easy")) == wrong


def test_entropy_is_shown_counts_once_and_leaves_with_the_seat() -> None:
    hand = HandRoom(autostart=False)
    follower = hand.joins(3, "spectator")
    hand.does(hand.seat(0))
    hand.does(hand.seat(0, entropy=ENTROPY))
    assert follower.document["contributions"] == {"0": ENTROPY}
    assert follower.events == [{"event": "contributed", "seat": 0}]
    assert hand.does(hand.seat(0, entropy=OTHER_ENTROPY)).silent
    assert hand.standing.contributions == {"0": ENTROPY}
    hand.does(hand.seat(1, entropy=OTHER_ENTROPY))
    assert [event["event"] for event in follower.events] == ["seat_taken", "contributed"]
    hand.does(GiveUpSeat(CREATOR, 0))
    assert follower.document["contributions"] == {"1": OTHER_ENTROPY}
    hand.does(hand.seat(2))
    assert "0" not in follower.document["contributions"]


def test_entropy_changes_the_deal() -> None:
    deals = set()
    for entropy in (UNSET, ENTROPY, OTHER_ENTROPY):
        hand = HandRoom()
        hand.does(hand.seat(0, entropy=entropy))
        hand.begins(0, 1, 2)
        deals.add(hand.state.market)
    assert len(deals) == 3


def test_a_private_room_is_unknown_without_a_secret_and_closed_without_an_invitation() -> None:
    hand = HandRoom(visibility="private")
    assert hand.refuses(hand.seat(3)) == (Reason.UNKNOWN_ROOM, {})
    assert hand.refuses(hand.seat(3, invite="wrong")) == (Reason.UNKNOWN_ROOM, {})
    assert hand.refuses(hand.seat(3, watch=WATCH)) == (Reason.NOT_INVITED, {})
    assert hand.refuses(hand.seat(3, watch=WATCH, invite="ä")) == (Reason.NOT_INVITED, {})
    hand.does(hand.seat(1, invite=INVITE))
    assert hand.does(hand.seat(1)).answer == Seated(0, False)
    hand.does(hand.seat(0))
    assert hand.room.sees(CREATOR, "")
    assert hand.room.sees(SECOND, "")
    assert hand.room.sees(ANYBODY, WATCH)
    assert not hand.room.sees(ANYBODY, "")
    assert not hand.room.sees(STRANGER, INVITE)


def test_nothing_a_stranger_asks_tells_that_a_private_room_exists() -> None:
    hand = HandRoom(visibility="private")
    hand.seats(0)
    unknown: tuple[Reason, dict[str, str]] = (Reason.UNKNOWN_ROOM, {})
    stranger = hand.follower(3)
    for caller in (STRANGER, ANYBODY):
        assert hand.refuses(AddBot(caller, "easy")) == unknown
        assert hand.refuses(Start(caller)) == unknown
        assert hand.refuses(GiveUpSeat(caller, 0)) == unknown
        assert hand.refuses(commands.Mute(caller, CREATOR.player or "", True)) == unknown
    assert hand.refuses(hand.joining(stranger)) == unknown
    assert hand.refuses(hand.joining(hand.follower(3, "spectator"), watch="no")) == unknown
    assert hand.refuses(hand.act(stranger, {"do": "pass"}, 1)) == unknown
    assert hand.refuses(hand.say(stranger)) == unknown
    hand.joins(3, "spectator", watch=WATCH)


def test_a_waiting_room_is_closed_after_half_an_hour() -> None:
    hand = HandRoom()
    hand.seats(0)
    player = hand.joins(0)
    hand.to(BEGINNING + 30 * 60_000 - 1)
    assert hand.status == "waiting"
    hand.to(BEGINNING + 30 * 60_000)
    assert hand.status == "closed"
    assert player.document["result"] == {
        "reason": "not_started",
        "digest": hand.standing.digest,
    }
    assert player.document["table"] == {}
    assert player.document["you"] == {"seat": 0, "anytime": []}
    assert hand.room.due() is None
    assert hand.refuses(Close("again")) == (Reason.WRONG_STATUS, {"status": "closed"})


def test_a_seat_given_up_loses_its_stream_and_is_told_why() -> None:
    hand = HandRoom(autostart=False)
    hand.seats(0, 1, 2)
    creator, second, third = (hand.joins(person) for person in range(3))
    hand.does(GiveUpSeat(THIRD, 2))
    assert third.last == {"type": "left", "room": ROOM, "reason": "seat_changed"}
    assert not third.live
    hand.does(GiveUpSeat(CREATOR, 1))
    assert second.last == {"type": "left", "room": ROOM, "reason": "kicked"}
    assert creator.events == [{"event": "seat_left", "seat": 1}]
    assert creator.live
    assert hand.refuses(GiveUpSeat(SECOND, 0)) == (Reason.NOT_HOST, {})
    assert hand.does(GiveUpSeat(CREATOR, 1)).silent, "nobody sits there"
    hand.seats(3)
    assert not hand.document()["seats"]["1"]["connected"]


def test_whoever_loses_the_seat_while_nobody_follows_it_needs_no_telling() -> None:
    hand = HandRoom()
    hand.seats(0, 1)
    hand.does(GiveUpSeat(SECOND, 1))
    assert hand.entries[-1] == "seat_left"


def test_the_summary_tells_the_lobby_what_everybody_may_know() -> None:
    hand = HandRoom()
    hand.seats(0, 1)
    hand.joins(0)
    hand.waits(0)
    hand.joins(3, "spectator")
    summary = hand.room.summary()
    assert (summary.room, summary.status, summary.host) == (ROOM, "waiting", CREATOR.player)
    assert {seat: (one.name, one.connected) for seat, one in summary.seats.items()} == {
        "0": ("Person a", True),
        "1": ("Person b", False),
    }
    assert (summary.spectators, summary.created_at) == (1, BEGINNING)
    assert summary.commitment == hand.founding.commitment


def test_an_operator_closes_a_room_whatever_it_is_doing() -> None:
    hand = HandRoom("toy")
    hand.begins(0, 1, 2)
    player, spectator = hand.playing(1), hand.joins(3, "spectator")
    hand.does(Close("by_operator"))
    assert spectator.events == [{"event": "closed", "reason": "by_operator"}]
    assert spectator.document["result"]["reason"] == "by_operator"
    for document in (player.document, spectator.document):
        assert not {"window", "legal"} & document.keys(), "nobody is asked any more"
    assert player.document["you"]["anytime"] == []
    assert player.document["you"]["cards"] == list(hand.state.hands[1])


def test_a_room_that_is_put_away_lets_everybody_go() -> None:
    hand = HandRoom()
    hand.seats(0)
    followers = [hand.joins(0), hand.joins(3, "spectator")]
    hand.carry_out(hand.room.dismiss())
    for follower in followers:
        assert follower.last == {"type": "left", "room": ROOM, "reason": "closed"}
        assert not follower.live
