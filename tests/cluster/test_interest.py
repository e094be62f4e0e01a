"""Effects find the nodes their sockets are on: each is told once, and only what it wants."""

from saleroom_protocol.messages import Accepted, Left
from saleroom_server.cluster.interest import Interest, abroad, at_home
from saleroom_server.rooms.commands import (
    HERE,
    Broadcast,
    Deliver,
    Effect,
    Enter,
    Exit,
    Group,
    Publish,
    Tell,
)

ROOM = "raaaaaaaaaaaa"
SEAT: Group = (0, "saleroom.v1.msgpack", False)
LOOKING: Group = (None, "saleroom.v1.msgpack", False)
BOTH = Publish(((SEAT, b"for the seat"), (LOOKING, b"for who looks on")))


def follow(interest: Interest, home: int, group: Group, *sessions: int) -> None:
    interest.sorted(ROOM, [Enter(abroad(session, home), group) for session in sessions])


def test_a_socket_has_its_own_number_on_its_own_node() -> None:
    assert at_home(abroad(7, 3)) == 7
    assert abroad(7, HERE) == 7
    assert len({abroad(7, home) for home in range(5)}) == 5


def test_what_is_for_one_socket_goes_to_its_node_in_order() -> None:
    told, left = Accepted(id="a"), Left(room=ROOM, reason="replaced")
    for home in (HERE, 1, 2):
        effects: list[Effect] = [
            Tell(5, told),
            Deliver(5, b"frame"),
            Enter(5, SEAT),
            Exit(5),
            Tell(5, left),
        ]
        there: list[Effect] = [
            Tell(abroad(5, home), told),
            Deliver(abroad(5, home), b"frame"),
            Enter(abroad(5, home), SEAT),
            Exit(abroad(5, home)),
            Tell(abroad(5, home), left),
        ]
        assert Interest().sorted(ROOM, there) == {home: effects}


def test_what_is_published_is_told_once_to_each_node_that_has_somebody() -> None:
    interest = Interest()
    follow(interest, 1, LOOKING, *range(1, 100))
    follow(interest, 2, SEAT, 1)
    follow(interest, 2, LOOKING, 2)
    assert interest.sorted(ROOM, [BOTH]) == {
        HERE: [BOTH],
        1: [Publish(((LOOKING, b"for who looks on"),))],
        2: [BOTH],
    }


def test_what_is_said_goes_to_every_node_that_follows() -> None:
    interest, said = Interest(), Broadcast(None, Accepted(id="a"))
    follow(interest, 1, SEAT, 1)
    assert interest.sorted(ROOM, [said]) == {HERE: [said], 1: [said]}


def test_a_group_is_wanted_until_the_last_of_it_is_gone() -> None:
    interest = Interest()
    follow(interest, 1, LOOKING, 1, 2)
    follow(interest, 1, SEAT, 3)
    interest.sorted(ROOM, [Exit(abroad(1, 1))])
    assert interest.sorted(ROOM, [BOTH])[1] == [BOTH]
    interest.sorted(ROOM, [Exit(abroad(2, 1))])
    assert interest.sorted(ROOM, [BOTH])[1] == [Publish(((SEAT, b"for the seat"),))]
    interest.sorted(ROOM, [Exit(abroad(3, 1))])
    assert interest.sorted(ROOM, [BOTH]) == {HERE: [BOTH]}
    assert len(interest) == 0


def test_who_enters_again_counts_once_and_in_the_new_group() -> None:
    interest = Interest()
    follow(interest, 1, LOOKING, 1)
    follow(interest, 1, LOOKING, 1)
    follow(interest, 1, SEAT, 1)
    assert interest.sorted(ROOM, [BOTH])[1] == [Publish(((SEAT, b"for the seat"),))]
    interest.sorted(ROOM, [Exit(abroad(1, 1))])
    assert interest.homes(ROOM) == []


def test_who_is_shown_the_present_never_ceases_to_follow() -> None:
    interest, session = Interest(), abroad(1, 1)
    follow(interest, 1, SEAT, 1)
    interest.sorted(ROOM, [Exit(session), Deliver(session, b"view"), Enter(session, SEAT)])
    assert interest.homes(ROOM) == [1]


def test_an_end_nobody_began_counts_for_nothing() -> None:
    interest = Interest()
    interest.sorted(ROOM, [Exit(abroad(1, 1))])
    follow(interest, 1, SEAT, 2)
    interest.sorted(ROOM, [Exit(abroad(1, 1)), Exit(abroad(2, 2))])
    assert interest.homes(ROOM) == [1]


def test_the_sockets_of_this_node_are_nobodys_interest() -> None:
    interest = Interest()
    follow(interest, HERE, SEAT, 1)
    assert len(interest) == 0


def test_it_is_known_which_rooms_a_node_follows_and_a_room_can_be_forgotten() -> None:
    interest = Interest()
    follow(interest, 1, SEAT, 1)
    follow(interest, 2, SEAT, 1)
    interest.sorted("another", [Enter(abroad(1, 2), LOOKING)])
    assert (interest.rooms(1), interest.rooms(2)) == ([ROOM], [ROOM, "another"])
    interest.forget(ROOM)
    interest.forget("unheard of")
    assert (interest.rooms(1), interest.rooms(2)) == ([], ["another"])
    assert interest.sorted(ROOM, [BOTH]) == {HERE: [BOTH]}
