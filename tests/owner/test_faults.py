"""Faults of ours: a request is refused, a room may fail, and no other room notices."""

import logging
from typing import Any

import msgspec
import pytest

from saleroom_protocol.errors import Reason
from saleroom_protocol.http import HouseBot
from saleroom_rules.games import GAMES
from saleroom_server.owner import house
from saleroom_server.owner.head import Head
from saleroom_server.rooms.commands import Mute, Refusal
from saleroom_server.rooms.room import Room
from tests.support.games import TOY
from tests.support.hand_clock import quiet
from tests.support.nodes import PEOPLE, Node, Table, entries_of

KUNSTMARKT = GAMES["kunstmarkt"]


class Blunder(Exception):
    """A fault of ours."""


def raising(*_: Any, **__: Any) -> Any:
    raise Blunder


async def beside(node: Node) -> Table:
    """Begin another game, which must not notice anything."""
    return await node.plays(game="toy")


async def failed(node: Node, monkeypatch: pytest.MonkeyPatch) -> Table:
    """Begin a game, and let it fail; the program has no fault any more."""
    table = await node.plays()
    with monkeypatch.context() as broken:
        broken.setattr(KUNSTMARKT, "default", raising)
        await node.clock.goes_to(table.window["closes_at"] + 251)
    return table


def noted(node: Node, room: str) -> str:
    """Return what the store says has become of a room."""
    return msgspec.msgpack.decode(node.store.kept.rooms[room].head, type=Head).summary.status


def assert_failed(table: Table) -> None:
    for socket in table.sockets:
        document = socket.document(table.room)
        assert document["status"] == "failed"
        assert document["result"] == {"reason": "internal_error"}
        assert "window" not in document


