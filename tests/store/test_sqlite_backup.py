"""Copies of a database: of one moment, whole or not at all, nobody else's to read."""

import asyncio
import shutil
import sqlite3
import stat
from pathlib import Path

import pytest

from saleroom_server.store.backup import back_up, forget_token_key, restore
from saleroom_server.store.copying import BackupFault
from saleroom_server.store.sqlite import SqliteStore
from saleroom_server.store.sqlite_lock import DirectoryInUse
from saleroom_server.store.sqlite_schema import FILE, STEPS, NewerSchema
from tests.store.conformance import heads, journal, numbered
from tests.store.disk import rows

LARGE = 200_000  # bytes of an entry: so that a copy takes many steps


def silently(done: int, whole: int | None) -> None:
    """Report to nobody."""


async def written(directory: Path, entries: int = 3) -> None:
    """Make a store with one room in it, and close it."""
    store = await SqliteStore.open(directory)
    await store.create("r", numbered(1, entries), b"head")
    await store.secret("token", b"key")
    await store.close()


@pytest.fixture
async def data(tmp_path: Path) -> Path:
    await written(tmp_path / "data")
    return tmp_path / "data"


async def test_what_is_restored_is_what_was_backed_up(data: Path, tmp_path: Path) -> None:
    back_up(data, tmp_path / "backup", silently)
    restore(tmp_path / "backup", tmp_path / "new" / "data", silently)
    store = await SqliteStore.open(tmp_path / "new" / "data")
    assert await heads(store) == {"r": b"head"}
    assert await journal(store, "r") == (b"1", b"2", b"3")
    assert await store.secret("token", b"another") == b"key"
    await store.close()


async def test_a_backup_is_of_one_moment_though_the_store_writes_on(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "data")
    bodies = [b"x" * LARGE] * 100
    fences = [await store.create(room, bodies, b"1") for room in ("a", "b")]
    loop, reports = asyncio.get_running_loop(), []

    async def both_go_on(entry: int) -> None:
        appends = [
            store.append(room, fence, entry, [b"y"], b"%d" % entry)
            for room, fence in zip(("a", "b"), fences, strict=True)
        ]
        await asyncio.gather(*appends)

    def report(done: int, pages: int | None) -> None:
        reports.append((done, pages))
        entry = 100 + len(reports)
        asyncio.run_coroutine_threadsafe(both_go_on(entry), loop).result()

    await asyncio.to_thread(back_up, tmp_path / "data", tmp_path / "backup", report)
    await store.close()
    assert len(reports) > 3, "it takes steps, and the store wrote between them"
    assert [done for done, _ in reports] == sorted({done for done, _ in reports})
    assert reports[-1][0] == reports[-1][1]
    restore(tmp_path / "backup", tmp_path / "new", silently)
    store = await SqliteStore.open(tmp_path / "new")
    assert await heads(store) == {"a": b"1", "b": b"1"}
    assert [len(await journal(store, room)) for room in ("a", "b")] == [100, 100]
    await store.close()


def test_only_the_owner_can_read_a_backup_and_what_is_restored(data: Path, tmp_path: Path) -> None:
    (tmp_path / "new").mkdir(mode=0o755)
    back_up(data, tmp_path / "backup", silently)
    restore(tmp_path / "backup", tmp_path / "new", silently)
    found = (tmp_path / "backup", tmp_path / "new" / FILE, tmp_path / "new")
    modes = [stat.S_IMODE(path.stat().st_mode) for path in found]
    assert modes == [0o600, 0o600, 0o700]


def test_a_backup_is_one_file(data: Path, tmp_path: Path) -> None:
    back_up(data, tmp_path / "backup", silently)
    assert {path.name for path in tmp_path.iterdir()} == {"data", "backup"}
    assert rows(tmp_path / "backup", "PRAGMA journal_mode") == [("delete",)]


def test_what_was_not_yet_in_the_database_itself_is_in_the_backup(
    data: Path, tmp_path: Path
) -> None:
    killed = tmp_path / "killed"
    writing = sqlite3.connect(data / FILE)
    writing.execute("UPDATE rooms SET head = 'late'")
    writing.commit()
    shutil.copytree(data, killed)  # with the write-ahead log, as a power cut leaves it
    writing.close()
    back_up(killed, tmp_path / "backup", silently)
    assert rows(tmp_path / "backup", "SELECT head FROM rooms") == [("late",)]


