"""Copies of what our own Valkey keeps: of one moment, whole or not at all, their owner's only."""

import asyncio
import os
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from saleroom_server.store import valkey_backup
from saleroom_server.store.backup import back_up, forget_token_key, restore
from saleroom_server.store.copying import BackupFault
from saleroom_server.store.directory import Kind, kind_of
from saleroom_server.store.redis import RedisStore
from saleroom_server.store.redis_limits import RedisLimits
from saleroom_server.store.sqlite_lock import FILE, DirectoryInUse
from saleroom_server.store.valkey import Valkey
from tests.store.conformance import heads, journal, numbered
from tests.store.test_sqlite_backup import silently

LIMITS = RedisLimits(settling_ms=0, lease_ms=100, renew_ms=30)
ENTRIES = 300
LARGE = 20_000  # bytes of an entry, so that a snapshot comes in many parts


@asynccontextmanager
async def opened(directory: Path) -> AsyncIterator[RedisStore]:
    """Open the store of a directory as a worker would, its Valkey being started before."""
    async with Valkey(directory) as valkey:
        store = await RedisStore.open(valkey.url, node="one", limits=LIMITS)
        try:
            yield store
        finally:
            await store.close()


async def write(directory: Path) -> None:
    async with opened(directory) as store:
        await store.create("r", numbered(1, 3), b"head")
        await store.secret("token", b"key")


async def key_of(directory: Path) -> bytes:
    async with opened(directory) as store:
        return await store.secret("token", b"another")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    asyncio.run(write(tmp_path / "data"))
    return tmp_path / "data"


def names_in(directory: Path) -> set[str]:
    return {path.name for path in directory.iterdir()}


def test_what_is_restored_is_what_was_backed_up_and_is_kept_from_then_on(
    data: Path, tmp_path: Path
) -> None:
    back_up(data, tmp_path / "backup", silently)
    assert names_in(tmp_path) == {"data", "backup"}
    assert stat.S_IMODE((tmp_path / "backup").stat().st_mode) == 0o600
    new = tmp_path / "new" / "data"
    restore(tmp_path / "backup", new, silently)
    assert (kind_of(new), names_in(new)) == (Kind.VALKEY, {FILE, Kind.VALKEY.value})
    assert [p for p in (new, *new.rglob("*")) if p.stat().st_mode & 0o077] == []

    async def look() -> None:
        async with opened(new) as store:
            assert await heads(store) == {"r": b"head"}
            assert await journal(store, "r") == (b"1", b"2", b"3")
            assert await store.secret("token", b"another") == b"key"
            await store.create("s", [b"1"], b"head")
        async with opened(new) as store:
            assert await journal(store, "s") == (b"1",)

    asyncio.run(look())


async def test_a_backup_is_of_one_moment_though_the_store_writes_on(tmp_path: Path) -> None:
    data = tmp_path / ("long" * 25) / "data"  # its socket is elsewhere
    async with opened(data) as store:
        fences = [await store.create(room, [b"1"], b"1") for room in ("a", "b")]
        await store.secret("token", b"key")
        copying = asyncio.create_task(
            asyncio.to_thread(back_up, data, tmp_path / "backup", silently)
        )
        entry = 1
        while not copying.done() or entry < ENTRIES:
            entry += 1
            body = os.urandom(LARGE)
            for room, fence in zip(("a", "b"), fences, strict=True):
                await store.append(room, fence, entry, [body], b"%d" % entry)
        await copying
    await asyncio.to_thread(restore, tmp_path / "backup", tmp_path / "new", silently)
    async with opened(tmp_path / "new") as store:
        found = await heads(store)
        journals = {room: await journal(store, room) for room in found}
    a, b = (len(journals[room]) for room in ("a", "b"))
    assert a - b in (0, 1), "the one is written before the other"
    assert a < entry
    assert {room: int(head) for room, head in found.items()} == {"a": a, "b": b}


def test_what_is_no_sound_backup_is_not_restored_and_leaves_nothing(
    data: Path, tmp_path: Path
) -> None:
    back_up(data, tmp_path / "backup", silently)
    whole = (tmp_path / "backup").read_bytes()
    middle = whole.index(b"key")
    for spoilt, says in (
        (whole[:-5], "is damaged: "),
        (whole[:middle] + b"kez" + whole[middle + 3 :], "is damaged: .*CRC error"),
    ):
        (tmp_path / "spoilt").write_bytes(spoilt)
        with pytest.raises(BackupFault, match=says):
            restore(tmp_path / "spoilt", tmp_path / "new", silently)
        assert not (tmp_path / "new").exists()


