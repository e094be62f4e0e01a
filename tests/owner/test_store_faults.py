"""A store that fails: nothing is lost, nothing happens twice, and play goes on."""

import asyncio

import pytest

from saleroom_protocol.errors import Reason
from saleroom_server.owner.surroundings import OwnerLimits
from saleroom_server.rooms.commands import AddBot, Refusal, Start, TakeSeat
from saleroom_server.rooms.room import Room
from tests.support.hand_clock import quiet
from tests.support.memory_store import Fault
from tests.support.nodes import PEOPLE, Node, Table, entries_of

RETRY_MS = OwnerLimits().retry_ms
PATIENCE_MS = OwnerLimits().patience_ms

BOTH = pytest.mark.parametrize("fault", [*Fault])


def epochs(table: Table) -> list[str]:
    return [socket.followed(table.room).epoch for socket in table.sockets]


@BOTH
async def test_an_act_whose_append_failed_has_one_receipt_and_one_effect(
    node: Node, fault: Fault
) -> None:
    table = await node.plays()
    watcher = node.joined(table.room, as_="spectator")
    acted = [*entries_of(node.store.kept, table.room)].count("acted")
    before = epochs(table)
    node.store.fail(fault)
    acting, request = table.acts()
    await quiet()
    assert not acting.is_answered(request)
    await node.clock.passes(RETRY_MS)
    assert acting.answer(request)["type"] == "accepted"
    assert [*entries_of(node.store.kept, table.room)].count("acted") == acted + 1
    assert all(new != old for new, old in zip(epochs(table), before, strict=True))
    assert watcher.told("view")[-1]["epoch"] == watcher.followed(table.room).epoch
    again = acting.repeats(request)
    await quiet()
    assert acting.answer(again) == acting.answer(request)
    assert [*entries_of(node.store.kept, table.room)].count("acted") == acted + 1
    await table.moves(3)


@BOTH
async def test_who_followed_gets_a_view_of_the_new_epoch_and_then_the_restarted_clock(
    node: Node, fault: Fault
) -> None:
    table = await node.plays()
    before = [len(socket.messages) for socket in table.sockets]
    node.store.fail(fault)
    table.acts()
    await node.clock.passes(RETRY_MS)
    for socket, number in zip(table.sockets, before, strict=True):
        view, restarted = socket.messages[number : number + 2]
        assert view["type"] == "view"
        assert restarted["seq"] == view["seq"] + 1
        assert [event["event"] for event in restarted["events"]] == ["clock_restarted"]


@BOTH
async def test_a_command_of_the_lobby_has_one_effect_too(node: Node, fault: Fault) -> None:
    made = await node.makes()
    node.store.fail(fault)
    asked = node.actor(made.room).ask(AddBot(PEOPLE[0], "easy"))
    await node.clock.passes(RETRY_MS)
    assert (await asked).seat == 1
    assert [*entries_of(node.store.kept, made.room)].count("bot_added") == 1


@BOTH
async def test_a_start_whose_append_failed_is_answered_as_if_it_had_not(
    node: Node, fault: Fault
) -> None:
    made = await node.makes(autostart=False)
    await node.seats(made.room, *PEOPLE[1:3])
    node.store.fail(fault)
    asked = node.actor(made.room).ask(Start(PEOPLE[0]))
    await node.clock.passes(RETRY_MS)
    assert await asked is None
    assert node.room(made.room).standing.status == "running"


@BOTH
async def test_a_window_that_ran_out_while_the_store_failed_runs_out_once(
    node: Node, fault: Fault
) -> None:
    table = await node.plays()
    number = table.window["number"]
    node.store.fail(fault)
    await node.clock.goes_to(table.window["closes_at"] + 251 + RETRY_MS)
    expired = [*entries_of(node.store.kept, table.room)].count("expired")
    assert expired == (fault is Fault.WRITTEN)
    assert table.window["number"] == number + expired
    assert table.window["closes_at"] > node.clock.now()


async def test_two_failures_in_a_row_are_still_one_effect(node: Node) -> None:
    table = await node.plays()
    node.store.fail(Fault.NOT_WRITTEN, Fault.WRITTEN)
    acting, request = table.acts()
    await node.clock.passes(2 * RETRY_MS)
    assert acting.answer(request)["type"] == "accepted"
    assert [*entries_of(node.store.kept, table.room)].count("acted") == 1


async def test_a_store_down_for_a_while_delays_and_no_more(node: Node) -> None:
    table = await node.plays()
    node.store.down = True
    acting, request = table.acts()
    await node.clock.passes(PATIENCE_MS - RETRY_MS)
    assert not acting.is_answered(request)
    node.store.down = False
    await node.clock.passes(RETRY_MS)
    assert acting.answer(request)["type"] == "accepted"


