"""What is SQLite's own: how it groups, fails and forgets."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from saleroom_server.store.interface import Answer, Owned, Unavailable
from saleroom_server.store.sqlite import Limits, SqliteStore
from saleroom_server.store.sqlite_schema import FILE
from tests.store.conformance import FAR, answer, heads, journal, numbered
from tests.store.disk import Disk, rows


async def _append(
    store: SqliteStore,
    room: str,
    fence: int,
    entry: int,
    head: bytes | None = None,
    given: Answer | None = None,
) -> None:
    """Append as a coroutine: among others in `gather`, all ask in one turn, so in one batch."""
    await store.append(room, fence, entry, numbered(entry, entry), head, given)


@pytest.fixture
def disk() -> Disk:
    return Disk()


@pytest.fixture
async def store(tmp_path: Path, disk: Disk) -> AsyncIterator[SqliteStore]:
    opened = await SqliteStore.open(tmp_path / "data", connection=disk.connection())
    yield opened
    await opened.close()


# Groups.


async def test_appends_of_many_rooms_share_a_transaction(store: SqliteStore, disk: Disk) -> None:
    rooms = [f"room{number}" for number in range(50)]
    fences = await asyncio.gather(*(store.create(room, numbered(1, 1), b"") for room in rooms))
    disk.commits = 0

    async def play(room: str, fence: int) -> None:
        for entry in range(2, 12):
            await store.append(room, fence, entry, numbered(entry, entry))

    await asyncio.gather(*map(play, rooms, fences))
    assert disk.commits == 10  # of 500 appends


async def test_what_comes_while_a_batch_is_committed_is_the_next_batch(
    store: SqliteStore, disk: Disk
) -> None:
    fence = await store.create("r", numbered(1, 1), b"")
    disk.commits = 0
    asked = [store.append("r", fence, 2, numbered(2, 2))]
    async with disk.stuck():
        for entry in range(3, 12):
            asked.append(store.append("r", fence, entry, numbered(entry, entry)))
            await store.heads()  # so each is asked for in another turn of the loop
    await asyncio.gather(*asked)
    assert disk.commits == 2


async def test_what_is_read_waits_for_no_commit_and_shows_nothing_before_it(
    store: SqliteStore, disk: Disk
) -> None:
    fence = await store.create("r", numbered(1, 1), b"before")
    asked = store.append("r", fence, 2, numbered(2, 2), b"after", answer())
    async with disk.stuck():
        assert await heads(store) == {"r": b"before"}
        assert await store.recall("p1", "key", 0) is None
        assert not asked.done()
    await asked
    assert await heads(store) == {"r": b"after"}
    assert await store.recall("p1", "key", 0) == answer()


async def test_a_commit_waits_for_the_disk(store: SqliteStore, disk: Disk) -> None:
    await store.probe()
    for connection in disk.connections:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL


async def test_a_batch_that_is_full_takes_no_more(tmp_path: Path, disk: Disk) -> None:
    store = await SqliteStore.open(
        tmp_path, connection=disk.connection(), limits=Limits(batch_calls=1)
    )
    fence = await store.create("r", numbered(1, 1), b"")
    disk.commits = 0
    for entry in range(2, 10):
        await store.append("r", fence, entry, numbered(entry, entry))
    assert disk.commits == 8
    await store.close()


# Failures.


@pytest.mark.parametrize("statement", ["BEGIN", "UPDATE counters", "COMMIT"])
async def test_when_a_statement_fails_the_batch_is_unavailable_and_the_next_is_not(
    store: SqliteStore, disk: Disk, statement: str
) -> None:
    fences = [await store.create(room, numbered(1, 1), b"before") for room in ("r", "s")]
    disk.fails_at = statement
    results = await asyncio.gather(
        _append(store, "r", fences[0], 2, b"after", answer()),
        _append(store, "s", fences[1], 7),
        store.create("t", numbered(1, 1), b""),
        store.acquire("r"),
        store.secret("tokens", b"lost"),
        return_exceptions=True,
    )
    assert [type(result) for result in results] == [Unavailable] * 5
    assert "disk I/O error" in str(results[0])
    with pytest.raises(Unavailable):
        await store.probe()
    disk.fails_at = ""
    await store.probe()
    assert await heads(store) == {"r": b"before", "s": b"before"}
    assert await store.recall("p1", "key", 0) is None
    assert await store.secret("tokens", b"kept") == b"kept"
    await store.append("r", fences[0], 2, [b"again"])  # its token was not taken after all
    assert await journal(store, "r") == (b"1", b"again")


async def test_while_nothing_can_be_read_again_every_batch_is_unavailable(
    store: SqliteStore, disk: Disk
) -> None:
    fence = await store.create("r", numbered(1, 1), b"")
    disk.fails_at = "COMMIT"
    with pytest.raises(Unavailable):
        await store.append("r", fence, 2, numbered(2, 2))
    disk.fails_at = "PRAGMA journal_mode"
    with pytest.raises(Unavailable):
        await store.append("r", fence, 2, numbered(2, 2))
    disk.fails_at = ""
    await store.append("r", fence, 2, numbered(2, 2))


async def test_a_failed_read_is_unavailable_and_the_next_is_not(
    store: SqliteStore, disk: Disk
) -> None:
    disk.fails_at = "SELECT room, head"
    with pytest.raises(Unavailable):
        await store.heads()
    disk.fails_at = ""
    assert await store.heads() == []


async def test_a_full_disk_is_unavailable_until_there_is_room_again(
    store: SqliteStore, disk: Disk
) -> None:
    fence = await store.create("r", numbered(1, 1), b"before")
    disk.fill()
    big = b"x" * 100_000
    for _ in range(2):
        with pytest.raises(Unavailable, match="full"):
            await store.append("r", fence, 2, [big], b"after")
    assert await heads(store) == {"r": b"before"}
    disk.clear()
    await store.append("r", fence, 2, [big], b"after")
    assert await journal(store, "r") == (b"1", big)
    assert await heads(store) == {"r": b"after"}


async def test_what_cannot_be_bound_fails_its_batch_and_no_other(store: SqliteStore) -> None:
    with pytest.raises(Unavailable):
        await store.remember(answer(until=1 << 70))
    await store.remember(answer())
    assert await store.recall("p1", "key", 0) == answer()


async def test_a_takeover_gets_the_entries_there_were_at_its_moment(store: SqliteStore) -> None:
    await store.create("r", numbered(1, 1), b"")
    # Tokens are counted, so what the next owners will get is known before they get it.
    first, second, _ = await asyncio.gather(
        store.acquire("r"), store.acquire("r"), _append(store, "r", 3, 2)
    )
    assert (first, second) == (Owned(2, (b"1",)), Owned(3, (b"1",)))
    assert await journal(store, "r") == (b"1", b"2")


async def test_a_room_forgotten_while_it_is_being_taken_over_is_gone(store: SqliteStore) -> None:
    await store.create("r", numbered(1, 3), b"")
    taken, forgotten = await asyncio.gather(store.acquire("r"), store.forget("r", 2))
    assert taken is forgotten is None


async def test_what_is_missing_of_a_journal_is_for_whoever_reads_it_to_notice(
    store: SqliteStore, tmp_path: Path
) -> None:
    await store.create("r", numbered(1, 3), b"")
    with sqlite3.connect(tmp_path / "data" / FILE) as database:
        database.execute("DELETE FROM journal WHERE entry = 2")
    database.close()
    assert await journal(store, "r") == (b"1", b"3"), "a room does not vanish for it"


async def test_a_room_forgotten_in_one_batch_with_an_append_leaves_no_entry_behind(
    store: SqliteStore, tmp_path: Path
) -> None:
    fence = await store.create("r", numbered(1, 1), b"")
    await asyncio.gather(_append(store, "r", fence, 2, b"head"), store.forget("r", fence))
    assert rows(tmp_path / "data" / FILE, "SELECT * FROM journal") == []


# Answers grow old.


async def test_an_answer_makes_way_also_before_it_is_deleted(tmp_path: Path) -> None:
    now = 1_000
    store = await SqliteStore.open(tmp_path, clock=lambda: now)
    await store.remember(answer(b"old", until=1_100))
    now = 1_099
    await store.remember(answer(b"too early"))
    assert await store.recall("p1", "key", now) == answer(b"old", until=1_100)
    now = 1_100
    await store.remember(answer(b"new"))
    assert await store.recall("p1", "key", now) == answer(b"new")
    await store.close()


async def test_answers_whose_time_is_over_are_deleted_now_and_then(tmp_path: Path) -> None:
    now = 1_000
    limits = Limits(prune_every_ms=500, prune_rows=2)
    store = await SqliteStore.open(tmp_path, clock=lambda: now, limits=limits)

    async def left_after(key: str) -> int:
        await store.remember(answer(key=key, until=FAR))
        ((count,),) = rows(tmp_path / FILE, "SELECT count(*) FROM answers WHERE until < 9000")
        assert isinstance(count, int)
        return count

    await store.remember(answer(key="first"))
    for number in range(3):
        await store.remember(answer(key=f"old{number}", until=1_100))
    now = 1_499
    assert await left_after("a") == 3
    now = 1_500
    assert await left_after("b") == 1
    assert await left_after("c") == 0  # two at once did not do: again without waiting
    await store.remember(answer(key="old", until=1_600))
    now = 1_999
    assert await left_after("d") == 1
    await store.close()
