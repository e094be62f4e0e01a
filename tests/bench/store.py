"""How many appends a second a store makes durable, and how long one takes, at 64 rooms.

Each room has one append in flight, as in the service. The yardstick of SQLite, with the same tables
and pragmas: one append, one COMMIT, one after another. That of Redis and Valkey, which run beside
this program and write to disk before they answer: one PING, there and back.
"""

import asyncio
import sqlite3
import tempfile
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter

from msgspec import Struct
from redis.asyncio import Redis

from saleroom_server.store.interface import Store
from saleroom_server.store.redis import RedisStore
from saleroom_server.store.redis_limits import RedisLimits
from saleroom_server.store.sqlite import SqliteStore
from saleroom_server.store.sqlite_schema import FILE, connect, prepare
from tests.support.redis_servers import KINDS, Kind, RedisServer

ROOMS = 64
APPENDS = 200  # of each room in a round
ALONE = 1_000  # appends, or pings, of a yardstick in a round
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
    """Measure all in turn, each in a directory of its own."""
    print(
        f"store: durable appends/s at {ROOMS} rooms (median, best of the rounds); p50, p99 of one"
    )
    works: dict[str, Callable[[Path], tuple[float, list[float]]]] = {
        "SQLite, in groups": _sqlite,
        "SQLite, one by one": _alone,
    }
    for kind in KINDS:
        works[f"{kind.capitalize()}, in groups"] = partial(_redis, kind)
        works[f"{kind.capitalize()}, pings"] = partial(_pings, kind)
    measured: dict[str, list[Round]] = {name: [] for name in works}
    with tempfile.TemporaryDirectory() as directory:
        for number in range(rounds + 1):
            for name, work in works.items():
                place = Path(directory) / str(number) / name
                measured[name].append(_round(partial(work, place)))
    for name, each in measured.items():
        _print(name, each[1:], _remark(name, measured))  # without the round to warm up


def _remark(name: str, measured: dict[str, list[Round]]) -> str:
    """Say what a measurement is beside its yardstick."""
    program, _, way = name.partition(", ")
    each = measured[name][1:]
    rate, slow = median(one.rate for one in each), median(one.slow_ms for one in each)
    if way == "pings":
        return "there and back"
    if program != "SQLite":
        middle = median(one.middle_ms for one in each)
        ping = median(one.middle_ms for one in measured[f"{program}, pings"][1:])
        return f"p50 {middle / ping:.0f} ×, p99 {slow / ping:.0f} × a ping"
    if way == "one by one":
        grouped = median(one.rate for one in measured["SQLite, in groups"][1:])
        return f"in groups {grouped / rate:.1f} × as many"
    reached = rate >= TARGET and slow <= TARGET_MS
    return f"target {TARGET:,}, p99 {TARGET_MS} ms: {_verdict(reached)}"


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


def _sqlite(directory: Path) -> tuple[float, list[float]]:
    return asyncio.run(_grouped(partial(SqliteStore.open, directory)))


def _redis(kind: Kind, directory: Path) -> tuple[float, list[float]]:
    limits = RedisLimits(settling_ms=0)
    with RedisServer(directory, kind) as server:
        opening = partial(RedisStore.open, server.url, node="bench", limits=limits)
        return asyncio.run(_grouped(opening))


def _pings(kind: Kind, directory: Path) -> tuple[float, list[float]]:
    async def ping() -> tuple[float, list[float]]:
        taken: list[float] = []
        async with Redis(unix_socket_path=str(server.path)) as client:
            for _ in range(ALONE):
                begun = perf_counter()
                await client.ping()
                taken.append(perf_counter() - begun)
        return sum(taken), taken

    with RedisServer(directory, kind) as server:
        return asyncio.run(ping())


async def _grouped(opening: Callable[[], Awaitable[Store]]) -> tuple[float, list[float]]:
    store = await opening()
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
