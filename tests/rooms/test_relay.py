"""Spectators at another node see what those at the owner see, and it is not asked for them."""

from random import Random

import pytest
from msgspec.structs import replace

from saleroom_protocol.codec import JSON, MSGPACK, Encoder
from saleroom_protocol.errors import Reason
from saleroom_protocol.messages import Cursor
from saleroom_protocol.sse import SSE
from saleroom_server.rooms.commands import Attach, Refusal, Watch, Watching
from saleroom_server.rooms.limits import RoomLimits
from tests.support.away import Away
from tests.support.followers import Follower
from tests.support.founding import ANYBODY, PEOPLE
from tests.support.rooms import HandRoom
from tests.support.toy.room import BID, rearranges, toy

HOME = 1


def kinds(follower: Follower) -> list[str]:
    return [told["type"] for told in follower.messages]


@pytest.mark.parametrize("codec", [MSGPACK, JSON, SSE], ids=lambda codec: codec.subprotocol)
@pytest.mark.parametrize("checks", [True, False])
@pytest.mark.parametrize("game", ["kunstmarkt", "vernissage"])
def test_whoever_looks_on_elsewhere_hears_what_is_heard_here(
    game: str, codec: Encoder, checks: bool
) -> None:
    checks = checks and codec is not SSE
    hand = HandRoom(game)
    hand.begins(0, 1, 2)
    away, luck = Away(hand), Random(5)
    early = away.joins(codec, checks)
    here = hand.joins(3, "spectator", codec=codec, checks=checks)
    for _ in range(20):
        hand.moves(luck)
    assert early.told("update") == here.told("update")
    late = away.joins(codec, checks)
    assert early.document == late.document == here.document
    assert early.epoch == late.epoch == here.epoch


def test_of_an_update_nothing_but_what_spectators_see_is_told_to_other_nodes() -> None:
    hand, players = toy()
    away = Away(hand)
    hand.acts(players[0], BID)
    for parts in hand.room._stream.share(HOME, 0, ()).ring:
        assert (parts.own, parts.heard, parts.checks) == ({}, {}, {})
    assert away.relay is not None
    assert "you" not in away.relay._document(None)


def test_who_comes_back_at_another_node_is_sent_what_was_missed() -> None:
    hand, players = toy()
    here = hand.joins(3, "spectator", checks=False)
    away = Away(hand)
    gone = away.joins(checks=False)
    hand.is_gone(here)
    gone.exits()
    rearranges(hand, players[0], 3)
    for former in (here, gone):
        back = Follower(9, ANYBODY, "spectator", MSGPACK, False)
        back.epoch, back.seq, back.document = former.epoch, former.seq, former.document
        away.followers[9] = back
        away.resumes(back)
        assert kinds(back) == ["joined", "update", "update", "update"]
        back.exits()


def test_what_happened_before_the_node_was_told_anything_can_be_sent_as_well() -> None:
    hand, players = toy()
    here = hand.joins(3, "spectator", checks=False)
    hand.is_gone(here)
    rearranges(hand, players[0], 3)
    away = Away(hand)
    away.followers[here.session] = here
    here.forgets()
    away.resumes(here)
    assert kinds(here) == ["joined", "update", "update", "update"]


def test_who_was_away_too_long_or_wants_checks_nobody_made_gets_a_view() -> None:
    hand, players = toy()
    away = Away(hand, limits=RoomLimits(ring_updates=2))
    plain, checked = away.joins(checks=False), away.joins()
    for follower in (plain, checked):
        follower.exits()
        follower.forgets()
    rearranges(hand, players[0], 2)
    away.resumes(plain)
    away.resumes(checked)
    assert kinds(plain) == kinds(checked) == ["joined", "update", "update"]
    plain.exits()
    plain.forgets()
    rearranges(hand, players[0], 3)
    away.resumes(plain)
    assert kinds(plain) == ["joined", "view"]
    fresh = Away(hand, home=2)
    fresh.followers[checked.session] = checked
    checked.exits()
    checked.forgets()
    rearranges(hand, players[0], 1)
    fresh.resumes(checked)
    assert kinds(checked) == ["joined", "view"]


def test_who_was_spared_some_updates_goes_on_from_a_view() -> None:
    hand, players = toy()
    away = Away(hand)
    follower = away.joins()
    follower.forgets()
    away.refreshes(follower)
    rearranges(hand, players[0], 1)
    assert kinds(follower) == ["view", "update"]


def test_how_many_look_on_there_is_told_by_their_node_and_counts() -> None:
    hand, _ = toy(limits=RoomLimits(spectators=3))
    away = Away(hand)
    sockets = [away.joins(), away.joins()]
    hand.joins(3, "spectator")
    away.counts()
    hand.waits(5_000)
    assert hand.document()["spectators"] == 3
    refused = hand.refuses(hand.joining(hand.follower(4, "spectator")))
    assert refused == (Reason.FULL, {"retry_after_ms": 5_000})
    sockets[0].exits()
    away.counts()
    hand.waits(5_000)
    assert hand.document()["spectators"] == 2