async def test_a_store_down_for_longer_than_patience_lasts_is_unavailable(node: Node) -> None:
    table = await node.plays()
    node.store.down = True
    acting, request = table.acts()
    behind = [acting.acts(table.room) for _ in range(5)]
    await node.clock.passes(PATIENCE_MS + RETRY_MS)
    assert acting.refusal(request) == ("unavailable", {"retry_after_ms": RETRY_MS})
    assert {acting.refusal(one)[0] for one in behind} == {"unavailable"}, "all at the same time"


async def test_later_play_goes_on_though_nobody_asks_for_anything(node: Node) -> None:
    table = await node.plays()
    node.store.down = True
    acting, request = table.acts()
    await node.clock.passes(10 * PATIENCE_MS)
    node.store.down = False
    before = [len(socket.messages) for socket in table.sockets]
    await node.clock.passes(PATIENCE_MS + RETRY_MS)
    for socket, number in zip(table.sockets, before, strict=True):
        assert socket.since(number)[:2] == ["view", "update"]
    again = acting.repeats(request)
    await quiet()
    assert acting.answer(again)["type"] == "accepted"
    await table.moves(3)


async def test_a_room_taken_by_another_owner_is_taken_back_and_the_act_decided(node: Node) -> None:
    table = await node.plays()
    await node.store.acquire(table.room)
    acting, request = table.acts()
    await node.clock.passes(RETRY_MS)
    assert acting.answer(request)["type"] == "accepted"
    await table.moves(2)


async def test_a_journal_that_went_on_elsewhere_is_read_before_the_act_is_decided(
    node: Node,
) -> None:
    table = await node.plays()
    other = Node(node.store.kept, node.clock)
    other.store = node.store
    elsewhere = await other.opens()
    await other.clock.passes(1_000)
    seat = table.asked_seat
    stranger = elsewhere.joined(table.room, PEOPLE[seat])
    elsewhere_request = stranger.acts(table.room, request="elsewhere")
    await quiet()
    assert stranger.answer(elsewhere_request)["type"] == "accepted"
    acting, request = table.acts()
    await node.clock.passes(RETRY_MS)
    assert acting.refusal(request)[0] == "window_closed"
    await elsewhere.hall.close()


async def test_a_room_whose_journal_is_gone_lets_everybody_go(node: Node) -> None:
    table = await node.plays()
    del node.store.kept.rooms[table.room]
    acting, request = table.acts()
    await node.clock.passes(RETRY_MS)
    assert acting.refusal(request) == ("unknown_room", {})
    for socket in table.sockets:
        assert [left["reason"] for left in socket.told("left")] == ["closed"]
    assert table.room not in node.gateway._crowds._rooms
    assert node.hall.actor(table.room) is None
    late = acting.joins(table.room)
    assert acting.refusal(late)[0] == "unknown_room"


async def test_a_socket_that_closed_while_the_room_was_not_in_memory_leaves_no_ghost(
    node: Node,
) -> None:
    table = await node.plays()
    watcher = node.joined(table.room, as_="spectator")
    node.store.down = True
    table.acts()
    await quiet()
    watcher.drops()
    await node.clock.passes(3 * PATIENCE_MS)
    node.store.down = False
    await node.clock.passes(PATIENCE_MS + RETRY_MS)
    assert node.room(table.room).summary().spectators == 0


async def test_when_the_server_ends_nobody_has_patience_with_the_store(node: Node) -> None:
    table = await node.plays()
    node.store.down = True
    acting, request = table.acts()
    await quiet()
    closing = asyncio.create_task(node.hall.close())
    await node.clock.passes(RETRY_MS)
    await closing
    assert acting.refusal(request)[0] == "unavailable"
    assert node.clock.alarms == []
    node.store.down = False


async def test_seq_never_falls_however_often_a_room_is_read_back(node: Node) -> None:
    table = await node.plays()
    for _ in range(3):
        node.store.fail(Fault.NOT_WRITTEN)
        refused = node.actor(table.room).ask(TakeSeat(PEOPLE[0]))
        await quiet()
        assert not (await refused).new
        node.actor(table.room)._holding.drop()
        node.actor(table.room).load_soon()
        await node.clock.passes(5_000)
    assert table.document["status"] == "running"


async def test_an_unknown_room_stays_unknown_when_it_is_loaded(node: Node) -> None:
    table = await node.plays()
    actor = node.actor(table.room)
    del node.store.kept.rooms[table.room]
    actor._holding.drop()
    with pytest.raises(Refusal) as refused:
        await actor.loaded()
    assert refused.value.reason is Reason.UNKNOWN_ROOM
    assert not isinstance(actor.room, Room)
