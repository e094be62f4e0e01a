"""Rooms side by side: none waits for another's store call, and none starves the others."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from saleroom_server.owner.surroundings import OwnerLimits
from saleroom_server.rooms.commands import Caller, Close
from saleroom_server.rooms.limits import RoomLimits
from tests.owner.lives import EASY
from tests.support.hand_clock import HandClock, quiet
from tests.support.nodes import PEOPLE, Node, Table, entries_of
from tests.support.sockets import As


def stall(node: Node, call: str, room: str, patched: pytest.MonkeyPatch) -> "asyncio.Event":
    """Let a store call for one room wait for the event; all other calls go through."""
    go_on, through = asyncio.Event(), getattr(node.store, call)

    async def slowly(name: str, *facts: Any) -> Any:
        if name == room:
            await go_on.wait()
        return await through(name, *facts)

    patched.setattr(node.store, call, lambda *facts: asyncio.ensure_future(slowly(*facts)))
    return go_on


async def assert_goes_on(table: Table) -> None:
    """Everything a table may want is done at once."""
    node = table.node
    await table.moves(2)
    table.sockets[0].asks("say", room=table.room, to="table", text="Well?")
    assert table.sockets[1].told("said")[-1]["text"] == "Well?"
    watcher = node.joined(table.room, as_="spectator")
    assert watcher.document(table.room)["window"] == table.window
    made = await node.makes(PEOPLE[3])
    await node.seats(made.room, PEOPLE[4])


async def test_an_append_that_hangs_stalls_its_own_room_and_no_other(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    stalled, other = await node.plays(), await node.plays()
    go_on = stall(node, "append", stalled.room, monkeypatch)
    asked, request = stalled.acts()
    await quiet()
    assert not asked.is_answered(request)
    await assert_goes_on(other)
    go_on.set()
    await quiet()
    assert asked.answer(request)["type"] == "accepted"


@pytest.mark.parametrize("call", ["acquire", "archive", "forget"])
async def test_nor_does_a_room_that_is_read_back_or_put_away(
    node: Node, call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, other = await node.makes(take_seat=False), await node.plays()
    go_on, actor = stall(node, call, made.room, monkeypatch), node.actor(made.room)
    if call == "acquire":
        actor._holding.drop()
        actor.load_soon()
    else:
        closing = actor.ask(Close("enough"))
        actor.put_away()
        await closing
    await quiet()
    assert len(actor._inbox) > 0
    await assert_goes_on(other)
    go_on.set()
    await quiet()
    assert len(actor._inbox) == 0


# One absurd room


async def turns_until_answered(table: Table) -> int:
    """Count how often the loop must turn until an act is answered."""
    asked, request = table.acts()
    for turn in range(1_000):
        if asked.is_answered(request):
            return turn
        await asyncio.sleep(0)
    raise AssertionError("starved")


async def rings_on(clock: HandClock) -> None:
    """Ring what is due by now, one bell at a turn of the loop, for ever."""
    while True:
        alarm = clock._next(clock.now())
        if alarm is not None:
            clock._alarms.remove(alarm)
            alarm.callback()
        await asyncio.sleep(0)


async def test_rooms_whose_bells_never_fall_silent_starve_no_other() -> None:
    """Their house bots answer without delay: there is always something due."""
    restless = RoomLimits(house_bot_ms=0, house_bot_spread_ms=0, start_delay_ms=0)
    node = await Node(room=restless).opens()
    table = await node.plays()
    alone = await turns_until_answered(table)
    bots = (EASY, EASY, EASY)
    rooms = [(await node.makes(PEOPLE[3], take_seat=False, bots=bots)).room for _ in range(5)]
    ringing = asyncio.create_task(rings_on(node.clock))
    for _ in range(100):
        await asyncio.sleep(0)
    moved = [acted(node, room) for room in rooms]
    assert all(moved)
    beside = await turns_until_answered(table)
    assert [acted(node, room) for room in rooms] != moved, "they are at it all the time"
    assert beside <= alone + len(rooms)
    ringing.cancel()
    await node.closes()


def acted(node: Node, room: str) -> int:
    return [*entries_of(node.store.kept, room)].count("acted")


async def test_a_room_takes_no_more_into_its_inbox_than_it_is_done_with_soon() -> None:
    """What is refused asks the store for nothing, so the room does not stop in between."""
    node = await Node(owner=OwnerLimits(inbox=16)).opens()
    absurd, table = await node.plays(), await node.plays()
    for socket in absurd.sockets:
        for _ in range(100):
            socket.acts(absurd.room, {"do": "resign"})
    assert len(node.actor(absurd.room)._inbox) == 16
    assert await turns_until_answered(table) < 10
    reasons = [told["reason"] for socket in absurd.sockets for told in socket.told("refused")]
    assert reasons.count("busy") == 300 - 16
    await node.closes()


async def test_a_room_with_a_long_journal_lets_others_have_their_turn_while_it_is_read(
    node: Node,
) -> None:
    absurd, table = await node.plays(game="toy"), await node.plays()
    for number in range(200):
        shelf = {"a": 1 + number % 2, "b": 3}
        absurd.sockets[0].asks("act", room=absurd.room, action={"do": "arrange", "shelf": shelf})
        await quiet()
    node.actor(absurd.room)._holding.drop()
    node.actor(absurd.room).load_soon()
    assert await turns_until_answered(table) < 10
    assert node.actor(absurd.room).room is None, "it is still being read"
    await quiet()
    assert absurd.document["table"]["shelves"]["0"] == shelf


# Joins


class Closed(dict[str, Any]):
    """A map of which one may ask for a key, and nothing else."""

    def __iter__(self) -> Iterator[str]:
        raise AssertionError("all rooms are gone through")

    keys = values = items = __iter__  # type: ignore[assignment]


async def test_a_join_looks_at_its_own_room_and_asks_the_store_nothing(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await node.plays()
    for caller in PEOPLE[3:]:
        await node.makes(caller)
    hall = node.hall
    with monkeypatch.context() as closed:
        for name in ("_actors", "_heads", "_made"):
            closed.setattr(hall, name, Closed(getattr(hall, name)))
        closed.setattr(node.store, "_check", lambda: pytest.fail("the store is asked"))
        joining: list[tuple[As, Caller | None]] = [("player", PEOPLE[1]), ("spectator", None)]
        for as_, joiner in joining:
            socket = node.greeted(joiner)
            assert socket.answer(socket.joins(table.room, as_))["type"] == "joined"


@pytest.mark.parametrize("per_turn", [3, 1_000])
async def test_of_a_journal_that_is_read_so_many_entries_are_read_at_a_turn(per_turn: int) -> None:
    node = await Node(owner=OwnerLimits(entries_per_turn=per_turn)).opens()
    table = await node.plays()
    await table.moves(5)
    entries = len([*entries_of(node.store.kept, table.room)])
    assert entries > 6
    actor = node.actor(table.room)
    actor._holding.drop()
    actor.load_soon()
    turns = 0
    while actor.room is None:
        await asyncio.sleep(0)
        turns += 1
    assert turns == 1 + (entries - 1) // per_turn, "the first entry is the room's founding"
    await node.closes()
