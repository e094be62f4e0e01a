"""What an accepted action costs the whole server, and how long it takes.

Tables of five and a spectator each, every one with a socket of its own: frames are read, rules
applied, entries made durable by SQLite, views compared, receipts and updates written. The yardstick
is what the sockets alone cost: as large a frame in, six frames out, and a receipt.
"""

import argparse
import tempfile
from pathlib import Path
from random import Random
from statistics import median, quantiles
import asyncio

from msgspec import Struct

from tests.bench.players import Seated
from tests.bench.processes import Goal, Share, cpu_of, environment, rest
from tests.bench.stock import Stock, Table
from tests.support.servers import ServerProcess

TARGET_US = 333  # of CPU, of the server's process
TARGET_MS = 20  # p99 at half load
SEATS = 5
ACTS_OF_A_TABLE = 30  # of a game that has more: all tables play to the end of a round
ENVIRONMENT: dict[str, int | str] = {"ROOM_PAUSE_AFTER_MS": 3_600_000, "LOG_LEVEL": "warning"}


class Round(Struct, frozen=True):
    """One round, of one kind of load."""

    cpu_us: float  # of an act
    per_second: float
    middle_ms: float
    slow_ms: float  # p99
    share: float  # of a core, that the generator took


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--tables", type=int, default=40, help="that play at once (actions)")
    parser.add_argument("--game", default="kunstmarkt", help="that they play (actions)")


def run(chosen: argparse.Namespace) -> None:
    """Measure at full and at half load, in turn."""
    rounds, tables = chosen.rounds, chosen.tables
    print(f"actions: {tables} tables of {SEATS} and a spectator, {chosen.game}")
    with tempfile.TemporaryDirectory() as directory:
        data = Path(directory) / "data"
        stock = Stock(game=chosen.game, seats=SEATS)
        left = asyncio.run(stock.fill(data, 2 * tables * (rounds + 1)))
        full: list[Round] = []
        half: list[Round] = []
        with ServerProcess(data, env=environment(ENVIRONMENT)) as server:
            rest(server.pid)
            for _ in range(rounds + 1):
                begun, left = left[:tables], left[tables:]
                full.append(_round(server, begun, None))
                begun, left = left[:tables], left[tables:]
                half.append(_round(server, begun, full[-1].per_second / 2))
    _tell("full load", full[1:])
    _tell("half load", half[1:])


def _round(server: ServerProcess, tables: list[Table], per_second: float | None) -> Round:
    seated, acts = Seated(server.url, tables, Random(1)), ACTS_OF_A_TABLE * len(tables)
    cpu, share = cpu_of(server.pid), Share()
    if per_second is None:
        seconds = seated.act_at_once(acts)
    else:
        seconds = seated.act_in_time(acts, per_second)
    busy, spent = share.so_far(), cpu_of(server.pid) - cpu
    seated.close()
    rest(server.pid)
    taken = seated.taken
    return Round(
        cpu_us=spent / len(taken) * 1e6,
        per_second=len(taken) / seconds,
        middle_ms=median(taken) * 1e3,
        slow_ms=quantiles(taken, n=100)[98] * 1e3,
        share=busy,
    )


def _tell(name: str, rounds: list[Round]) -> None:
    print(name, rounds)
