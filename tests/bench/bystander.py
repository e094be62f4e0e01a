"""What players feel of a crowd at another table: p99 from act to receipt, beside it and without.

The crowd looks on at one table, which tells it of an act now and then, or often. Everybody has the
same address. The yardsticks are a server without a crowd, and the crowd while it is told nothing.
"""

import argparse
import asyncio
import itertools
import tempfile
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from statistics import median, quantiles
from time import perf_counter

from msgspec import Struct

from tests.bench.apart import Apart
from tests.bench.players import Seated
from tests.bench.processes import Goal, Share, environment, rest
from tests.bench.stock import Stock, Table
from tests.bench.wires import AT_ONCE, PONG, Drain, Wire, joined
from tests.support.servers import ServerProcess

WORST = 2.0  # times as long as without a crowd
TABLES = 10  # of the others, at most
PER_SECOND = 100.0  # acts at all of them together
PATIENCE = 10.0  # seconds
PACES = {
    "crowd that is told nothing": 0.0,
    "told now and then": 1.0,
    "told often": 5.0,
}  # acts a second at the crowd's table
FINAL = "vernissage"  # at the crowd's table: a game that lasts
MOMENT = 0.1  # seconds between two looks of the crowd at what has come
PONG_EVERY = 150  # of these looks, everybody says to be there; never many at once


class Round(Struct, frozen=True):
    """One round beside one kind of neighbour."""

    middle_ms: float
    slow_ms: float  # p99
    share: float  # of a core, that this process took


class Final:
    """The table everybody looks on at: it goes on at a pace of its own."""

    def __init__(self, url: str, table: Table) -> None:
        self._seated = Seated(url, [table], Random(1))
        self._pace, self._due = 0.0, 0.0

    def go_on(self, pace: float) -> None:
        """Take so many acts a second from now on."""
        self._pace, self._due = pace, perf_counter()

    def __call__(self) -> None:
        """Take an act if it is time for one."""
        self._seated.look()
        late = perf_counter() - self._due
        if self._pace and late >= 0:
            assert late < PATIENCE, "the crowd's game has ended: fewer rounds, or fewer acts"
            if self._seated.ready:
                self._due += 1 / self._pace
                self._seated.act(perf_counter())

    def close(self) -> None:
        """Hang up."""
        self._seated.close()


def run(chosen: argparse.Namespace) -> None:
    """Measure beside the crowd and on a server without one, in turn."""
    rounds, crowd, tables = chosen.rounds, chosen.crowd, min(TABLES, chosen.tables)
    acts = tables * chosen.acts
    stock = Stock(game=chosen.game)
    environ = environment()
    with tempfile.TemporaryDirectory() as directory:
        alone, beside = (Path(directory) / name / "data" for name in ("alone", "beside"))
        quiet = asyncio.run(stock.fill(alone, tables * (rounds + 1)))
        busy = asyncio.run(stock.fill(beside, tables * len(PACES) * (rounds + 1)))
        (final,) = asyncio.run(Stock(game=FINAL).fill(beside, 1))
        with (
            ServerProcess(alone, env=environ) as empty,
            ServerProcess(beside, env=environ) as full,
            Apart(watch) as watching,
        ):
            reached = watching.ask((full.url, final.room, crowd))
            rest(full.pid)
            rest(empty.pid)
            told: dict[str, list[Round]] = {"no crowd": [], **{name: [] for name in PACES}}
            there = Final(full.url, final)
            for _ in range(rounds + 1):
                here, quiet = quiet[:tables], quiet[tables:]
                told["no crowd"].append(_round(empty.url, here, acts, there, 0))
                for name, pace in PACES.items():
                    here, busy = busy[:tables], busy[tables:]
                    told[name].append(_round(full.url, here, acts, there, pace))
            there.close()
            left = watching.ask("how many are left")
    _tell(tables, reached, left, {name: each[1:] for name, each in told.items()})


def _round(url: str, tables: list[Table], acts: int, final: Final, pace: float) -> Round:
    seated = Seated(url, tables, Random(1))
    final.go_on(pace)
    share = Share()
    seated.act_in_time(acts, PER_SECOND, meanwhile=final)
    busy = share.so_far()
    final.go_on(0)
    seated.close()
    return Round(median(seated.taken) * 1e3, quantiles(seated.taken, n=100)[98] * 1e3, busy)


def _tell(tables: int, reached: int, left: int, told: dict[str, list[Round]]) -> None:
    print(
        f"bystander: {tables} tables, {PER_SECOND:.0f} acts/s in all, beside one with "
        f"{reached:,} spectators, {left:,} in the end; ms from act to receipt (p50, p99, best p99)"
    )
    alone = median(each.slow_ms for each in told["no crowd"])
    for name, rounds in told.items():
        slow = median(each.slow_ms for each in rounds)
        remark = "" if name == "no crowd" else f"{slow / alone:.1f} × that without"
        if PACES.get(name):
            share = max(each.share for each in rounds)
            remark += f", {Goal(f'{WORST:.0f} ×', slow <= WORST * alone, share)}"
        print(
            f"  {name:28} {median(each.middle_ms for each in rounds):6.1f} ms {slow:6.1f} ms"
            f" {min(each.slow_ms for each in rounds):6.1f} ms   {remark}"
        )


async def watch(pipe: Connection) -> None:
    """Be the crowd: read now and then whatever has come, and say now and then to be there."""
    pipe.send([])
    url, room, count = pipe.recv()
    wires: list[Wire] = []
    with Drain() as drain:
        while len(wires) < count:  # some at a time: hello must come soon
            some = joined(url, room, [None] * min(AT_ONCE, count - len(wires)))
            for wire in some:
                wire.until("view")
                drain.add(wire.socket)
            wires += some
        pipe.send(len(wires))
        for look in itertools.count():
            if pipe.poll(MOMENT):
                pipe.recv()
                break
            drain.look()
            for wire in wires[look % PONG_EVERY :: PONG_EVERY]:
                with suppress(OSError):
                    wire.socket.sendall(PONG)
        pipe.send(len(wires) - drain.closed)
