"""How soon every room answers again when the node that owned all of them has died.

Three nodes on one Valkey; every room has players at each of them, and a game that goes on. The
owner is killed with -9, and in that instant somebody acts in every room. The yardstick is the same
burst of acts with nobody killed. What the time goes into is read from the store meanwhile: when the
dead node's lease went, and when the first and the last room had been taken over.
"""

import argparse
from random import Random
from statistics import median
from time import perf_counter

from msgspec import Struct

from tests.bench import cluster
from tests.bench.cluster import NAMES, Nodes
from tests.bench.processes import Goal, Share
from tests.bench.regulars import Regulars
from tests.bench.stock import Stock

ROUNDS = 3  # at most: in each all nodes start anew
TARGET_S = 1.0  # until the last room has accepted an act
SEATS = 3  # one at each node
PER_SECOND = 50.0  # acts before it happens
WARM_UP_S = 3.0  # of them; Redis must have run for a while too before anybody is taken for dead
LOOK_S = 0.005  # between two looks into the store
PINGS = 100


class Round(Struct, frozen=True, kw_only=True):
    """One death. All times are seconds after it, but for those of `usual` and `ping`."""

    acts: list[float]  # until an act was accepted, by room
    joins: list[float]  # until who had lost their socket had joined again
    views: list[float]  # until the last of those who had not was shown how it goes on, by room
    lease: float  # until the lease was gone
    first: float  # until the first room was taken over
    last: float
    usual: list[float]  # how long acts took before, by room
    ping: float
    early: int  # rooms that it had lost before, by a Redis that stood still, say
    faults: int  # acts that were refused for good, or are not in the journal exactly once
    share: float


def run(chosen: argparse.Namespace) -> None:
    """Kill an owner, some times."""
    rooms = chosen.owned
    print(
        f"failover: {rooms} rooms of {SEATS} players, each at another of three nodes, the owner of "
        "all killed; ms from then on (least, median, most of the rooms; median of the rounds)"
    )
    warm_up = min(WARM_UP_S, chosen.acts * rooms / PER_SECOND)
    _tell([_round(rooms, chosen.game, warm_up) for _ in range(min(chosen.rounds, ROUNDS))])


def _tell(rounds: list[Round]) -> None:
    share = max(each.share for each in rounds)
    slowest = median(max(each.acts) for each in rounds)
    faults = sum(each.faults for each in rounds)
    goal = Goal(f"{TARGET_S * 1e3:.0f} ms", slowest <= TARGET_S, share)
    usual = median(median(each.usual) for each in rounds)
    ping = median(each.ping for each in rounds)
    _print("until an act is accepted", [each.acts for each in rounds], goal)
    _print("until who was there is back", [each.joins for each in rounds], "")
    _print("until the lease is gone", [[each.lease] for each in rounds], "to notice, at most")
    _print(
        "until rooms are taken over",
        [[each.first, each.last] for each in rounds],
        "the first, the last",
    )
    _print("until the others see them", [each.views for each in rounds], "read back and attached")
    _print(
        "an act with nobody killed",
        [each.usual for each in rounds],
        f"{usual / ping:.0f} × a ping of {ping * 1e3:.2f} ms",
    )
    goal = Goal("none", not faults, share)
    early = sum(each.early for each in rounds)
    print(f"  {'rooms it had lost before':28} {early:7}")
    print(f"  {'acts refused or lost':28} {faults:7}   {goal};  generator {share:.2f} of a core")


def _print(name: str, rounds: list[list[float]], remark: object) -> None:
    least, middle, most = (
        median(taken(each) for each in rounds) * 1e3 for taken in (min, median, max)
    )
    print(f"  {name:28} {least:7.0f} {middle:7.0f} {most:7.0f} ms   {remark}")


def _round(rooms: int, game: str, warm_up: float) -> Round:
    with cluster.up(Stock(game=game, seats=SEATS), rooms) as nodes:
        regulars = Regulars(nodes.urls, nodes.tables, range(SEATS), Random(1))
        regulars.play_for(PER_SECOND, warm_up)
        usual = regulars.act_at_once(regulars.games)
        regulars.settle()
        measured = _killed(nodes, regulars, [act.seconds for act in usual])
        regulars.close()
    return measured


def _killed(nodes: Nodes, regulars: Regulars, usual: list[float]) -> Round:
    owned = nodes.owned(NAMES[0])  # all, unless it has been taken for dead already
    games = [game for game in regulars.games if game.room in owned]
    stayed = [[player for player in game.players if player.node] for game in games]
    moved = [player for player in regulars.players if not player.node]
    store, share, killed_at = _Store(nodes), Share(), perf_counter()
    nodes.servers[0].kill()
    acts = regulars.act_at_once(games)

    def back() -> bool:
        store.look()
        joined = min(player.joined_at for player in moved)
        viewed = min(player.viewed_at for players in stayed for player in players)
        return all(act.is_answered for act in acts) and min(joined, viewed) > killed_at

    regulars.wait(back)
    return Round(
        acts=[act.accepted_at - killed_at for act in acts if act.accepted_at],
        joins=[player.joined_at - killed_at for player in moved],
        views=[max(each.viewed_at for each in players) - killed_at for players in stayed],
        lease=store.lease_gone - killed_at,
        first=store.first - killed_at,
        last=store.last - killed_at,
        usual=usual,
        ping=median(nodes.ping() for _ in range(PINGS)),
        early=len(regulars.games) - len(games),
        faults=regulars.refused.total() + nodes.lost(regulars.games),
        share=share.so_far(),
    )


class _Store:
    """What is seen in the store while rooms change hands.

    Attributes:
        lease_gone: when the lease of the first node had gone.
        first, last: when a room had been taken over.
    """

    def __init__(self, nodes: Nodes) -> None:
        self._nodes, self._lease = nodes, nodes.lease(NAMES[0])
        self._given = nodes.given()
        self._looked_at = self.lease_gone = self.first = self.last = 0.0

    def look(self) -> None:
        """Look, if the last time was a while ago."""
        now = perf_counter()
        if now - self._looked_at < LOOK_S:
            return
        self._looked_at = now
        if not self.lease_gone and not self._nodes.redis.exists(self._lease):
            self.lease_gone = now
        given = self._nodes.given()
        if given > self._given:
            self.first, self.last, self._given = self.first or now, now, given