def test_a_file_that_is_there_stays_as_it_is(data: Path, tmp_path: Path) -> None:
    (tmp_path / "backup").write_text("of yesterday")
    with pytest.raises(FileExistsError, match="backup"):
        back_up(data, tmp_path / "backup", silently)
    assert (tmp_path / "backup").read_text() == "of yesterday"


def test_of_nothing_there_is_no_backup(tmp_path: Path) -> None:
    with pytest.raises(BackupFault, match=f"^there is no store in {tmp_path}$"):
        back_up(tmp_path, tmp_path / "backup", silently)
    assert [*tmp_path.iterdir()] == []


def test_a_copy_that_was_broken_off_leaves_nothing(data: Path, tmp_path: Path) -> None:
    def interrupted(done: int, pages: int | None) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        back_up(data, tmp_path / "backup", interrupted)
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


# What is no backup.


def spoilt(data: Path, backup: Path, *, version: int | None = None) -> Path:
    back_up(data, backup, silently)
    if version is not None:
        rows(backup, f"PRAGMA user_version = {version}")
    return backup


async def test_a_damaged_backup_is_refused_and_leaves_the_directory_empty(tmp_path: Path) -> None:
    await written(tmp_path / "data", 2_000)
    backup = spoilt(tmp_path / "data", tmp_path / "backup")
    whole = backup.read_bytes()
    for damaged in (whole[: len(whole) // 2], whole[:8_000] + bytes(30_000) + whole[38_000:]):
        backup.write_bytes(damaged)
        with pytest.raises(BackupFault, match=str(backup)):
            restore(backup, tmp_path / "new", silently)
        assert [path.name for path in (tmp_path / "new").iterdir()] == ["lock"]
    backup.write_bytes(whole)
    restore(backup, tmp_path / "new", silently)


def test_a_backup_by_a_newer_version_is_refused(data: Path, tmp_path: Path) -> None:
    backup = spoilt(data, tmp_path / "backup", version=len(STEPS) + 1)
    with pytest.raises(NewerSchema):
        restore(backup, tmp_path / "new", silently)


@pytest.mark.parametrize("content", [b"", b"no database at all " * 300])
def test_a_file_that_is_something_else_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "backup").write_bytes(content)
    with pytest.raises(BackupFault, match=r"is no store of Saleroom's|is not a database"):
        restore(tmp_path / "backup", tmp_path / "new", silently)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BackupFault, match=f"^there is no file {tmp_path / 'backup'}$"):
        restore(tmp_path / "backup", tmp_path / "new", silently)


# Where nothing is restored.


async def test_a_directory_in_use_is_left_alone(data: Path, tmp_path: Path) -> None:
    back_up(data, tmp_path / "backup", silently)
    store = await SqliteStore.open(data)
    with pytest.raises(DirectoryInUse):
        restore(tmp_path / "backup", data, silently)
    with pytest.raises(DirectoryInUse):
        forget_token_key(data)
    await store.probe()
    await store.close()


def test_a_directory_with_a_store_is_left_alone(data: Path, tmp_path: Path) -> None:
    back_up(data, tmp_path / "backup", silently)
    before = (data / FILE).read_bytes()
    with pytest.raises(BackupFault, match=f"^{data} is not empty: "):
        restore(tmp_path / "backup", data, silently)
    assert (data / FILE).read_bytes() == before


def test_somebody_elses_directory_is_left_alone(data: Path, tmp_path: Path) -> None:
    back_up(data, tmp_path / "backup", silently)
    with pytest.raises(BackupFault, match=f"^{tmp_path} is not empty: "):
        restore(tmp_path / "backup", tmp_path, silently)
    assert {path.name for path in tmp_path.iterdir()} == {"data", "backup"}


# The key of the tokens.


async def test_a_forgotten_key_is_gone_and_nothing_else_is(data: Path) -> None:
    forget_token_key(data)
    store = await SqliteStore.open(data)
    assert await store.secret("token", b"another") == b"another"
    assert await heads(store) == {"r": b"head"}
    await store.close()


def test_without_a_store_there_is_no_key(tmp_path: Path) -> None:
    with pytest.raises(BackupFault, match="there is no store"):
        forget_token_key(tmp_path)
