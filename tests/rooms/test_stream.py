"""What the sockets of a room are sent: from a view or a cursor on, without gap."""

from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from saleroom_protocol.codec import JSON, MSGPACK
from saleroom_protocol.errors import Reason
from saleroom_protocol.messages import Cursor, ResumeCursor
from saleroom_protocol.sse import SSE
from saleroom_server.rooms.commands import Close, GiveUpSeat, Leave, Refresh
from saleroom_server.rooms.limits import RoomLimits
from saleroom_server.rooms.updates import Parts, Ring, sizes_of
from saleroom_server.rooms.views import Viewer
from tests.support.founding import ANYBODY, PEOPLE, ROOM
from tests.support.rooms import HandRoom
from tests.support.toy.room import ARRANGE, BID, rearranges, toy


def test_a_join_is_answered_then_comes_a_view_then_what_happens() -> None:
    hand, players = toy()
    player = hand.joins(0)
    assert [told["type"] for told in player.messages] == ["joined", "view"]
    joined, view = player.messages
    assert joined == {
        "type": "joined",
        "id": player.expects,
        "room": ROOM,
        "viewer": 0,
        "cursor": {"epoch": view["epoch"], "seq": view["seq"]},
        "resumed": False,
        "now": hand.now,
    }
    hand.acts(players[1], BID)
    assert player.last["seq"] == view["seq"] + 1
    watching = hand.joins(ANYBODY, "spectator")
    assert "viewer" not in watching.messages[0]
    assert "you" not in watching.document


def test_to_join_as_player_one_must_hold_a_seat() -> None:
    hand, _ = toy()
    for person in (3, ANYBODY):
        refused = hand.refuses(hand.joining(hand.follower(person)))
        assert refused == (Reason.NOT_SEATED, {})


def test_so_many_spectators_and_no_more() -> None:
    hand, _ = toy(limits=RoomLimits(spectators=2))
    first = hand.joins(3, "spectator")
    hand.joins(0, "spectator")
    refused = hand.refuses(hand.joining(hand.follower(4, "spectator")))
    assert refused == (Reason.FULL, {"retry_after_ms": 5_000})
    hand.rejoins(first)
    hand.joins(1)
    hand.is_gone(first)
    hand.joins(4, "spectator")


def test_a_newer_socket_takes_the_seats_stream_and_the_older_is_told() -> None:
    hand, players = toy()
    newer = hand.joins(0)
    assert players[0].last == {"type": "left", "room": ROOM, "reason": "replaced"}
    assert not players[0].live
    hand.acts(newer, BID)
    assert hand.refuses(hand.act(players[0], ARRANGE, None)) == (Reason.NOT_JOINED, {})
    seq = hand.room.seq
    hand.is_gone(players[0])
    hand.waits(2_000)
    assert hand.room.seq == seq, "the older one's end is nobody's going away"


def test_a_join_overtaken_on_its_way_by_a_later_socket_is_answered_and_let_go() -> None:
    hand, players = toy()
    late = hand.follower(0)
    joining = replace(hand.joining(late), since=hand.now)
    hand.waits(10)
    present = hand.joins(0)
    hand.remarks(joining)
    assert [told["type"] for told in late.messages] == ["joined", "view", "left"]
    assert late.last == {"type": "left", "room": ROOM, "reason": "replaced"}
    assert not late.live
    hand.acts(players[1], BID)
    assert present.seq == hand.room.seq


def test_joining_again_on_the_same_socket_displaces_nobody() -> None:
    hand, players = toy()
    watching = hand.joins(0, "spectator")
    hand.waits(5_000)
    for follower in (players[0], watching):
        follower.forgets()
        hand.rejoins(follower)
        assert [told["type"] for told in follower.messages] == ["joined", "view"]
        assert follower.live
    hand.acts(players[0], BID)
    seq = hand.room.seq
    hand.waits(5_000)
    assert hand.room.seq == seq


def test_a_socket_may_look_with_other_eyes_from_now_on() -> None:
    hand, players = toy()
    players[0].as_ = "spectator"
    hand.rejoins(players[0])
    assert "you" not in players[0].document
    assert hand.refuses(hand.act(players[0], BID)) == (Reason.NOT_SEATED, {})


