"""Rooms by rules that are not played any more: they are closed, and their record is kept."""

import hashlib
import json

import pytest

from saleroom_protocol.errors import Reason
from saleroom_rules.games import GAMES
from saleroom_server.rooms.commands import Refusal
from tests.owner.lives import finished, restarted
from tests.support.hand_clock import quiet
from tests.support.nodes import PEOPLE, Node

KUNSTMARKT = GAMES["kunstmarkt"]


def retire(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(KUNSTMARKT), "edition", KUNSTMARKT.edition + 1)


async def test_an_unfinished_room_of_a_retired_edition_is_closed_and_keeps_its_record(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await node.plays()
    await table.moves(12)
    again = await (await restarted(node)).opens()
    retire(monkeypatch)
    late = again.greeted()
    late.joins(table.room, "spectator")
    await again.clock.passes(1_000)
    document = late.document(table.room)
    assert document["status"] == "closed"
    assert document["result"]["reason"] == "edition_retired"
    assert document["edition"] == KUNSTMARKT.edition - 1
    kept = again.store.kept.archive[table.room]
    *lines, closing = kept.record.splitlines(keepends=True)
    assert json.loads(closing)["outcome"] == {"reason": "edition_retired"}
    assert hashlib.sha256(b"".join(lines)).hexdigest() == document["result"]["digest"]
    assert sum(b'"acted"' in line for line in lines) == 12
    await again.closes()


async def test_a_waiting_room_of_a_retired_edition_is_closed_too(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = await node.makes()
    again = await (await restarted(node)).opens()
    retire(monkeypatch)
    room = await again.loaded(made.room)
    assert room.standing.status == "closed"
    assert room.summary().seats["0"].name == PEOPLE[0].name
    await quiet()
    await again.closes()


@pytest.mark.parametrize("damage", [(), (b"?",)])
async def test_a_room_of_a_game_that_is_not_played_here_stays_as_it_is_also_if_it_cannot_be_read(
    node: Node, monkeypatch: pytest.MonkeyPatch, damage: tuple[bytes, ...]
) -> None:
    made = await node.makes()
    node.store.kept.rooms[made.room].entries.extend(damage)
    entries = list(node.store.kept.rooms[made.room].entries)
    again = await (await restarted(node)).opens()
    monkeypatch.delitem(GAMES, "kunstmarkt")
    with pytest.raises(Refusal) as refused:
        await again.actor(made.room).loaded()
    assert refused.value.reason is Reason.UNKNOWN_ROOM
    assert again.store.kept.rooms[made.room].entries == entries
    await again.closes()


async def test_a_finished_room_of_a_retired_edition_keeps_its_journal_and_its_record(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = await finished(node)
    again = await (await restarted(node)).opens()
    retire(monkeypatch)
    with pytest.raises(Refusal) as refused:
        await again.actor(room).loaded()
    assert refused.value.reason is Reason.UNKNOWN_ROOM
    assert room in again.store.kept.rooms
    assert room in again.store.kept.archive
    await again.closes()
