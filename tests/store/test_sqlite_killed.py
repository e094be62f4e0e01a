"""SQLite survives kill -9: what was acknowledged is there, in order and without a gap."""

import asyncio
import subprocess
import sys
from pathlib import Path

from saleroom_server.store.sqlite import SqliteStore
from tests.store.appender import ROOMS, body
from tests.store.conformance import heads, journal

REPOSITORY = Path(__file__).parents[2]


def test_what_was_acknowledged_survives_kill_9(tmp_path: Path) -> None:
    acknowledged = dict.fromkeys(ROOMS, 0)
    for killed in range(1, 4):
        for room, entry in _appended_until_killed(tmp_path, 500):
            assert entry > acknowledged[room]
            acknowledged[room] = entry
        kept = asyncio.run(_kept(tmp_path))
        for room in ROOMS:
            assert len(kept[room]) >= acknowledged[room] >= killed
            assert list(kept[room]) == [body(room, n) for n in range(1, len(kept[room]) + 1)]


def _appended_until_killed(directory: Path, lines: int) -> list[tuple[str, int]]:
    command = [sys.executable, "-m", "tests.store.appender", str(directory)]
    with subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        told = [child.stdout.readline() for _ in range(lines)]
        child.kill()
        told += child.stdout.readlines()  # what it had told before it died
    whole = [line.split() for line in told if line.endswith("\n")]
    return [(room, int(entry)) for room, entry in whole]


async def _kept(directory: Path) -> dict[str, tuple[bytes, ...]]:
    store = await SqliteStore.open(directory)
    told = await heads(store)
    kept = {room: await journal(store, room) for room in ROOMS}
    assert told == {room: b"%d" % len(entries) for room, entries in kept.items()}
    await store.close()
    return kept


async def test_a_dead_process_no_longer_holds_the_directory(tmp_path: Path) -> None:
    await asyncio.to_thread(_appended_until_killed, tmp_path, 10)
    store = await SqliteStore.open(tmp_path)
    assert await heads(store)
    await store.close()
