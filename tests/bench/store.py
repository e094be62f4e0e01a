"""How many appends a second SQLite makes durable, and how long one takes, at 64 rooms.

Each room has one append in flight, as in the service. The yardstick, with the same tables and
pragmas: one append, one COMMIT, one after another.
"""

import asyncio
import sqlite3
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter

from msgspec import Struct

from saleroom_server.store.sqlite import SqliteStore
from saleroom_server.store.sqlite_schema import FILE, connect, prepare

ROOMS = 64
APPENDS = 200  # of each room in a round
ALONE = 1_000  # appends of the yardstick in a round
BODY = bytes(200)
HEAD = bytes(150)
HEAD_EVERY = 8  # appends
TARGET = 20_000  # appends a second
TARGET_MS = 10  # p99


class Round(Struct, frozen=True):
    """One round: how fast, and how long single appends took."""

    rate: float  # appends a second
    middle_ms: float
    slow_ms: float  # p99


def run(rounds: int) -> None:
    """Measure both in turn, each in a directory of its own."""
    print(
        f"store: durable appends/s at {ROOMS} rooms (median, best of the rounds); p50, p99 of one"
    )
    with tempfile.TemporaryDirectory() as directory:
        grouped: list[Round] = []
        alone: list[Round] = []
        for number in range(rounds + 1):
            place = Path(directory) / str(number)
            grouped.append(_round(partial(asyncio.run, _grouped(place / "grouped"))))
            alone.append(_round(partial(_alone, place / "alone")))
    grouped, alone = grouped[1:], alone[1:]  # without the round to warm up
    rate, slow = median(each.rate for each in grouped), median(each.slow_ms for each in grouped)
    reached = rate >= TARGET and slow <= TARGET_MS
    _print("in groups", grouped, f"target {TARGET:,}, p99 {TARGET_MS} ms: {_verdict(reached)}")
    _print("one by one", alone, f"in groups {rate / median(e.rate for e in alone):.1f} × as many")


def _verdict(reached: bool) -> str:
    return "met" if reached else "MISSED"


def _print(name: str, rounds: list[Round], remark: str) -> None:
    print(
        f"  {name:28} {median(each.rate for each in rounds):9,.0f}"
        f" {max(each.rate for each in rounds):9,.0f}   "
        f"{median(each.middle_ms for each in rounds):5.2f} ms"
        f" {median(each.slow_ms for each in rounds):6.2f} ms   {remark}"
    )


def _round(work: Callable[[], tuple[float, list[float]]]) -> Round:
    """Run a work that returns the seconds it took, and those of each append."""
    seconds, each = work()
    return Round(
        rate=len(each) / seconds,
        middle_ms=median(each) * 1_000,
        slow_ms=quantiles(each, n=100)[98] * 1_000,
    )


async def _grouped(directory: Path) -> tuple[float, list[float]]:
    store = await SqliteStore.open(directory)
    fences = [await store.create(str(room), [BODY], HEAD) for room in range(ROOMS)]
    taken: list[float] = []

    async def play(room: int) -> None:
        for entry in range(2, APPENDS + 2):
            begun = perf_counter()
            head = HEAD if (entry + room) % HEAD_EVERY == 0 else None
            await store.append(str(room), fences[room], entry, [BODY], head)
            taken.append(perf_counter() - begun)

    begun = perf_counter()
    await asyncio.gather(*map(play, range(ROOMS)))
    seconds = perf_counter() - begun
    await store.close()
    return seconds, taken


def _alone(directory: Path) -> tuple[float, list[float]]:
    directory.mkdir(parents=True)
    prepare(directory / FILE)
    database = connect(directory / FILE, busy_timeout_ms=0, connection=sqlite3.Connection)
    taken: list[float] = []
    for number in range(ALONE):
        begun = perf_counter()
        room, entry = number % ROOMS, number // ROOMS
        database.execute("BEGIN IMMEDIATE")
        database.execute("INSERT INTO journal VALUES (?, ?, ?)", (room, entry, BODY))
        if (entry + room) % HEAD_EVERY == 0:
            database.execute("UPDATE rooms SET head = ? WHERE number = ?", (HEAD, room))
        database.execute("COMMIT")
        taken.append(perf_counter() - begun)
    database.close()
    return sum(taken), taken
