"""SQLite's directory: who may read it, one process at a time, which versions it takes."""

import asyncio
import os
import sqlite3
import stat
from pathlib import Path

import pytest

from saleroom_server.store import sqlite_schema
from saleroom_server.store.interface import Unavailable
from saleroom_server.store.sqlite import SqliteStore
from saleroom_server.store.sqlite_lock import DirectoryInUse
from saleroom_server.store.sqlite_schema import FILE, NewerSchema, prepare
from tests.store.conformance import journal, numbered
from tests.store.disk import rows


async def test_only_the_owner_can_read_what_is_kept(tmp_path: Path) -> None:
    directory = tmp_path / "new" / "data"
    store = await SqliteStore.open(directory)
    await store.create("r", numbered(1, 1), b"")
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in directory.iterdir()}
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert modes == dict.fromkeys((FILE, f"{FILE}-wal", f"{FILE}-shm", "lock"), 0o600)
    await store.close()


async def test_a_second_opening_fails_and_names_the_process_that_has_it(
    tmp_path: Path,
) -> None:
    (tmp_path / "lock").write_text("999999999\n")  # of one that died
    store = await SqliteStore.open(tmp_path)
    with pytest.raises(DirectoryInUse) as refused:
        await SqliteStore.open(tmp_path)
    assert f"directory {tmp_path} " in str(refused.value)
    assert f"process {os.getpid()}:" in str(refused.value)
    await store.create("r", numbered(1, 1), b"")  # the first is none the worse
    await store.close()
    again = await SqliteStore.open(tmp_path)
    assert await journal(again, "r") == (b"1",)
    await again.close()


async def test_a_directory_that_cannot_be_made_is_an_error_of_the_system(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file"):
        await SqliteStore.open(tmp_path / "file" / "data")


async def test_a_directory_that_was_taken_away_is_noticed(tmp_path: Path) -> None:
    directory = tmp_path / "data"
    store = await SqliteStore.open(directory)
    await store.probe()
    directory.rename(tmp_path / "elsewhere")
    with pytest.raises(Unavailable, match="is gone"):
        await store.probe()
    other = await SqliteStore.open(directory)
    with pytest.raises(Unavailable, match="is gone"):
        await store.probe()
    await other.probe()
    await store.close()
    await other.close()


async def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"no database " * 1_000)
    with pytest.raises(Unavailable, match="not a database"):
        await SqliteStore.open(tmp_path)
    assert (tmp_path / FILE).read_bytes() == b"no database " * 1_000


async def test_opening_that_is_cancelled_leaves_the_directory_free(tmp_path: Path) -> None:
    opening = asyncio.create_task(SqliteStore.open(tmp_path))
    await asyncio.sleep(0)
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening
    await (await SqliteStore.open(tmp_path)).close()


async def opened_and_closed(directory: Path) -> None:
    await (await SqliteStore.open(directory)).close()


def test_files_others_could_read_they_can_read_no_longer(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    tmp_path.chmod(0o700)
    for name in (FILE, f"{FILE}-wal"):
        (tmp_path / name).touch()
        (tmp_path / name).chmod(0o664)
    asyncio.run(opened_and_closed(tmp_path))
    assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o600}
    assert caplog.messages == []


def test_of_a_directory_that_is_open_to_others_the_operator_is_warned(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    tmp_path.chmod(0o755)
    asyncio.run(opened_and_closed(tmp_path))
    [record] = caplog.records
    told = (record.message, record.__dict__["data"], record.__dict__["mode"])
    assert told == ("directory_open_to_others", str(tmp_path), "755")
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755, "it may be more than ours"


# Versions.


async def test_a_newer_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    await (await SqliteStore.open(tmp_path)).close()
    known = len(sqlite_schema.STEPS)
    rows(tmp_path / FILE, f"PRAGMA user_version = {known + 4}")
    before = (tmp_path / FILE).read_bytes()
    with pytest.raises(NewerSchema) as refused:
        await SqliteStore.open(tmp_path)
    assert f"version {known + 4}," in str(refused.value)
    assert f"up to {known}:" in str(refused.value)
    assert (tmp_path / FILE).read_bytes() == before


def test_an_older_database_takes_the_steps_it_lacks(tmp_path: Path) -> None:
    path = tmp_path / FILE
    prepare(path, ("CREATE TABLE one (a); INSERT INTO one VALUES (1);",))
    prepare(path, ("never again", "ALTER TABLE one ADD COLUMN b DEFAULT 2", "CREATE TABLE two (c)"))
    assert rows(path, "PRAGMA user_version") == [(3,)]
    assert rows(path, "SELECT a, b FROM one") == [(1, 2)]


def test_a_step_is_taken_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / FILE
    prepare(path, ("CREATE TABLE one (a)",))
    with pytest.raises(sqlite3.OperationalError):
        prepare(path, ("never again", "CREATE TABLE two (b); INSERT INTO three VALUES (1);"))
    assert rows(path, "PRAGMA user_version") == [(1,)]
    assert rows(path, "SELECT name FROM sqlite_master") == [("one",)]
