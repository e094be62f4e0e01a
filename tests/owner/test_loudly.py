"""A room that fails does so loudly: everybody in it is told, and whoever keeps the server too."""

import logging
from typing import Any

import pytest

from saleroom_rules.games import GAMES
from tests.support.hand_clock import quiet
from tests.support.nodes import Node, Table


def raising(*_: Any, **__: Any) -> Any:
    raise ZeroDivisionError


async def default_raises(table: Table, patched: pytest.MonkeyPatch) -> None:
    patched.setattr(GAMES["kunstmarkt"], "default", raising)
    await table.node.clock.goes_to(table.window["closes_at"] + 251)


async def replay_raises(table: Table, patched: pytest.MonkeyPatch) -> None:
    await table.moves(2)
    with patched.context() as broken:
        broken.setattr(GAMES["kunstmarkt"], "apply", raising)
        table.node.actor(table.room)._holding.drop()
        table.node.actor(table.room).load_soon()
        await quiet()


@pytest.mark.parametrize("fails", [default_raises, replay_raises])
async def test_a_room_that_fails_says_so_to_everybody_and_in_the_log(
    node: Node, fails: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    table, other = await node.plays(), await node.plays(game="toy")
    watcher = node.joined(table.room, as_="spectator")
    await fails(table, monkeypatch)
    for socket in (*table.sockets, watcher):
        assert socket.document(table.room)["status"] == "failed"
    errors = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert errors
    assert {record.__dict__["room"] for record in errors} == {table.room}, "it says which"
    assert other.document["status"] == "running"
    await other.moves(1)