async def test_an_apply_that_raises_is_answered_changes_nothing_and_play_goes_on(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await node.plays()
    before, journal = table.document, len(node.store.kept.rooms[table.room].entries)
    with monkeypatch.context() as broken:
        broken.setattr(KUNSTMARKT, "apply", raising)
        acting, request = table.acts()
        await quiet()
    assert acting.refusal(request) == ("internal_error", {})
    assert table.document == before
    assert len(node.store.kept.rooms[table.room].entries) == journal
    again = acting.repeats(request)
    await quiet()
    assert acting.answer(again)["type"] == "accepted"


async def test_a_default_that_raises_fails_this_room_and_no_other(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    other, table = await beside(node), await node.plays()
    monkeypatch.setattr(KUNSTMARKT, "default", raising)
    journal = [*entries_of(node.store.kept, table.room)]
    await node.clock.goes_to(table.window["closes_at"] + 251)
    assert_failed(table)
    assert [*entries_of(node.store.kept, table.room)] == journal, "a program without it goes on"
    assert node.hall.summary(table.room).status == "failed"
    refused = table.sockets[0].asks("act", room=table.room, action={"do": "resign"})
    await quiet()
    assert table.sockets[0].refusal(refused) == ("wrong_status", {"status": "failed"})
    assert other.document["status"] == "running"
    assert other.sockets[0].events(other.room).count("expired") >= 1


async def test_a_room_that_failed_is_put_away_and_its_journal_waits_for_another_program(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await failed(node, monkeypatch)
    await node.clock.passes(node.room_limits.kept_ms - 1)
    node.hall.sweep()
    await quiet()
    assert node.hall.actor(table.room) is not None
    await node.clock.passes(1)
    node.hall.sweep()
    await quiet()
    assert node.hall.actor(table.room) is None
    assert [socket.last["type"] for socket in table.sockets] == ["left"] * 3
    node.hall.sweep()
    assert node.hall._heads == {}
    again = Node(await node.crashes(), node.clock)
    await again.opens()
    await again.clock.passes(1_000)
    assert again.hall.summary(table.room).status == "running"
    await again.closes()


async def test_a_room_that_failed_and_was_read_back_whole_is_not_put_away(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await failed(node, monkeypatch)
    assert_failed(table)
    node.actor(table.room)._holding.drop()
    node.actor(table.room).put_away()
    assert (await node.loaded(table.room)).standing.status == "running"
    assert node.actor(table.room).kept_until is None
    await table.moves(1)


async def test_a_room_that_failed_goes_on_in_a_program_without_the_fault(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await failed(node, monkeypatch)
    again = Node(await node.crashes(), node.clock)
    await again.opens()
    await again.clock.passes(1_000)
    assert again.hall.summary(table.room).status == "running"
    await again.closes()


async def test_that_a_room_has_failed_is_noted_until_a_program_without_the_fault_has_it(
    node: Node, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    table = await failed(node, monkeypatch)
    assert noted(node, table.room) == "failed"
    again = Node(await node.crashes(), node.clock)
    caplog.set_level(logging.INFO, "saleroom.rooms")
    caplog.clear()
    await again.opens()
    assert again.hall.status(table.room) == "failed", "nobody has read it back yet"
    await again.clock.passes(1_000)
    assert noted(again, table.room) == again.hall.status(table.room) == "running"
    assert caplog.messages == ["room_recovered", "rooms_loaded"]
    await again.closes()


async def test_a_room_fails_though_it_cannot_be_noted(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await node.plays()
    node.store.full = True
    monkeypatch.setattr(KUNSTMARKT, "default", raising)
    await node.clock.goes_to(table.window["closes_at"] + 251)
    assert_failed(table)
    assert noted(node, table.room) == "running"


async def test_a_journal_that_cannot_be_followed_fails_this_room_and_no_other(node: Node) -> None:
    other, table = await beside(node), await node.plays()
    await table.moves(2)
    node.store.kept.rooms[table.room].entries[-1] = b"nothing that can be read"
    node.actor(table.room)._holding.drop()
    node.actor(table.room).load_soon()
    await quiet()
    assert "failed" in {socket.document(table.room)["status"] for socket in table.sockets}
    late = node.joined(table.room, as_="spectator")
    assert late.document(table.room)["status"] == noted(node, table.room) == "failed"
    await other.moves(1)


async def test_a_replay_that_goes_another_way_fails_the_room(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await node.plays()
    await table.moves(20)
    monkeypatch.setattr("saleroom_server.rooms.loading.diverges", lambda *_: True)
    node.actor(table.room)._holding.drop()
    late = node.greeted()
    request = late.joins(table.room, "spectator")
    await quiet()
    assert late.answer(request)["type"] == "joined"
    assert late.document(table.room)["status"] == "failed"
    assert node.actor(table.room).kept_until is not None
    assert_failed(table)


async def test_a_room_of_which_nothing_can_be_read_is_unknown_and_its_journal_stays(
    node: Node, caplog: pytest.LogCaptureFixture
) -> None:
    table = await node.plays()
    node.store.kept.rooms[table.room].entries[0] = b"?"
    node.actor(table.room)._holding.drop()
    with pytest.raises(Refusal) as refused:
        await node.actor(table.room).loaded()
    assert refused.value.reason is Reason.UNKNOWN_ROOM
    assert [record.levelno for record in caplog.records] == [logging.ERROR]
    assert [socket.last["type"] for socket in table.sockets] == ["left"] * 3
    assert node.hall.actor(table.room) is None
    node.hall.sweep()
    assert node.hall._heads == {}
    assert table.room in node.store.kept.rooms
    assert node.clock.alarms == [], "it is not tried again for ever"


async def test_a_fault_after_the_append_reads_the_room_back_and_the_act_counts_once(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await node.plays()
    with monkeypatch.context() as broken:
        broken.setattr(Room, "commit", _raising_once(Room.commit))
        acting, request = table.acts()
        await quiet()
    assert acting.answer(request)["type"] == "accepted"
    assert [*entries_of(node.store.kept, table.room)].count("acted") == 1
    assert table.sockets[0].told("view")[-1]["epoch"] == table.sockets[0].followed(table.room).epoch
    await table.moves(3)


def _raising_once(commit: Any) -> Any:
    left = [Blunder()]

    def broken(room: Room, decision: Any, now: int) -> Any:
        if left and decision.entries:
            raise left.pop()
        return commit(room, decision, now)

    return broken


async def test_a_fault_after_every_append_is_unavailable_because_the_outcome_is_unknown(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await node.plays()
    with monkeypatch.context() as broken:
        broken.setattr(Room, "commit", raising)
        acting, request = table.acts()
        await quiet()
    assert acting.refusal(request)[0] == "unavailable"
    node.actor(table.room)._holding.drop()
    again = acting.repeats(request)
    await quiet()
    assert acting.answer(again)["type"] == "accepted"
    assert [*entries_of(node.store.kept, table.room)].count("acted") == 1


async def test_a_presence_that_cannot_be_told_fails_the_room(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await node.plays()

    def broken(room: Room, decision: Any, now: int) -> Any:
        if decision.connected:
            raise Blunder
        return commit(room, decision, now)

    commit = Room.commit
    monkeypatch.setattr(Room, "commit", broken)
    table.sockets[2].drops()
    await node.clock.passes(2_000)
    for socket in table.sockets[:2]:
        assert socket.document(table.room)["status"] == "failed"
    alarms = len(node.clock.alarms)
    await node.clock.passes(10_000)
    assert alarms == 0, "it rings no more"


async def test_a_room_that_cannot_even_tell_that_it_has_failed_is_silent(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    other, table = await beside(node), await node.plays()
    monkeypatch.setattr(KUNSTMARKT, "default", raising)
    publish = Room._publish

    def broken(room: Room, *facts: Any) -> Any:
        if room is node.room(table.room):
            raise Blunder
        return publish(room, *facts)

    monkeypatch.setattr(Room, "_publish", broken)
    closes_at = table.window["closes_at"]
    table.sockets[1].drops()
    await node.clock.goes_to(closes_at + 10_000)
    assert node.room(table.room).standing.status == "failed"
    assert other.document["status"] == "running"
    assert other.sockets[0].events(other.room).count("expired") >= 1


async def test_a_word_that_trips_us_is_answered_and_the_room_goes_on(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await node.plays()
    with monkeypatch.context() as broken:
        broken.setattr(Room, "say", raising)
        broken.setattr(Room, "mute", raising)
        said = table.sockets[0].asks("say", room=table.room, to="table", text="?")
        muting = node.actor(table.room).ask(Mute(PEOPLE[0], PEOPLE[1].player or "", True))
        with pytest.raises(Refusal) as refused:
            await muting
    assert refused.value.reason is Reason.INTERNAL_ERROR
    assert table.sockets[0].refusal(said) == ("internal_error", {})
    await table.moves(2)


# House bots

STEADY = HouseBot(level="steady")


async def house_game(node: Node) -> str:
    made = await node.makes(take_seat=False, bots=(STEADY, STEADY, STEADY))
    await node.clock.passes(2_000)
    return made.room


async def test_a_strategy_that_raises_plays_by_default_and_it_is_logged_once_each_time(
    node: Node, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(house, "strategy_for", lambda game, level: raising)
    room = await house_game(node)
    await node.clock.passes(20_000)
    acted = [*entries_of(node.store.kept, room)].count("acted")
    assert acted > 5
    faults = [record.exc_info for record in caplog.records if record.exc_info]
    assert [fault[0] for fault in faults] == [Blunder] * acted


async def test_the_levels_of_house_bots_are_those_of_the_protocol() -> None:
    assert house.levels() == {"easy", "steady"}
    assert house.think("toy", "easy", {"legal": [{"do": "bid"}]}) == {"do": "bid"}
    assert TOY.key in GAMES
