"""Sockets of other nodes: the room goes on with those a node names, and with no others of it."""

from saleroom_server.rooms.commands import Attach, GiveUpSeat, Member
from tests.support.followers import Follower
from tests.support.founding import PEOPLE, ROOM
from tests.support.rooms import HandRoom
from tests.support.toy.room import BID, toy

HOME, OTHER_HOME = 1, 2


def seated() -> HandRoom:
    """Return a room that waits, with two people in it whom nobody has seen yet."""
    hand = HandRoom(autostart=False)
    hand.seats(0, 1)
    return hand


def member(hand: HandRoom, follower: Follower, since: int | None = None) -> Member:
    """Return how its node names a socket."""
    player = follower.caller.player
    seat = hand.standing.seat_of(player) if follower.as_ == "player" else None
    group = follower.group or (seat, follower.codec.subprotocol, follower.checks)
    if follower.live:
        follower.skips()
    else:
        follower.comes_along(group)
    return Member(follower.session, group, player, hand.now if since is None else since)


def attaches(hand: HandRoom, home: int, *members: Member) -> None:
    hand.remarks(Attach(home, members))


def left(reason: str) -> dict[str, str]:
    return {"type": "left", "room": ROOM, "reason": reason}


def kinds(follower: Follower) -> list[str]:
    return [told["type"] for told in follower.messages]


def test_who_follows_already_goes_on_from_a_view() -> None:
    hand, players = toy()
    sockets = [hand.joins(0, home=HOME), hand.joins(3, "spectator", home=HOME)]
    for follower in sockets:
        follower.forgets()
    attaches(hand, HOME, *(member(hand, follower) for follower in sockets))
    assert [kinds(follower) for follower in sockets] == [["view"], ["view"]]
    hand.acts(players[1], BID)
    assert [kinds(follower) for follower in sockets] == [["view", "update"]] * 2


def test_who_followed_at_another_owner_gets_a_view_and_follows() -> None:
    hand = seated()
    sockets = [hand.follower(0, home=HOME), hand.follower(3, "spectator", home=HOME)]
    attaches(hand, HOME, *(member(hand, follower) for follower in sockets))
    assert [kinds(follower) for follower in sockets] == [["view"], ["view"]]
    hand.waits(5_000)
    document = sockets[1].document
    assert document["seats"]["0"]["connected"]
    assert document["spectators"] == 1


def test_who_is_not_named_follows_no_longer() -> None:
    hand = seated()
    gone = [hand.joins(0, home=HOME), hand.joins(3, "spectator", home=HOME)]
    stays = hand.joins(1, home=HOME)
    hand.waits(5_000)
    attaches(hand, HOME, member(hand, stays))
    assert [follower.live for follower in (*gone, stays)] == [False, False, True]
    hand.waits(5_000)
    assert not stays.document["seats"]["0"]["connected"]
    assert stays.document["spectators"] == 0


def test_the_sockets_of_other_nodes_are_left_alone() -> None:
    hand = seated()
    others = [hand.joins(0), hand.joins(1, home=OTHER_HOME), hand.joins(3, "spectator")]
    for follower in others:
        follower.forgets()
    attaches(hand, HOME)
    assert all(follower.live and not follower.messages for follower in others)


def test_who_has_lost_the_seat_meanwhile_is_told_so() -> None:
    hand = seated()
    follower = hand.follower(1, home=HOME)
    named = member(hand, follower)
    hand.does(GiveUpSeat(PEOPLE[1], 1))
    attaches(hand, HOME, named)
    assert follower.messages == [left("seat_changed")]
    assert not follower.live


def test_and_follows_no_longer_whatever_it_was_here() -> None:
    hand = seated()
    follower = hand.follower(1, home=HOME)
    named = member(hand, follower)
    hand.does(GiveUpSeat(PEOPLE[1], 1))
    follower.as_ = "spectator"
    hand.rejoins(follower)
    attaches(hand, HOME, named)
    assert follower.last == left("seat_changed")
    assert not follower.live


def test_of_two_sockets_for_a_seat_the_later_one_counts_if_it_is_named_last() -> None:
    hand = seated()
    early, late = hand.follower(0, home=HOME), hand.follower(0, home=OTHER_HOME)
    attaches(hand, HOME, member(hand, early, hand.now + 1))
    attaches(hand, OTHER_HOME, member(hand, late, hand.now + 2))
    assert early.last == left("replaced")
    assert kinds(late) == ["view"]
    assert (early.live, late.live) == (False, True)


def test_of_two_sockets_for_a_seat_the_later_one_counts_if_it_is_named_first() -> None:
    hand = seated()
    early, late = hand.follower(0, home=HOME), hand.follower(0, home=OTHER_HOME)
    attaches(hand, OTHER_HOME, member(hand, late, hand.now + 2))
    attaches(hand, HOME, member(hand, early, hand.now + 1))
    assert early.messages == [left("replaced")]
    assert (early.live, late.live) == (False, True)
    hand.waits(5_000)
    assert hand.document()["seats"]["0"]["connected"]


def test_a_seat_whose_later_socket_is_gone_takes_an_earlier_one() -> None:
    hand = seated()
    late, early = hand.joins(0), hand.follower(0, home=HOME)
    hand.is_gone(late)
    attaches(hand, HOME, member(hand, early, hand.now - 1))
    assert early.live
