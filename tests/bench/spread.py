"""One room, its crowd on one node or on two: what each of them writes, and what crosses between.

Three nodes on one Valkey; the first owns the room and has its players. The yardstick is the same
crowd on that node alone. What counts is the CPU of the node that has most to do: on machines of
their own, nodes write side by side.
"""

import argparse
from collections.abc import Iterator
from itertools import chain, repeat
from random import Random
from statistics import median
from time import perf_counter

from msgspec import Struct

from tests.bench import cluster
from tests.bench.bystander import FINAL
from tests.bench.cluster import Nodes
from tests.bench.processes import Goal, Share, cpu_of
from tests.bench.regulars import Regulars
from tests.bench.stock import Stock, Table
from tests.bench.wires import PONG, Drain, Wire, joined

SEATS = 3
WAYS = {
    "all at the owner": (0,),
    "half at the owner": (0, 1),
    "none at the owner": (1, 2),
}  # on which nodes the crowd is
PER_SECOND = 10.0  # acts
LONGEST_S = 2.0  # of one round of one way
ROUNDS = 2  # at most
AT_ONCE = 50  # spectators who come
TWICE = 1.8  # times as many frames, by two nodes


class Round(Struct, frozen=True, kw_only=True):
    """One round of one way."""

    acts: int
    seconds: float
    frames: float
    cpu: list[float]  # seconds, by node
    published: int
    share: float

    @property
    def rate(self) -> float:
        """Frames a second, if the busiest node had a core of its own."""
        return self.frames / max(self.cpu)

    @property
    def owners(self) -> float:
        """The owner's part of all CPU."""
        return self.cpu[0] / sum(self.cpu)


class Crowd:
    """Everybody at one room: players at the owner, spectators where they are put."""

    def __init__(self, nodes: Nodes, table: Table, places: tuple[int, ...], count: int) -> None:
        self._nodes = nodes
        self._regulars = Regulars(nodes.urls, [table], [0] * SEATS, Random(1))
        self._one, self._rest = Drain(), Drain()  # by one it is known how much goes to each
        self._wires = [
            wire
            for place in places
            for wire in _looking_on(nodes.urls[place], table.room, count // len(places))
        ]
        for wire, drain in zip(self._wires, chain([self._one], repeat(self._rest)), strict=False):
            drain.add(wire.socket)

    def act(self, seconds: float) -> Round:
        """Let players act for a while."""
        self._settle()
        pids, share, published = self._pids, Share(), self._nodes.published()
        before, begun = [cpu_of(pid) for pid in pids], perf_counter()
        self._regulars.play(PER_SECOND, lambda: self._drained() < begun + seconds)
        self._regulars.settle()
        each, others = self._one.taken(), self._rest.taken()
        acts = sum(act.sent_at > begun for act in self._regulars.accepted)
        return Round(
            acts=acts,
            seconds=perf_counter() - begun,
            frames=acts * (1 + others / each),
            cpu=[cpu_of(pid) - was for pid, was in zip(pids, before, strict=True)],
            published=self._nodes.published() - published,
            share=share.so_far(),
        )

    @property
    def _pids(self) -> list[int]:
        return [server.pid for server in self._nodes.servers]

    def _drained(self) -> float:
        self._one.look()
        self._rest.look()
        return perf_counter()

    def _settle(self) -> None:
        for wire in self._wires:
            wire.socket.sendall(PONG)
        self._one.settle()
        self._rest.settle()

    def close(self) -> None:
        """Hang up."""
        self._regulars.close()
        self._one.close()
        self._rest.close()


def _looking_on(url: str, room: str, count: int) -> Iterator[Wire]:
    """Let spectators come, no more at once than may wait for a room of another node."""
    for begin in range(0, count, AT_ONCE):
        wires = joined(url, room, [None] * min(AT_ONCE, count - begin))
        for wire in wires:
            wire.until("view")
            yield wire


def run(chosen: argparse.Namespace) -> None:
    """Measure the ways in turn."""
    count = 2 * chosen.sockets
    seconds = min(LONGEST_S, chosen.acts / PER_SECOND)
    print(
        f"spread: {count:,} spectators of one room; frames/s of CPU of the busiest node (median, "
        "best of the rounds); the owner's part of all CPU; messages between nodes an act"
    )
    with cluster.up(Stock(game=FINAL, seats=SEATS), len(WAYS)) as nodes:
        crowds = {
            way: Crowd(nodes, table, places, count)
            for table, (way, places) in zip(nodes.tables, WAYS.items(), strict=False)
        }
        told: dict[str, list[Round]] = {way: [] for way in WAYS}
        for _ in range(min(chosen.rounds, ROUNDS)):
            for way, crowd in crowds.items():
                told[way].append(crowd.act(seconds))
        for crowd in crowds.values():
            crowd.close()
    _tell(told)


def _tell(told: dict[str, list[Round]]) -> None:
    share = max(each.share for rounds in told.values() for each in rounds)
    alone, *_ = told.values()
    beats = median(each.published / each.seconds for each in alone)
    usual = median(each.rate for each in alone)
    for way, rounds in told.items():
        rate = median(each.rate for each in rounds)
        crossed = median((each.published - beats * each.seconds) / each.acts for each in rounds)
        remark = "" if rounds is alone else f"{rate / usual:.1f} × as many"
        if way == "none at the owner":
            more = Goal(f"{TWICE} ×", rate >= TWICE * usual, share)
            bundle = Goal("one a node", round(crossed) == len(WAYS[way]), share)
            remark += f", {more};  messages: {bundle}"
        print(
            f"  {way:28} {rate:9,.0f} {max(each.rate for each in rounds):9,.0f} /s  "
            f"{median(each.owners for each in rounds):4.0%}  {crossed:5.2f}   {remark}"
        )
    print(f"  generator {share:.2f} of a core; {beats:.0f} messages/s are beats")