def test_leaving_ends_delivery_and_nothing_else() -> None:
    hand, players = toy()
    hand.leaves(players[0])
    seen = players[0].seq
    hand.acts(players[1], BID)
    assert players[0].seq == seen
    assert "0" in hand.document()["seats"]
    assert hand.refuses(Leave(players[0].session, players[0].caller)) == (Reason.NOT_JOINED, {})
    hand.is_gone(players[0])
    hand.resumes(players[0])
    hand.acts(players[0], BID)


@pytest.mark.parametrize("codec", [MSGPACK, JSON], ids=["msgpack", "json"])
@pytest.mark.parametrize("as_", ["player", "spectator"])
def test_from_every_cursor_at_hand_come_exactly_the_updates_missed(codec: Any, as_: Any) -> None:
    hand = HandRoom()
    hand.begins(0, 1, 2)
    base, luck = hand.room.seq, Random(1)
    resuming = [hand.joins(0 if as_ == "player" else 3, as_, codec=codec)]
    for _ in range(34):
        left = resuming[-1]
        hand.is_gone(left)
        if as_ == "player":
            hand.joins(0)
        hand.moves(luck)
        resuming.append(hand.joins(0 if as_ == "player" else 3, as_, codec=codec))
    assert hand.room.seq >= base + 34
    for follower in resuming[:-1]:
        follower.forgets()
        at_hand = hand.room.seq - follower.seq <= 32
        missed = hand.room.seq - follower.seq
        hand.resumes(follower)
        assert follower.messages[0]["resumed"] == at_hand
        kinds = [told["type"] for told in follower.messages[1:]]
        assert kinds == (["update"] * missed if at_hand else ["view"])


def test_whoever_is_at_the_head_resumes_with_nothing() -> None:
    hand, players = toy()
    hand.is_gone(players[0])
    players[0].forgets()
    hand.resumes(players[0])
    assert [told["type"] for told in players[0].messages] == ["joined"]
    assert players[0].messages[0]["resumed"] is True


@pytest.mark.parametrize(
    "cursor",
    [
        {"epoch": "1-1", "seq": 7},  # another viewer's
        {"epoch": "1-s", "seq": 7},  # the spectators'
        {"epoch": "0-0", "seq": 7},  # an older one
        {"epoch": "", "seq": 7},
        {"epoch": "1-0", "seq": 2**53 - 1},  # the future
        {"epoch": "1-0", "seq": 0},
    ],
)
def test_any_other_cursor_gets_one_view(cursor: Any) -> None:
    hand, players = toy()
    assert [player.epoch for player in players] == ["1-0", "1-1", "1-2"]
    rearranges(hand, players[1], 3)
    players[0].forgets()
    hand.rejoins(players[0], cursor=ResumeCursor(**cursor))
    assert [told["type"] for told in players[0].messages] == ["joined", "view"]


def test_every_load_has_an_epoch_of_its_own_and_one_for_all_spectators() -> None:
    hand, players = toy()
    watching = [hand.joins(person, "spectator") for person in (3, ANYBODY)]
    epochs: set[str] = set()
    for _ in range(3):
        now = {follower.epoch for follower in (*players, *watching)}
        assert len(now) == 4
        assert watching[0].epoch == watching[1].epoch
        assert not epochs & now
        epochs |= now
        players[0].forgets()
        cursor = ResumeCursor(**players[0].cursor)
        hand.reloads()
        hand.rejoins(players[0], cursor=cursor)
        assert players[0].last["type"] == "view"


def test_seq_never_falls_however_often_a_room_is_loaded() -> None:
    hand, players = toy()
    for _ in range(4):
        before = hand.room.seq
        hand.reloads()
        assert hand.room.seq > before
        hand.is_gone(players[1])
        hand.waits(2_000)
        hand.rejoins(players[1])
        hand.waits(0)
    hand.acts(players[0], BID)
    hand.reloads()


