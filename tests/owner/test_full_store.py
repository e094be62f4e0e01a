"""A store that is full: rooms stand still, nothing is lost, nothing is told that is not kept."""

import logging

import pytest

from saleroom_server.http.readiness import DOES_NOT_WRITE, Readiness
from saleroom_server.owner.surroundings import OwnerLimits
from tests.support.nodes import Node, Table, entries_of

RETRY_MS = OwnerLimits().retry_ms
PATIENCE_MS = OwnerLimits().patience_ms
WHILE_MS = 10 * 60_000  # as long as it takes to find somebody who makes room


def readiness(node: Node) -> Readiness:
    return Readiness({DOES_NOT_WRITE: node.store.probe}, node.clock, lambda: False, kept_ms=0)


def told(table: Table) -> list[int]:
    """Count what each player was told of the game."""
    return [len(socket.told("view", "update")) for socket in table.sockets]


async def test_rooms_stand_still_and_go_on_by_themselves(
    node: Node, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "saleroom.store")
    table, asked = await node.plays(), readiness(node)
    await table.moves(3)
    before, kept = told(table), [*entries_of(node.store.kept, table.room)]
    window, length = table.window["number"], table.window["closes_at"] - node.clock.now()
    assert not await asked.why_not()

    node.store.full = True
    acting, request = table.acts()
    await node.clock.passes(PATIENCE_MS - RETRY_MS)
    assert not acting.is_answered(request)
    assert await asked.why_not() == DOES_NOT_WRITE
    await node.clock.passes(2 * RETRY_MS)
    assert acting.refusal(request)[0] == "unavailable"
    await node.clock.passes(WHILE_MS)
    assert told(table) == before, "nothing is told that is not kept"
    assert [*entries_of(node.store.kept, table.room)] == kept, "and no window has run out"

    node.store.full = False
    await node.clock.passes(PATIENCE_MS + RETRY_MS)
    assert not await asked.why_not()
    for socket, number in zip(table.sockets, before, strict=True):
        view, restarted = socket.told("view", "update")[number : number + 2]
        assert [event["event"] for event in restarted["events"]] == ["clock_restarted"]
        assert view["document"]["window"]["number"] == window
    assert table.window["closes_at"] - table.window["opened_at"] == length
    assert caplog.messages == ["store_failed", "store_works_again"]

    again = acting.repeats(request)
    await node.clock.passes(0)
    assert acting.answer(again)["type"] == "accepted"
    await table.moves(3)
    assert [*entries_of(node.store.kept, table.room)] == [*kept, *["acted"] * 4]


async def test_what_was_accepted_before_is_there_after_a_crash_in_the_middle() -> None:
    node = await Node().opens()
    table = await node.plays()
    await table.moves(5)
    document = table.document
    node.store.full = True
    table.acts()
    await node.clock.passes(WHILE_MS)
    node.store.full = False
    again = Node(await node.crashes(), node.clock)
    await again.opens()
    await again.clock.passes(100)
    watching = again.joined(table.room, as_="spectator")
    assert watching.document(table.room)["table"] == document["table"]
    await again.closes()
