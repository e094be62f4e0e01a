"""How long an act takes that is sent on one node, decided on another, and seen on a third.

Three nodes on one Valkey. The yardsticks: one PING, there and back, now and then between two acts;
and the same acts with everybody at the owner.
"""

import argparse
from random import Random
from statistics import median, quantiles
from time import perf_counter

from msgspec import Struct, field

from tests.bench import cluster
from tests.bench.cluster import Nodes
from tests.bench.processes import Goal, Share
from tests.bench.regulars import Act, Game, Regulars
from tests.bench.stock import Stock, Table
from tests.bench.wires import PONG, joined

SEATS = 3
WAYS = {"across": (1, 2), "at the owner": (0, 0)}  # which node has the players, and who looks on
PACES = {"now and then": 20.0, "often": 100.0}  # acts a second, of all rooms together
LONGEST_S = 3.0  # of one pace in a round
ROUNDS = 2  # at most
PING_S = 0.1  # between two
TARGET_MS = 20  # p99, often
UPDATE, PING = b"\xa6update", b"\xa4ping"
MARK = 16  # bytes, at the beginning of a message, that have its type


class Taken(Struct, frozen=True):
    """Seconds that acts of one way and pace took.

    Attributes:
        receipts: from sending to the receipt.
        updates: from sending to the update of who looks on.
    """

    receipts: list[float] = field(default_factory=list)
    updates: list[float] = field(default_factory=list)


class Watched:
    """A game somebody looks on at.

    Attributes:
        updates: when each came.
    """

    def __init__(self, regulars: Regulars, game: Game, url: str) -> None:
        self.game, self.updates = game, list[float]()
        (self.wire,) = joined(url, game.room, [None])
        self.wire.until("view")
        regulars.waiter.add(self.wire.socket, self._take)

    def _take(self) -> None:
        for payload in self.wire.payloads():
            if UPDATE in payload[:MARK]:
                self.updates.append(perf_counter())
            elif PING in payload[:MARK]:
                self.wire.socket.sendall(PONG)

    def seconds(self, act: Act) -> float:
        """Return how long an act took to be seen."""
        return next(at for at in self.updates if at > act.sent_at) - act.sent_at


class Party:
    """Players at one node, and somebody at one node who looks on at each of their games."""

    def __init__(self, nodes: Nodes, tables: list[Table], players: int, lookers: int) -> None:
        self._nodes, urls = nodes, nodes.urls
        self._regulars = Regulars(urls, tables, [players] * SEATS, Random(1), prompt=True)
        self._watched = [
            Watched(self._regulars, game, urls[lookers]) for game in self._regulars.games
        ]
        self._regulars.waiter.settle()  # until everybody has been told who is there

    def play(self, per_second: float, seconds: float, taken: Taken, pings: list[float]) -> None:
        """Let somebody act so often for so long, and note what acts and pings took."""
        begun = perf_counter()
        due = begun

        def goes_on() -> bool:
            nonlocal due
            if (now := perf_counter()) >= due:
                due = now + PING_S
                pings.append(self._nodes.ping())
            return now < begun + seconds

        self._regulars.play(per_second, goes_on)
        self._regulars.settle()
        self._regulars.waiter.settle()
        for watched in self._watched:
            for act in watched.game.accepted:
                if act.sent_at >= begun:
                    taken.receipts.append(act.seconds)
                    taken.updates.append(watched.seconds(act))

    def close(self) -> None:
        """Hang up."""
        for watched in self._watched:
            watched.wire.socket.close()
        self._regulars.close()


def run(chosen: argparse.Namespace) -> None:
    """Measure both ways at both paces in turn."""
    tables: int = chosen.tables
    print(
        f"across: {tables} rooms on three nodes; ms from an act to its receipt (p50, p99), and to "
        "the update of who looks on (p50, p99)"
    )
    told = {(way, pace): Taken() for way in WAYS for pace in PACES}
    pings: list[float] = []
    with cluster.up(Stock(game=chosen.game, seats=SEATS), len(WAYS) * tables) as nodes:
        parties = {
            way: Party(nodes, nodes.tables[number * tables :][:tables], *places)
            for number, (way, places) in enumerate(WAYS.items())
        }
        share = Share()
        for _ in range(min(chosen.rounds, ROUNDS)):
            for (way, pace), taken in told.items():
                seconds = min(LONGEST_S, chosen.acts * tables / PACES[pace])
                parties[way].play(PACES[pace], seconds, taken, pings)
        busy = share.so_far()
        for party in parties.values():
            party.close()
    _tell(told, median(pings), busy)


def _tell(told: dict[tuple[str, str], Taken], ping: float, share: float) -> None:
    for (way, pace), taken in told.items():
        receipt, update = median(taken.receipts), median(taken.updates)
        remark = f"{receipt / ping:.0f} × and {update / ping:.0f} × a ping"
        if (way, pace) == ("across", "often"):
            slow = _slow(taken.receipts), _slow(taken.updates)
            goals = [Goal(f"p99 {TARGET_MS} ms", each * 1e3 <= TARGET_MS, share) for each in slow]
            remark += f";   {goals[0]};  {goals[1]}"
        print(
            f"  {f'{way}, {pace}: {PACES[pace]:.0f}/s':34}"
            f" {receipt * 1e3:6.1f} {_slow(taken.receipts) * 1e3:6.1f} "
            f" {update * 1e3:6.1f} {_slow(taken.updates) * 1e3:6.1f} ms   {remark}"
        )
    print(
        f"  {'one PING, there and back':34} {ping * 1e3:6.2f} ms   generator {share:.2f} of a core"
    )


def _slow(taken: list[float]) -> float:
    return quantiles(taken, n=100, method="inclusive")[98]
