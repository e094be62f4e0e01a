"""Rooms that end: kept for a while, then nothing is left of them but the record."""

import gc
import weakref
from typing import Any

import pytest

from saleroom_server.rooms.commands import Close
from saleroom_server.rooms.limits import RoomLimits
from tests.owner.lives import finished, over
from tests.support.hand_clock import quiet
from tests.support.nodes import PEOPLE, Node

KEPT_MS = RoomLimits().kept_ms


async def test_a_finished_room_is_archived_can_be_joined_and_is_then_put_away(node: Node) -> None:
    room = await finished(node)
    traced = traces(node, room)
    watcher = node.joined(room, as_="spectator")
    assert watcher.document(room)["result"]["digest"]
    until = node.actor(room).kept_until or 0
    await node.clock.goes_to(until - 1)
    node.hall.sweep()
    await quiet()
    assert watcher.told("left") == []
    await node.clock.passes(1)
    node.hall.sweep()
    await quiet()
    assert watcher.last == {"type": "left", "room": room, "reason": "closed"}
    assert watcher.closed is None
    assert node.hall.actor(room) is None
    assert [*node.hall.rooms()] == []
    assert room in node.store.kept.archive
    assert room not in node.store.kept.rooms
    node.hall.sweep()
    assert_nothing_left(node, traced)


def traces(node: Node, room: str) -> list[Any]:
    """Return what tells whether actor and room are still in memory."""
    return [weakref.ref(node.actor(room)), weakref.ref(node.room(room))]


def assert_nothing_left(node: Node, traced: list[Any]) -> None:
    hall, gateway = node.hall, node.gateway
    maps = (hall._actors, hall._heads, hall._made, hall._in_hand, hall._addresses)
    assert gateway._crowds._rooms == {}
    assert [len(one) for one in maps] == [0] * len(maps)
    assert [*hall.rooms()] == []
    assert node.clock.alarms == []
    assert all(not connection.rooms for connection in gateway._connections.values())
    gc.collect()
    assert [trace() for trace in traced] == [None] * len(traced)


async def test_nothing_is_left_of_many_rooms_that_were_put_away(node: Node) -> None:
    traced = []
    for number in range(20):
        made = await node.makes(PEOPLE[number % 4], visibility=("public", "private")[number % 2])
        traced += traces(node, made.room)
        socket = node.joined(made.room, PEOPLE[number % 4])
        if number % 3 == 0:
            socket.drops()
        await node.actor(made.room).ask(Close("enough"))
    await node.clock.passes(KEPT_MS)
    node.hall.sweep()
    await quiet()
    node.hall.sweep()
    for connection in [*node.gateway._connections.values()]:
        node.gateway.disconnect(connection)
    del connection, socket
    assert_nothing_left(node, traced)
    assert node.gateway._connections == {}
    assert len(node.store.kept.archive) == 20


async def test_a_join_that_slips_in_while_a_room_is_put_away_is_let_go_with_the_others(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = await over(node)
    forget = node.store.forget

    async def slowly(*facts: Any) -> None:
        await node.clock.sleep(10)
        await forget(*facts)

    monkeypatch.setattr(node.store, "forget", slowly)
    node.actor(room).put_away()
    await quiet()
    late = node.joined(room, PEOPLE[0])
    behind = late.asks("act", room=room, action={"do": "resign"})
    await node.clock.passes(10)
    assert late.told("left")[-1]["reason"] == "closed"
    assert late.refusal(behind) == ("unknown_room", {})
    assert node.gateway._crowds._rooms == {}


async def test_a_room_is_put_away_later_if_the_store_fails_and_its_record_is_not_lost(
    node: Node,
) -> None:
    made = await node.makes()
    await node.actor(made.room).ask(Close("enough"))
    await quiet()
    node.store.kept.archive.clear()
    node.store.down = True
    await node.clock.passes(KEPT_MS)
    for _ in range(100):
        node.hall.sweep()
    assert len(node.actor(made.room)._inbox) <= 1, "once, not a hundred times"
    await node.clock.passes(60_000)
    node.store.down = False
    await node.clock.passes(60_000)
    assert made.room in node.store.kept.archive
    await node.clock.passes(KEPT_MS)
    node.hall.sweep()
    await quiet()
    assert node.hall.actor(made.room) is None
    assert made.room in node.store.kept.archive


async def test_a_failing_archive_keeps_the_journal(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def raising(*_: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(node.store, "archive", raising)
    room = await over(node)
    await node.clock.passes(KEPT_MS)
    node.hall.sweep()
    await quiet()
    assert room in node.store.kept.rooms
