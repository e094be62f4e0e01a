"""Thousands of spectators: nobody waits for them, and none of them is waited for."""

import asyncio
from typing import Any

import pytest

from saleroom_protocol.codec import JSON, MSGPACK
from saleroom_protocol.errors import CloseCode
from saleroom_server.gateway.crowds import Crowds
from saleroom_server.gateway.limits import GatewayLimits
from saleroom_server.gateway.outlet import Packet
from saleroom_server.metrics import Metrics
from tests.support.hand_clock import HandClock, quiet
from tests.support.nodes import Node, Table
from tests.support.sockets import Socket

WATCHERS = (None, MSGPACK.subprotocol, False)
PLAYER = (0, MSGPACK.subprotocol, True)
LIMITS = GatewayLimits(sockets_per_turn=4, waiting_packets=3, behind_bytes=100)


class Far:
    """A socket's far end: what it was sent, all far ends in one list."""

    def __init__(self, name: str, heard: list[str]) -> None:
        self.name, self.heard, self.stuck = name, heard, 0
        self.code: CloseCode | None = None

    def send(self, packet: Packet) -> None:
        self.heard.append(self.name + packet.payload.decode())

    def backlog(self) -> int:
        return self.stuck

    def close(self, code: CloseCode) -> None:
        self.code = code


class Hearing:
    """Crowds of a node that writes to four spectators a turn."""

    def __init__(self) -> None:
        self.clock = HandClock()
        self.crowds = Crowds(self.clock, LIMITS, Metrics())
        self.heard: list[str] = []
        self.ends: dict[str, Any] = {}

    def enter(self, room: str, names: str, group: tuple[int | None, str, bool] = WATCHERS) -> None:
        """Let sockets enter, each named by a letter."""
        for name in names:
            self.ends[name] = Far(name, self.heard)
            self.crowds.enter(room, group, ord(name), self.ends[name])

    def send(self, room: str, text: str, group: tuple[int | None, str, bool] = WATCHERS) -> None:
        self.crowds.send(room, group, Packet(text.encode(), False))

    async def turns(self) -> list[str]:
        """Return what is heard in each turn of the loop until nobody waits."""
        told = []
        while self.heard:
            told.append(" ".join(self.heard))
            self.heard.clear()
            await asyncio.sleep(0)
        return told


async def test_many_spectators_are_told_a_part_a_turn_and_players_at_once() -> None:
    hearing = Hearing()
    hearing.enter("r", "abcdefghij")
    hearing.enter("r", "XYZ", PLAYER)
    hearing.send("r", "1", PLAYER)
    hearing.send("r", "1")
    assert await hearing.turns() == ["X1 Y1 Z1 a1 b1 c1 d1", "e1 f1 g1 h1", "i1 j1"]


async def test_what_is_told_meanwhile_waits_so_that_everybody_hears_it_in_order() -> None:
    hearing = Hearing()
    hearing.enter("r", "abcdef")
    hearing.send("r", "1")
    hearing.send("r", "2")
    assert await hearing.turns() == ["a1 b1 c1 d1", "e1 f1 a2 b2", "c2 d2 e2 f2"]


async def test_rooms_take_turns() -> None:
    hearing = Hearing()
    hearing.enter("r", "abcdefghij")
    hearing.enter("s", "uvw")
    hearing.send("r", "1")
    hearing.send("s", "1")
    assert await hearing.turns() == ["a1 b1 c1 d1", "e1 f1 g1 h1", "u1 v1 w1 i1", "j1"]


async def test_small_crowds_share_a_turn_too() -> None:
    hearing = Hearing()
    for room, names in (("r", "ab"), ("s", "cd"), ("t", "ef")):
        hearing.enter(room, names)
        hearing.send(room, "1")
    assert await hearing.turns() == ["a1 b1 c1 d1", "e1 f1"]
    hearing.send("t", "2")
    assert await hearing.turns() == ["e2 f2"], "a turn begins anew"


async def test_who_comes_later_is_not_told_what_waits_and_who_left_is_told_nothing() -> None:
    hearing = Hearing()
    hearing.enter("r", "abcdef")
    hearing.send("r", "1")
    hearing.enter("r", "g")
    hearing.crowds.exit("r", ord("e"))
    hearing.enter("r", "f")  # once more: with a view of its own
    hearing.send("r", "2")
    assert await hearing.turns() == ["a1 b1 c1 d1", "a2 b2", "c2 d2 g2 f2"]


async def test_nothing_is_left_of_a_crowd_that_went_away_in_the_middle() -> None:
    hearing = Hearing()
    hearing.enter("r", "abcdef")
    hearing.send("r", "1")
    for name in "abcdef":
        hearing.crowds.exit("r", ord(name))
    await quiet()
    assert hearing.heard == ["a1", "b1", "c1", "d1"]
    crowds = hearing.crowds
    assert (crowds._rooms, list(crowds._queue), crowds.behind()) == ({}, [], [])


async def test_who_does_not_read_is_told_nothing_more_and_nobody_else_waits_for_that() -> None:
    hearing = Hearing()
    hearing.enter("r", "abc")
    for text, stuck in (("1", 100), ("2", 101), ("3", 0)):
        hearing.ends["b"].stuck = stuck
        hearing.send("r", text)
        await quiet()
    assert hearing.heard == ["a1", "b1", "c1", "a2", "c2", "a3", "c3"]
    assert [member.session for member in hearing.crowds.behind()] == [ord("b")]
    hearing.crowds.exit("r", ord("b"))
    assert hearing.crowds.behind() == []


