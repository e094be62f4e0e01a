"""What an accepted action costs the whole server, and how long it takes.

Tables of five and a spectator each, every one with a socket of its own: frames are read, rules
applied, entries made durable by SQLite, views compared, receipts and updates written. There are two
yardsticks. What the sockets alone cost: as large a frame in, six frames out, and a receipt, as many
a second as the server has managed. And a plain command, as uvicorn answers it (`commands.py`): how
many of them an act costs can be compared with a target that was set elsewhere. At a slow pace all
is dear: nothing is done in one go.
"""

import argparse
import asyncio
import tempfile
from pathlib import Path
from random import Random
from statistics import median, quantiles

from msgspec import Struct

from tests.bench import commands, echo
from tests.bench.apart import Apart
from tests.bench.commands import THERE_US, Commands
from tests.bench.players import Seated
from tests.bench.processes import Goal, Share, cpu_of, environment, rest
from tests.bench.stock import Stock, Table
from tests.support.servers import ServerProcess

TARGET_US = 333  # of CPU, of the server's process, where a plain command takes `THERE_US`
TARGET_MS = 20  # p99 at half load
SEATS = 5


class Round(Struct, frozen=True):
    """One round, of one kind of load."""

    cpu_us: float  # of an act
    per_second: float
    middle_ms: float
    slow_ms: float  # p99
    share: float  # of a core, that the generator took


def run(chosen: argparse.Namespace) -> None:
    """Measure full load, half load and the yardstick in turn."""
    tables: int = chosen.tables
    acts = chosen.acts * tables
    print(
        f"actions: {tables} tables of {SEATS} and a spectator, {chosen.game}; "
        "µs of the server's CPU an act (median, best); acts/s; p50, p99 from act to receipt"
    )
    with tempfile.TemporaryDirectory() as directory:
        data = Path(directory) / "data"
        stock = Stock(game=chosen.game, seats=SEATS)
        left = asyncio.run(stock.fill(data, 2 * tables * (chosen.rounds + 1)))
        full: list[Round] = []
        half: list[Round] = []
        plain: list[Round] = []
        command: list[float] = []
        environ = environment()
        with (
            ServerProcess(data, env=environ) as server,
            Apart(echo.main) as yardstick,
            Apart(commands.main) as answering,
            Commands(answering) as asking,
        ):
            rest(server.pid)
            for _ in range(chosen.rounds + 1):  # the first is to warm up
                here, left = left[:tables], left[tables:]
                full.append(_round(server.url, server.pid, here, acts))
                pace = full[-1].per_second
                plain.append(_round(yardstick.urls[0], yardstick.pid, here, acts, pace))
                command.append(asking.round())
                here, left = left[:tables], left[tables:]
                half.append(_round(server.url, server.pid, here, acts, pace / 2))
    _tell_all(full[1:], half[1:], plain[1:], command[1:])


def _round(
    url: str, pid: int, tables: list[Table], acts: int, per_second: float | None = None
) -> Round:
    seated = Seated(url, tables, Random(1))
    cpu, share = cpu_of(pid), Share()
    if per_second is None:
        seconds = seated.act_at_once(acts)
    else:
        seconds = seated.act_in_time(acts, per_second)
    busy, spent = share.so_far(), cpu_of(pid) - cpu
    seated.close()
    rest(pid)
    taken = seated.taken
    return Round(
        cpu_us=spent / len(taken) * 1e6,
        per_second=len(taken) / seconds,
        middle_ms=median(taken) * 1e3,
        slow_ms=quantiles(taken, n=100)[98] * 1e3,
        share=busy,
    )


def _tell_all(
    full: list[Round], half: list[Round], plain: list[Round], command: list[float]
) -> None:
    cpu, echoed = (median(each.cpu_us for each in rounds) for rounds in (full, plain))
    slow = median(each.slow_ms for each in half)
    busy = max(each.share for each in (*full, *half))
    _tell("full load", full, Goal(f"{TARGET_US} µs", cpu <= TARGET_US, busy))
    _tell("half load", half, Goal(f"p99 {TARGET_MS} ms", slow <= TARGET_MS, busy))
    _tell("nothing but the sockets", plain, f"an act costs {cpu / echoed:.1f} × as much")
    print(
        f"  {'a plain command':28} {median(command):6,.0f} µs {min(command):6,.0f} µs   "
        f"an act costs {cpu / median(command):.1f} × as much; where {TARGET_US} µs were set, "
        f"they were {TARGET_US / THERE_US:.0f} ×"
    )


def _tell(name: str, rounds: list[Round], remark: object) -> None:
    print(
        f"  {name:28} {median(each.cpu_us for each in rounds):6,.0f} µs"
        f" {min(each.cpu_us for each in rounds):6,.0f} µs  "
        f"{median(each.per_second for each in rounds):7,.0f} /s  "
        f"{median(each.middle_ms for each in rounds):6.1f} ms"
        f" {median(each.slow_ms for each in rounds):6.1f} ms   {remark};  "
        f"generator {max(each.share for each in rounds):.2f} of a core"
    )
