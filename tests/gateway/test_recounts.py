"""What is counted as things come and go agrees with a count from scratch, whatever has happened."""

from random import Random

from saleroom_server.rooms.commands import GiveUpSeat, TakeSeat
from tests.support.hand_clock import quiet
from tests.support.memory_store import Fault
from tests.support.nodes import PEOPLE, Node
from tests.support.sockets import Socket

STEPS = 250


async def test_after_any_coming_and_going_all_counts_are_those_of_a_recount(node: Node) -> None:
    luck = Random(9)
    rooms = [await node.starts(), (await node.makes(PEOPLE[3], autostart=False)).room]
    sockets: list[Socket] = []
    for _ in range(STEPS):
        await something_happens(node, rooms, sockets, luck)
        if luck.random() < 0.2:
            await settles(node, rooms, luck.choice([1, 600, 5_000]))
            recount(node, rooms)
    for socket in sockets:
        socket.drops()
    await settles(node, rooms, 10_000)
    recount(node, rooms)
    assert (len(node.gateway), node.gateway._crowds._rooms) == (0, {})
    assert [node.hall.summary(room).spectators for room in rooms] == [0, 0]


async def settles(node: Node, rooms: list[str], milliseconds: int) -> None:
    """Let time pass, and rooms that a failing store has cost be read back."""
    await node.clock.passes(milliseconds)
    while any(node.actor(room).room is None for room in rooms):
        await node.clock.passes(node.limits.retry_ms)


async def something_happens(
    node: Node, rooms: list[str], sockets: list[Socket], luck: Random
) -> None:
    room = luck.choice(rooms)
    happening = luck.randrange(8)
    if happening < 2 or not sockets:
        sockets.append(node.greeted(luck.choice([None, *PEOPLE[:5]])))
        sockets[-1].stray = True  # it is told of what it asked, or not, when it is closed
    socket = luck.choice(sockets)
    match happening:
        case 2 | 3 | 4:
            socket.joins(room, luck.choice(["player", "spectator"]))
        case 5:
            socket.asks("leave", room=room)
        case 6:
            socket.drops()
            sockets[:] = [one for one in sockets if one is not socket]
        case 7:
            node.store.fail(luck.choice([*Fault]))
            seat = luck.randrange(3)
            taking = luck.random() < 0.6
            who = luck.choice(PEOPLE[:5])
            command = TakeSeat(who, seat) if taking else GiveUpSeat(PEOPLE[3], seat)
            node.actor(room).submit(command, lambda answer: None)
    if luck.random() < 0.5:
        await quiet()


def recount(node: Node, rooms: list[str]) -> None:
    hall, gateway = node.hall, node.gateway
    following = {
        room: {
            (session, group)
            for group, crowd in gateway._crowds._rooms.get(room, {}).items()
            for session in crowd.members
        }
        for room in rooms
    }
    for room in rooms:
        actor, loaded = node.actor(room), node.room(room)
        audience, presence = loaded._stream.audience, loaded._presence
        members = audience.members()
        assert set(members) == following[room]
        assert loaded.summary().spectators == sum(group[0] is None for _, group in members)
        assert set(audience.groups()) == {group for _, group in members}
        seated = {group[0]: session for session, group in members if group[0] is not None}
        assert all(presence.session(seat) == seated.get(seat) for seat in range(3))
        assert (loaded._following.alone_since is None) == bool(seated)
        assert (len(actor._inbox), actor._inbox._sessions) == (0, {})
    for session, connection in gateway._connections.items():
        own = {room for room in rooms for one, _ in following[room] if one == session}
        assert connection.rooms == own
    assert hall._in_hand == {}
    assert {room for made in hall._made.values() for room in made} == set(rooms)