def test_sockets_of_both_subprotocols_see_the_same() -> None:
    hand, _ = toy()
    pairs = [
        [hand.joins(3, "spectator", codec=codec, checks=checks) for codec in (MSGPACK, JSON)]
        for checks in (True, False)
    ]
    luck = Random(2)
    while hand.status == "running":
        hand.moves(luck)
    for packed, text in pairs:
        assert packed.messages[1:] == text.messages[1:]


def test_only_who_asked_gets_checks_and_they_are_computed_for_no_one_else() -> None:
    hand = HandRoom("toy")
    hand.seats(0, 1, 2)
    silent = [hand.joins(person, checks=False) for person in range(3)]
    hand.waits(2_000)
    assert hand.room._stream.audience.checked == set()
    late = hand.joins(3, "spectator", checks=True)
    assert "check" in late.last
    rearranges(hand, silent[0], 2)
    assert "check" in late.last
    assert hand.room._stream.audience.checked == {None}


def test_who_asks_late_and_resumes_gets_a_view_if_a_check_is_missing() -> None:
    hand = HandRoom("toy")
    hand.seats(0, 1, 2)
    players = [hand.joins(person, checks=False) for person in range(3)]
    hand.waits(2_000)
    rearranges(hand, players[0], 1)
    asking = hand.follower(0, checks=True)
    seq = hand.room.seq
    hand.rejoins(asking, cursor=ResumeCursor(epoch=players[0].epoch, seq=seq - 1))
    assert asking.last["type"] == "view"
    rearranges(hand, asking, 2)
    hand.is_gone(asking)
    asking.forgets()
    asking.seq -= 1
    asking.document = hand.document(0)  # what has changed meanwhile changes back and forth
    hand.remarks(hand.joining(asking, cursor=ResumeCursor(**asking.cursor)))
    assert [told["type"] for told in asking.messages] == ["joined", "update"]
    assert "check" in asking.last


def test_one_command_is_one_update_for_every_viewer() -> None:
    hand, players = toy()
    followers = [*players, hand.joins(3, "spectator")]
    luck = Random(4)
    while hand.status == "running":
        seqs = {follower.seq for follower in followers}
        assert len(seqs) == 1
        hand.moves(luck)
        assert {follower.seq for follower in followers} == {seqs.pop() + 1}


def test_who_joins_while_a_decision_is_made_durable_sees_the_state_before_it_and_then_it() -> None:
    hand, players = toy()
    decision = hand.decides(hand.act(players[0], BID))
    came, watching = hand.joins(1), hand.joins(3, "spectator")
    hand.leaves(players[2])
    assert came.document["window"]["answered"] == []
    hand.commits(decision)
    for follower in (came, watching):
        assert follower.document["window"]["answered"] == [0]
    assert watching.document["spectators"] == 1


def test_who_joins_with_a_seat_while_it_is_given_up_loses_the_stream_with_it() -> None:
    hand = HandRoom(autostart=False)
    hand.seats(0, 1)
    decision = hand.decides(GiveUpSeat(PEOPLE[0], 1))
    player = hand.joins(1)
    hand.commits(decision)
    assert player.last == {"type": "left", "room": ROOM, "reason": "kicked"}


def test_many_who_join_at_one_moment_get_one_view_made_once() -> None:
    hand, _ = toy()
    views = [hand.joins(3, "spectator").frames[1] for _ in range(50)]
    assert len({id(view) for view in views}) == 1


def parts(seq: int, public: int, own: dict[int, int]) -> Parts:
    """Return an update of so many bytes for everybody, and for seats alone."""
    face = {"table": MSGPACK.raw(b"x" * public)} if public else {}
    told = {seat: {"you": MSGPACK.raw(b"x" * size)} for seat, size in own.items()}
    return Parts(seq, 0, face, told, (), {}, {}, sizes_of(face, told, (), {}))


def reach(ring: Ring, head: int, viewer: Viewer) -> int:
    """Return how many updates a viewer can be sent again."""
    return max(
        (head - seq for seq in range(head + 1) if ring.after(seq, head, viewer, False) is not None),
        default=0,
    )


def test_the_ring_keeps_thirty_two_updates() -> None:
    ring = Ring(2, 32, 16 * 1024)
    for seq in range(1, 100):
        ring.add(parts(seq, 10, {0: 10}))
        assert reach(ring, seq, None) == min(seq, 32)
        assert reach(ring, seq, 1) == min(seq, 32)


