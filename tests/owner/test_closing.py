"""A room is ended for good by the operator: without its rules, and once."""

import hashlib
import json

import msgspec
import pytest

from saleroom_rules.games import GAMES
from saleroom_rules.replay import verify
from saleroom_server.owner.closing import CannotClose, close_for_good
from saleroom_server.owner.head import Head
from saleroom_server.store.interface import Archived, Fenced, Unavailable
from tests.owner.lives import finished, over, restarted
from tests.owner.test_faults import failed, raising
from tests.support.hand_clock import quiet
from tests.support.memory_store import Fault, Kept, MemoryStore
from tests.support.nodes import Node

KUNSTMARKT = GAMES["kunstmarkt"]


async def close(kept: Kept, room: str, now: int = 1) -> Archived:
    """End a room from beside its server; return what is kept of it."""
    beside = MemoryStore(kept)
    owned = await beside.acquire(room)
    assert owned is not None
    await close_for_good(beside, room, owned, now)
    return kept.archive[room]


async def test_a_room_that_has_failed_is_closed_without_its_rules_and_keeps_its_record(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await failed(node, monkeypatch)
    with monkeypatch.context() as broken:
        broken.setattr(KUNSTMARKT, "setup", raising)
        kept = await close(node.store.kept, table.room, node.clock.now())
    assert table.room not in node.store.kept.rooms
    *lines, closing = kept.record.splitlines(keepends=True)
    assert json.loads(closing)["outcome"] == {"reason": "by_operator"}
    assert json.loads(lines[-1])["type"] == "closed"
    assert hashlib.sha256(b"".join(lines)).hexdigest() == json.loads(closing)["digest"]
    verify(kept.record)
    summary = msgspec.msgpack.decode(kept.head, type=Head).summary
    assert summary.status == "closed"
    assert summary.seats.keys() == {"0", "1", "2"}


async def test_its_server_lets_everybody_go_in_time_and_keeps_what_is_kept(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await failed(node, monkeypatch)
    kept = await close(node.store.kept, table.room)
    await node.clock.passes(node.room_limits.kept_ms)
    node.hall.sweep()
    await quiet()
    assert node.hall.actor(table.room) is None
    assert [socket.last["type"] for socket in table.sockets] == ["left"] * 3
    again = await (await restarted(node)).opens()
    assert [*again.hall.rooms()] == []
    assert again.store.kept.archive == {table.room: kept}
    await again.closes()


async def test_nobody_plays_on_in_a_room_that_had_not_failed(node: Node) -> None:
    table = await node.plays()
    await close(node.store.kept, table.room)
    acting, request = table.acts()
    await node.clock.passes(node.limits.retry_ms)
    assert acting.refusal(request) == ("unknown_room", {})
    assert {socket.last["type"] for socket in table.sockets if socket is not acting} == {"left"}


async def test_a_room_nobody_has_begun_to_play_in_is_closed_too(node: Node) -> None:
    made = await node.makes()
    kept = await close(node.store.kept, made.room)
    assert b"by_operator" in kept.record
    verify(kept.record)


async def test_what_was_broken_off_is_finished_by_doing_it_again(node: Node) -> None:
    table = await node.plays()
    beside = MemoryStore(node.store.kept)
    owned = await beside.acquire(table.room)
    assert owned is not None
    beside.fail(Fault.WRITTEN)
    with pytest.raises(Unavailable):
        await close_for_good(beside, table.room, owned, 1)
    kept = await close(node.store.kept, table.room, now=2)
    assert kept.record.count(b'"type":"closed"') == 1
    assert table.room not in node.store.kept.rooms


async def test_a_record_that_is_there_stays_as_it_is(node: Node) -> None:
    room = await over(node)
    before = node.store.kept.archive[room]
    assert await close(node.store.kept, room) is before
    assert room not in node.store.kept.rooms


async def test_whoever_took_the_room_over_meanwhile_is_not_disturbed(node: Node) -> None:
    table = await node.plays()
    beside = MemoryStore(node.store.kept)
    owned = await beside.acquire(table.room)
    assert owned is not None
    await beside.acquire(table.room)
    with pytest.raises(Fenced):
        await close_for_good(beside, table.room, owned, 1)
    assert node.store.kept.archive == {}


async def test_of_what_cannot_be_read_nothing_is_deleted(node: Node) -> None:
    room = await finished(node)
    kept = node.store.kept
    del kept.archive[room]
    with pytest.raises(CannotClose, match="ended by itself"):
        await close(kept, room)
    for entries, says in (
        ([b"\xc1"], "cannot be read"),
        (kept.rooms[room].entries[1:2], "founding"),
        ([], "founding"),
    ):
        kept.rooms[room].entries = entries
        with pytest.raises(CannotClose, match=says):
            await close(kept, room)
        assert kept.rooms[room].entries == entries
