"""Deadlines from socket to socket, to the millisecond: answers, bells, broken lines and crashes."""

import pytest

from saleroom_rules.games import GAMES
from tests.support.hand_clock import quiet
from tests.support.nodes import PEOPLE, Node, Table, entries_of
from tests.support.sockets import Socket

GRACE_MS = 250
every_game = pytest.mark.parametrize("game", ["toy", *GAMES])


def expiries(node: Node, room: str) -> int:
    return [*entries_of(node.store.kept, room)].count("expired")


@every_game
@pytest.mark.parametrize(
    ("after_ms", "counts"), [(-1, True), (0, True), (GRACE_MS, True), (GRACE_MS + 1, False)]
)
async def test_an_answer_counts_up_to_the_last_millisecond_of_the_grace(
    node: Node, game: str, after_ms: int, counts: bool
) -> None:
    table = await node.plays(game=game)
    asked, number, closes_at = table.asked, table.window["number"], table.window["closes_at"]
    await node.clock.goes_to(closes_at + after_ms)
    if counts:
        request = asked.acts(table.room)
        await quiet()
        assert asked.answer(request)["type"] == "accepted"
        assert expiries(node, table.room) == 0
    else:
        request = asked.asks("act", room=table.room, window=number, action={"do": "pass"})
        await quiet()
        facts = {"window": number, "open": table.window["number"], "closed_by": "expiry"}
        assert asked.refusal(request) == ("window_closed", facts)
        assert expiries(node, table.room) == 1


async def test_of_answer_and_bell_in_the_same_millisecond_what_came_first_counts(
    node: Node,
) -> None:
    table = await node.plays()
    due = table.window["closes_at"] + GRACE_MS + 1
    await node.clock.goes_to(due - 1)
    node.clock.lags(1)  # the answer is read before the bell is looked at
    asked, request = table.acts()
    await node.clock.passes(0)
    assert asked.answer(request)["type"] == "accepted"
    assert expiries(node, table.room) == 0


async def test_whoever_is_back_within_the_grace_answers_as_if_never_gone(node: Node) -> None:
    table = await node.plays()
    seat, closes_at = table.asked_seat, table.window["closes_at"]
    await node.clock.goes_to(closes_at - 10_000)
    lost = table.sockets[seat]
    lost.drops()
    await node.clock.goes_to(closes_at + GRACE_MS)
    back = resumed(node, table, seat)
    request = back.acts(table.room)
    await quiet()
    assert back.answer(request)["type"] == "accepted"
    assert expiries(node, table.room) == 0
    assert not back.document(table.room)["seats"][str(seat)]["away"]


def resumed(node: Node, table: Table, seat: int) -> Socket:
    """Come back with the cursor of the socket that was lost."""
    followed = table.sockets[seat].followed(table.room)
    back = node.greeted(PEOPLE[seat], checks=True)
    back.rooms[table.room] = followed
    back.joins(table.room, cursor={"epoch": followed.epoch, "seq": followed.seq})
    return back


@pytest.mark.parametrize("followed", [True, False], ids=["followed", "deserted"])
async def test_a_server_that_crashes_with_a_second_left_gives_the_whole_time_once(
    node: Node, followed: bool
) -> None:
    table = await node.plays()
    seat, number = table.asked_seat, table.window["number"]
    length = table.window["closes_at"] - table.window["opened_at"]
    await node.clock.goes_to(table.window["closes_at"] - 1_000)
    again = await Node(await node.crashes(), node.clock).opens()
    await again.clock.passes(10)  # rooms are read back
    begun_at = again.room(table.room)._stream.scene.document(None)["window"]["opened_at"]
    if followed:
        socket = again.joined(table.room, PEOPLE[seat])
        window = socket.document(table.room)["window"]
        assert (window["number"], window["closes_at"]) == (number, begun_at + length)
    await again.clock.goes_to(begun_at + length + GRACE_MS)
    assert expiries(again, table.room) == 0
    await again.clock.passes(1)
    assert expiries(again, table.room) == 1
    await again.closes()


async def test_a_node_keeps_one_alarm_a_room_whatever_befalls_it(node: Node) -> None:
    tables = [await node.plays() for _ in range(2)]
    for table in tables:
        for _ in range(3):
            node.actor(table.room)._holding.drop()  # as when the store fails
            node.actor(table.room).load_soon()
            await node.clock.passes(100)
        await table.moves(2)
        table.sockets[1].drops()
        await node.clock.passes(2_000)
    assert len(node.clock.alarms) == len(tables)