def test_a_node_lets_no_more_look_on_than_there_may_be_in_all() -> None:
    limits = RoomLimits(spectators=3)
    hand, _ = toy(limits=limits)
    hand.joins(3, "spectator")
    hand.waits(5_000)
    away = Away(hand, limits=limits)
    away.joins()
    away.joins()
    with pytest.raises(Refusal) as refused:
        away.joins()
    assert refused.value.reason is Reason.FULL
    assert refused.value.facts == {"retry_after_ms": 5_000}


def test_a_node_at_which_nobody_looks_on_any_more_is_told_nothing_more() -> None:
    hand, players = toy()
    away = Away(hand)
    away.joins().exits()
    rearranges(hand, players[0], 1)
    away.counts()
    assert (away.relay, away.left) == (None, "")
    hand.aways.clear()
    rearranges(hand, players[0], 1)


def test_who_declined_what_came_before_it_asked_anew_is_told_on() -> None:
    hand, players = toy()
    away = Away(hand)
    rearranges(hand, players[0], 1)
    declined = hand.room.seq
    hand.remarks(Watch(HOME, 1))
    follower = away.joins()
    hand.remarks(Watching(HOME, 0, declined))
    rearranges(hand, players[0], 1)
    follower.has_come_to(hand.room.seq, hand.document())


def test_who_counts_spectators_the_room_is_not_shared_with_gets_it_shared() -> None:
    hand, _ = toy()
    away = Away(hand)
    follower = away.joins()
    hand.remarks(Attach(HOME, ()))
    hand.remarks(Watching(HOME, 1, hand.room.seq))
    hand.waits(5_000)
    assert follower.document["spectators"] == 1


def test_who_counts_nobody_at_a_room_that_is_not_shared_is_told_nothing_more() -> None:
    hand, _ = toy()
    away = Away(hand)
    away.joins()
    hand.remarks(Attach(HOME, ()))
    hand.remarks(Watching(HOME, 0, hand.room.seq + 1))
    assert (away.relay, hand.room.spectators) == (None, 0)


def test_a_node_that_has_lost_touch_asks_anew() -> None:
    hand, _ = toy()
    away = Away(hand)
    follower = away.joins()
    hand.remarks(Attach(HOME, ()))
    assert away.relay is None
    follower.forgets()
    hand.remarks(Watch(HOME, 1))
    assert kinds(follower) == ["view"]
    hand.waits(5_000)
    assert follower.document["spectators"] == 1


def test_when_the_room_is_loaded_anew_they_go_on_from_a_view() -> None:
    hand, players = toy()
    away = Away(hand)
    follower = away.joins()
    away.counts()
    follower.forgets()
    hand.reloads()
    assert kinds(follower) == ["view", "update"]
    rearranges(hand, hand.playing(0), 1)
    hand.waits(5_000)
    assert follower.document["spectators"] == 1
    assert players[0].live


def test_when_the_room_is_put_away_they_are_let_go() -> None:
    hand, _ = toy()
    away = Away(hand)
    away.joins()
    hand.carry_out(hand.room.dismiss())
    assert (away.relay, away.left) == (None, "closed")


def test_who_speaks_there_is_heard_by_all_who_look_on_and_kept_for_who_comes_late() -> None:
    hand, players = toy()
    here = hand.joins(3, "spectator")
    away = Away(hand)
    away.joins()
    away.says(PEOPLE[4], "first")
    hand.says(players[0], "table", "second")
    hand.says(players[0], 1, "a whisper")
    late = away.joins()
    assert [told["text"] for told in late.told("said")] == ["first", "second"]
    assert [told["number"] for told in late.told("said")] == [1, 2]
    assert [told["text"] for told in here.told("said")] == ["first", "second"]
    fresh = Away(hand, home=2).joins(said_after=1)
    assert [told["text"] for told in fresh.told("said")] == ["second"]


def test_who_looks_on_there_may_not_act() -> None:
    hand, _ = toy()
    away = Away(hand)
    away.joins()
    session = HOME << 40 | 1
    hand.followers[session] = Follower(session, PEOPLE[4], "spectator", MSGPACK, False)
    command = hand.act(hand.followers[session], BID)
    assert hand.refuses(command) == (Reason.NOT_JOINED, {})
    assert hand.refuses(replace(command, looks_on=True)) == (Reason.NOT_SEATED, {})


def test_whoever_has_seen_the_end_there_is_known_to_have() -> None:
    hand, players = toy()
    away = Away(hand)
    follower = away.joins(SSE, checks=False)
    assert away.relay is not None
    assert not away.relay.has_told_the_end(None, Cursor(**follower.cursor))
    for player in players:
        hand.resigns(player)
    hand.waits(3_600_000)
    assert hand.standing.is_over
    assert away.relay.has_told_the_end(None, Cursor(**follower.cursor))
    assert follower.last["type"] == "left", "a stream of events ends with the room"
    late = Away(hand, home=2)
    assert late.relay is not None
    assert late.relay.has_told_the_end(None, Cursor(**follower.cursor))