async def test_if_too_much_waits_for_a_crowd_all_of_it_falls_behind() -> None:
    hearing = Hearing()
    hearing.enter("r", "abcdef")
    hearing.enter("s", "v")
    for text in "1234":
        hearing.send("r", text)
    hearing.send("s", "1")
    assert await hearing.turns() == ["a1 b1 c1 d1", "v1"]
    assert [member.session for member in hearing.crowds.behind()] == [*map(ord, "abcdef")]
    hearing.enter("r", "a")
    hearing.send("r", "5")
    await quiet()
    assert hearing.heard == ["a5"]


# With rooms behind them


async def a_table() -> tuple[Node, Table, Socket, Socket]:
    """Begin a game; two look on, the first of whom has just stopped reading."""
    node = await Node(gateway=LIMITS).opens()
    table = await node.plays()
    slow, quick = [node.joined(table.room, as_="spectator") for _ in range(2)]
    slow.wire.stuck = 101
    return node, table, slow, quick


async def test_a_spectator_who_fell_behind_goes_on_from_the_newest_view() -> None:
    node, table, slow, quick = await a_table()
    seen = len(slow.messages)
    await table.moves(3)
    node.sweeps()
    assert len(slow.messages) == seen, "as long as anything is unread"
    slow.wire.stuck = 0
    await table.moves()
    assert len(slow.messages) == seen, "an update would not fit what it holds"
    node.sweeps()
    assert slow.since(seen) == ["view"]
    await table.moves(2)
    assert slow.since(seen) == ["view", "update", "update"]
    assert slow.document(table.room) == quick.document(table.room)
    assert slow.closed is None
    await node.closes()


async def test_views_to_catch_up_with_are_made_once_for_all() -> None:
    node, table, _, _ = await a_table()
    crowd = [node.joined(table.room, as_="spectator") for _ in range(4)]
    for socket in crowd:
        socket.wire.stuck = 101
    await table.moves()
    for socket in crowd:
        socket.wire.stuck = 0
    node.sweeps()
    views = [socket.frames[-1] for socket in crowd]
    assert all(view is views[0] for view in views)
    await node.closes()


async def test_those_who_fell_behind_are_shown_a_view_a_part_at_a_time() -> None:
    node, table, _, _ = await a_table()
    crowd = [node.joined(table.room, as_="spectator") for _ in range(6)]
    for socket in crowd:
        socket.wire.stuck = 101
    await table.moves()
    before = [len(socket.messages) for socket in crowd]
    for socket in crowd:
        socket.wire.stuck = 0
    shown = []
    for _ in node.gateway.sweep_in_parts():
        shown.append(sum(len(socket.messages) for socket in crowd) - sum(before))
    assert shown[0] == 3, "with the other one who is behind"
    assert shown[-1] == 6
    await node.closes()


async def test_a_spectator_who_reads_nothing_for_long_is_closed_as_too_slow() -> None:
    node, table, slow, quick = await a_table()
    await table.moves()
    for socket in (*table.sockets, slow, quick):
        socket.says(type="pong")
    await node.clock.passes(LIMITS.behind_ms - 1)
    node.sweeps()
    assert not slow.closed
    await node.clock.passes(1)
    node.sweeps()
    assert slow.closed == CloseCode.TOO_SLOW
    assert node.room(table.room).summary().spectators == 1
    assert node.gateway._crowds.behind() == []
    await node.closes()


async def test_nobody_is_shown_a_room_that_is_not_in_memory() -> None:
    node, table, slow, _ = await a_table()
    await table.moves()
    slow.wire.stuck = 0
    seen = len(slow.messages)
    node.actor(table.room)._holding.drop()
    node.sweeps()
    await quiet()
    assert len(slow.messages) == seen
    await node.actor(table.room).loaded()
    await quiet()
    assert slow.since(seen)[0] == "view", "the view of the new epoch is as good"
    node.sweeps()
    assert slow.since(seen)[1:].count("view") == 0
    await node.closes()


async def test_what_is_said_reaches_a_crowd_in_order_with_what_happens() -> None:
    node = await Node(gateway=LIMITS).opens()
    table = await node.plays()
    crowd = [node.joined(table.room, as_="spectator", codec=JSON) for _ in range(9)]
    before = [len(socket.messages) for socket in crowd]
    for _ in range(2):
        table.acts()
        table.sockets[0].asks("say", room=table.room, to="table", text="so?")
        await quiet()
    told = [socket.since(count) for socket, count in zip(crowd, before, strict=True)]
    assert all(kinds == told[0] for kinds in told)
    assert sorted(told[0]) == ["said", "said", "update", "update"]
    await node.closes()


@pytest.mark.parametrize("leaves", [True, False])
async def test_who_leaves_or_drops_in_the_middle_of_a_part_is_told_nothing(leaves: bool) -> None:
    node = await Node(gateway=LIMITS).opens()
    table = await node.plays()
    crowd = [node.joined(table.room, as_="spectator") for _ in range(9)]
    last, count = crowd[-1], len(crowd[-1].messages)
    table.acts()
    while not crowd[0].since(count):  # noqa: ASYNC110, for it is this very turn that matters
        await asyncio.sleep(0)
    if leaves:
        last.asks("leave", room=table.room)
    else:
        last.drops()
    await quiet()
    assert last.since(count) == (["accepted"] if leaves else [])
    await node.closes()