def test_the_ring_keeps_sixteen_kibibytes_of_what_everybody_gets() -> None:
    ring = Ring(2, 32, 16 * 1024)
    for seq in range(1, 50):
        ring.add(parts(seq, 2_000, {}))
    assert reach(ring, 49, None) == reach(ring, 49, 0) == 8
    ring.add(parts(50, 20_000, {}))
    assert reach(ring, 50, None) == 0


def test_how_far_back_one_may_resume_does_not_tell_what_others_were_sent() -> None:
    lean, fat = Ring(2, 32, 16 * 1024), Ring(2, 32, 16 * 1024)
    for seq in range(1, 60):
        lean.add(parts(seq, 100, {0: 100}))
        fat.add(parts(seq, 100, {0: 5_000, 1: 100} if seq % 2 else {0: 4_000}))
    for viewer in (None, 1):
        assert reach(lean, 59, viewer) == reach(fat, 59, viewer) == 32
    assert reach(lean, 59, 0) == 32
    assert reach(fat, 59, 0) == 3
    fat.add(parts(60, 100, {0: 20_000}))
    assert reach(fat, 60, 0) == 0
    for seq in range(61, 70):
        fat.add(parts(seq, 100, {0: 100}))
    assert reach(fat, 69, 0) == 9


def test_an_update_too_large_to_be_kept_is_sent_whole_all_the_same() -> None:
    hand, players = toy(limits=RoomLimits(ring_bytes=10))
    hand.acts(players[0], BID)
    hand.acts(players[0], ARRANGE, None)
    hand.is_gone(players[0])
    hand.acts(players[1], BID)
    hand.resumes(players[0])
    assert players[0].last["type"] == "view"


def test_who_was_spared_some_updates_is_shown_a_view_and_goes_on_from_there() -> None:
    hand, players = toy()
    watching = hand.joins(ANYBODY, "spectator")
    seen = len(watching.messages)
    watching.skips()
    hand.remarks(Refresh(watching.session))
    hand.acts(players[0], BID)
    assert [told["type"] for told in watching.messages[seen:]] == ["view", "update"]
    hand.is_gone(watching)
    hand.remarks(Refresh(watching.session))
    assert len(watching.messages) == seen + 2, "who has left is shown nothing"


# Streams of events


def test_a_stream_of_events_ends_with_the_update_in_which_the_room_is_over() -> None:
    hand, players = toy()
    reader = hand.joins(ANYBODY, "spectator", codec=SSE, checks=False)
    watching = hand.joins(ANYBODY, "spectator", codec=JSON, checks=False)
    hand.acts(players[0], BID)
    hand.does(Close("enough"))
    assert [told["type"] for told in reader.messages] == ["view", "update", "update", "left"]
    assert reader.messages[:-1] == watching.messages[1:], "a socket may go on following"


def test_who_reads_a_room_that_is_over_is_shown_it_and_the_end() -> None:
    hand, _ = toy()
    hand.does(Close("enough"))
    for _ in range(2):
        reader = hand.joins(ANYBODY, "spectator", codec=SSE, checks=False)
        assert [told["type"] for told in reader.messages] == ["view", "left"]
        hand.reloads()


def test_the_end_is_known_behind_the_update_that_told_it() -> None:
    hand, players = toy()
    before = hand.room.seq
    hand.does(Close("enough"))
    hand.is_gone(players[0])
    hand.waits(2_000)
    epoch = hand.room._stream.epoch(None)
    told = {seq: hand.room.has_told_the_end(Cursor(epoch=epoch, seq=seq)) for seq in range(99)}
    assert [seq for seq, known in told.items() if known] == [*range(before + 1, hand.room.seq + 1)]
    assert not hand.room.has_told_the_end(Cursor(epoch="another", seq=before + 1))


def test_a_room_that_goes_on_has_not_told_the_end() -> None:
    hand, _ = toy()
    cursor = Cursor(epoch=hand.room._stream.epoch(None), seq=hand.room.seq)
    assert not hand.room.has_told_the_end(cursor)