def test_a_snapshot_of_something_else_is_not_restored(tmp_path: Path) -> None:
    async def write_nothing() -> None:
        async with Valkey(tmp_path / "data"):
            pass

    asyncio.run(write_nothing())
    back_up(tmp_path / "data", tmp_path / "backup", silently)
    with pytest.raises(BackupFault, match=r"backup is no store of Saleroom's$"):
        restore(tmp_path / "backup", tmp_path / "new", silently)
    assert names_in(tmp_path / "new") == {FILE}


def test_nothing_is_replaced(data: Path, tmp_path: Path) -> None:
    back_up(data, tmp_path / "backup", silently)
    with pytest.raises(FileExistsError, match="backup"):
        back_up(data, tmp_path / "backup", silently)
    with pytest.raises(BackupFault, match="data is not empty: "):
        restore(tmp_path / "backup", data, silently)


def test_a_copy_that_was_broken_off_leaves_nothing(data: Path, tmp_path: Path) -> None:
    def interrupted(done: int, whole: int | None) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        back_up(data, tmp_path / "backup", interrupted)
    assert names_in(tmp_path) == {"data"}


@pytest.mark.parametrize(
    ("answers", "says"),
    [
        (b"-LOADING it reads\r\n", "^Valkey says -LOADING it reads$"),
        (b"+OK\r\n\n\n$17\r\n", r"^Valkey says \$17$"),
        (b"+OK\r\n$EOF:short\r\n", "says the end of"),
        (b"+OK\r\n$EOF:" + b"m" * 40 + b"\r\nREDIS0011", "hung up before"),
        (b"+OK\r\n", "hung up before"),
    ],
)
async def test_what_is_no_whole_snapshot_is_taken_for_none(
    answers: bytes, says: str, tmp_path: Path
) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked = await reader.readline()
        writer.write(b"+PONG\r\n" if asked == b"PING\r\n" else answers)
        writer.close()

    (tmp_path / "data" / Kind.VALKEY.value).mkdir(parents=True)
    socket = tmp_path / "data" / "valkey.sock"
    async with await asyncio.start_unix_server(answer, socket):
        with pytest.raises(BackupFault, match=says):
            await asyncio.to_thread(back_up, tmp_path / "data", tmp_path / "backup", silently)
    assert names_in(tmp_path) == {"data"}


async def test_of_a_valkey_that_says_nothing_nothing_is_waited_for_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(valkey_backup, "SILENCE_S", 0.3)
    await write(tmp_path / "data")
    async with Valkey(tmp_path / "data"):
        reader, writer = await asyncio.open_unix_connection(tmp_path / "data" / "valkey.sock")
        with pytest.raises(BackupFault, match=r"says nothing for 0.3 s"):
            await valkey_backup._line(reader)
        writer.close()


def test_with_a_new_key_no_other_is_there_and_nothing_else_is_gone(data: Path) -> None:
    forget_token_key(data)
    assert asyncio.run(key_of(data)) == b"another"

    async def rooms() -> dict[str, bytes]:
        async with opened(data) as store:
            return await heads(store)

    assert asyncio.run(rooms()) == {"r": b"head"}


async def test_the_key_of_a_server_that_runs_is_not_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await write(tmp_path / "data")
    monkeypatch.setattr("saleroom_server.store.valkey.FREED_MS", 0)
    async with opened(tmp_path / "data") as store:
        with pytest.raises(DirectoryInUse):
            await asyncio.to_thread(forget_token_key, tmp_path / "data")
        assert await store.secret("token", b"another") == b"key"


def test_of_nothing_there_is_no_backup(tmp_path: Path) -> None:
    with pytest.raises(BackupFault, match=f"^there is no store in {tmp_path}$"):
        back_up(tmp_path, tmp_path / "backup", silently)
    with pytest.raises(BackupFault, match=f"^there is no store in {tmp_path}$"):
        forget_token_key(tmp_path)
    assert names_in(tmp_path) == set()
