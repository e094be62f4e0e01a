"""Advice beside play: whatever becomes of it, a room plays the default and no other room waits."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from saleroom_server.owner.advisers import AdviceLimits
from saleroom_server.rooms.journal import decode
from tests.support.advising import HandAdviser
from tests.support.games import TOY
from tests.support.hand_clock import quiet
from tests.support.logged import complaints
from tests.support.nodes import Node, Table, entries_of
from tests.support.samples import samples
from tests.support.toy.game import Puzzle
from tests.support.toy.room import BID, INSIST
from tests.support.toy.words import Place

ADVISED, DEFAULT = {"a": 3, "b": 4}, {"a": 1, "b": 2}
LIMITS = AdviceLimits()


@pytest.fixture
def adviser() -> HandAdviser:
    return HandAdviser()


@pytest.fixture
async def node(adviser: HandAdviser) -> AsyncIterator[Node]:
    opened = await Node(adviser=adviser, advice=AdviceLimits(waiting=2)).opens()
    yield opened
    adviser.goes_on()
    await opened.closes()


async def placing(node: Node) -> Table:
    """Begin a game in which seat 0 is asked for something that is worth a search."""
    table = await node.plays(game="toy")
    for action in (BID, BID, BID, INSIST):
        table.acts(action=action)
        await quiet()
    assert table.window["kind"] == "place"
    return table


async def played(node: Node, table: Table) -> dict[str, int]:
    """Let the window run out; return what was played for the one seat that was asked."""
    await node.clock.goes_to(table.window["closes_at"] + 251)
    entry: Any = decode(node.store.kept.rooms[table.room].entries[-1]).entry
    (answer,) = entry.answers.values()
    spaces: dict[str, int] = answer["spaces"]
    return spaces


def outcomes(node: Node) -> dict[str, float]:
    read = samples(node.metrics.registry)
    return {
        outcome: read.value("advice_total", game="toy", outcome=outcome)
        for outcome in sorted(read.labels("advice_total", "outcome"))
    }


async def test_what_is_advised_while_the_window_is_open_is_played(node: Node) -> None:
    table = await placing(node)
    assert await played(node, table) == ADVISED
    assert await played(node, table) == ADVISED, "seat 1, in the next window"
    assert outcomes(node) == {"given": 2}
    assert samples(node.metrics.registry).value("advice_seconds_count") == 2


async def test_a_process_is_started_for_the_first_question_and_kept(
    node: Node, adviser: HandAdviser
) -> None:
    table = await node.plays(game="toy")
    assert adviser.starts == 0
    for action in (BID, BID, BID, INSIST):
        table.acts(action=action)
        await quiet()
    await played(node, table)
    assert (adviser.starts, adviser.asked) == (1, 2)


async def test_what_comes_after_the_window_is_not_played(node: Node, adviser: HandAdviser) -> None:
    adviser.holds()
    table = await placing(node)
    table.acts()
    await quiet()
    adviser.goes_on()
    assert await played(node, table) == ADVISED, "seat 1 was asked for in its turn"
    assert outcomes(node) == {"given": 1, "too_late": 1}


async def test_what_nobody_wants_any_more_is_passed_over(node: Node, adviser: HandAdviser) -> None:
    adviser.holds()
    await placing(node)
    second = await placing(node)
    second.acts()
    await quiet()
    adviser.goes_on()
    await quiet()
    assert adviser.asked == 2
    assert outcomes(node) == {"given": 2, "too_late": 1}


async def test_a_process_that_takes_too_long_is_killed_and_the_default_played(
    node: Node, adviser: HandAdviser
) -> None:
    adviser.holds()
    with complaints() as said:
        table = await placing(node)
        await node.clock.passes(LIMITS.answer_ms)
    assert [line for line in said if "adviser_stuck" in line] == said != []
    assert outcomes(node) == {"lost": 1}
    assert await played(node, table) == DEFAULT
    assert await played(node, table) == ADVISED, "another process was started"


async def test_a_process_that_has_ended_is_started_again_after_a_while(
    node: Node, adviser: HandAdviser
) -> None:
    adviser.spare = False
    first = await placing(node)
    second = await placing(node)
    adviser.spare = True
    await node.clock.passes(LIMITS.restart_ms - 1)
    assert (adviser.starts, outcomes(node)) == (1, {"lost": 1})
    assert await played(node, first) == DEFAULT
    assert await played(node, second) == ADVISED


async def test_the_oftener_a_process_ends_the_later_there_is_another_one(
    node: Node, adviser: HandAdviser
) -> None:
    adviser.spare = False
    await placing(node)
    for starts, ms in ((1, LIMITS.restart_ms), (2, 2 * LIMITS.restart_ms)):
        await placing(node)
        await node.clock.passes(ms - 1)
        assert adviser.starts == starts
        await node.clock.passes(1)
    adviser.spare = True
    await node.clock.passes(4 * LIMITS.restart_ms)
    assert await played(node, await placing(node)) == ADVISED


async def test_what_could_not_be_played_is_a_fault_and_no_advice(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    def advise(_: Any, __: Puzzle) -> Place:
        return Place({"a": 5, "b": 5})

    monkeypatch.setattr(type(TOY), "advise", advise)
    with complaints() as said:
        table = await placing(node)
    assert any("advice_fault" in line for line in said)
    assert await played(node, table) == DEFAULT
    assert {*outcomes(node)} == {"failed"}


async def test_more_than_may_wait_is_not_taken_on(node: Node, adviser: HandAdviser) -> None:
    adviser.holds()
    tables = [await placing(node) for _ in range(4)]  # one is solved, two wait
    assert outcomes(node) == {"refused": 1}
    adviser.goes_on()
    assert await played(node, tables[3]) == DEFAULT
    assert outcomes(node)["given"] >= 3


async def test_without_processes_every_room_goes_by_its_defaults() -> None:
    node = await Node().opens()
    table = await placing(node)
    assert await played(node, table) == DEFAULT
    assert outcomes(node) == {"refused": 2}
    await node.closes()


async def test_while_a_process_is_stuck_other_rooms_play_on(
    node: Node, adviser: HandAdviser
) -> None:
    adviser.holds()
    await placing(node)
    other = await node.plays(game="toy")
    await other.moves(4)
    assert [*entries_of(node.store.kept, other.room)][-4:] == ["acted"] * 4
    assert outcomes(node) == {}, "it is stuck still"


@pytest.mark.parametrize("method", ["advise", "puzzle"])
async def test_a_fault_is_logged_without_what_it_says_and_the_default_played(
    node: Node, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    def raising(*_: Any) -> Any:
        raise KeyError("n03")

    with complaints() as said:
        table = await placing(node)
        monkeypatch.setattr(type(TOY), method, raising)
        table.acts()
        await quiet()
    monkeypatch.undo()
    assert any("advice_fault" in line for line in said)
    assert await played(node, table) == DEFAULT


async def test_of_a_fault_elsewhere_its_kind_and_place_are_told(
    node: Node, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(type(TOY), "puzzle", lambda *_: Puzzle({}))  # no such shelf
    await placing(node)
    records = [one for one in caplog.records if one.name == "saleroom.rooms"]
    told = {(one.message, one.__dict__["problem"][:34]) for one in records}
    assert told == {("advice_fault", "KeyError at tests.support.toy.game")}
    assert "failed" in outcomes(node)


async def test_what_cannot_be_sent_is_a_fault_like_any_other(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(TOY), "puzzle", lambda *_: lambda: None)
    with complaints() as said:
        table = await placing(node)
    assert any("advice_fault" in line for line in said)
    monkeypatch.undo()
    assert await played(node, table) == DEFAULT


async def test_a_server_ends_in_the_middle_of_advice(adviser: HandAdviser) -> None:
    adviser.holds()
    node = await Node(adviser=adviser).opens()
    await placing(node)
    await placing(node)
    await node.closes()
    assert not adviser.runs
    assert outcomes(node) == {}
