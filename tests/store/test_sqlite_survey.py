"""The rooms of a data directory are read beside its server, or without one."""

import asyncio
import sqlite3
from pathlib import Path

import pytest

from saleroom_server.store import sqlite_survey
from saleroom_server.store.interface import Head
from saleroom_server.store.sqlite import SqliteStore
from saleroom_server.store.sqlite_schema import FILE, NewerSchema
from saleroom_server.store.sqlite_survey import NoRooms, rooms
from tests.store.conformance import numbered


async def test_rooms_are_listed_page_by_page_while_a_server_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_survey, "PAGE", 2)
    store = await SqliteStore.open(tmp_path)
    for room in ("r3", "r2", "r1"):
        await store.create(room, numbered(1, 1), room.encode())
    reading = rooms(tmp_path)
    assert next(reading) == [Head("r3", b"r3"), Head("r2", b"r2")]
    await store.append("r1", 3, 2, numbered(2, 2), b"new")
    await store.create("r0", numbered(1, 1), b"r0")
    assert [*reading] == [[Head("r1", b"new"), Head("r0", b"r0")]]
    await store.close()


def test_so_are_those_of_a_server_that_has_ended_and_no_file_is_left(tmp_path: Path) -> None:
    async def serve() -> None:
        store = await SqliteStore.open(tmp_path)
        await store.create("r", numbered(1, 1), b"head")
        await store.close()

    asyncio.run(serve())
    before = sorted(tmp_path.iterdir())
    assert [*rooms(tmp_path)] == [[Head("r", b"head")]]
    assert sorted(tmp_path.iterdir()) == before


def test_what_is_no_store_is_said_to_be_none(tmp_path: Path) -> None:
    with pytest.raises(NoRooms, match="there is no store in"):
        next(rooms(tmp_path))
    sqlite3.connect(tmp_path / FILE).close()
    (tmp_path / FILE).touch()
    with pytest.raises(NoRooms, match="no store of Saleroom's"):
        next(rooms(tmp_path))
    (tmp_path / FILE).write_bytes(b"neither" * 1_000)
    with pytest.raises(NoRooms, match="not a database"):
        next(rooms(tmp_path))


def test_one_of_a_newer_program_is_not_guessed_at(tmp_path: Path) -> None:
    database = sqlite3.connect(tmp_path / FILE)
    database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(NewerSchema):
        next(rooms(tmp_path))
