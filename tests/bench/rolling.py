"""What players notice of a deploy: each node is told to end and started again, one after another.

Three nodes on one Valkey; every room has players at each of them, who act now and then, go when
they are told to and come back when they were told to. The yardstick is the same play before.
"""

import argparse
from random import Random
from statistics import median, quantiles
from threading import Thread
from time import perf_counter

from tests.bench import cluster
from tests.bench.cluster import Nodes
from tests.bench.processes import Goal, Share
from tests.bench.regulars import Act, Regulars
from tests.bench.stock import Stock

SEATS = 3  # one at each node
PER_SECOND = 50.0  # acts, of all rooms together
QUIET_S = 5.0  # of play before, and after
TARGET_MS = 1_000  # the slowest act of who was not told to go


def run(chosen: argparse.Namespace) -> None:
    """Restart every node once."""
    quiet_s = min(QUIET_S, chosen.acts * chosen.owned / PER_SECOND)
    print(
        f"rolling: {chosen.owned} rooms of {SEATS} players, {PER_SECOND:.0f} acts/s in all, three "
        "nodes restarted in turn; ms from the first sending to the receipt (p50, p99, slowest)"
    )
    with cluster.up(Stock(game=chosen.game, seats=SEATS), chosen.owned) as nodes:
        regulars = Regulars(nodes.urls, nodes.tables, range(SEATS), Random(1))
        regulars.play_for(PER_SECOND, quiet_s)
        quiet, share, begun = regulars.accepted, Share(), perf_counter()
        rolling = Thread(target=_restart, args=(nodes,))
        rolling.start()
        regulars.play(PER_SECOND, rolling.is_alive)
        seconds = perf_counter() - begun
        regulars.play_for(PER_SECOND, quiet_s)
        regulars.close()
        busy, faults = share.so_far(), regulars.refused.total() + nodes.lost(regulars.games)
        acts = [act for act in regulars.accepted if act.sent_at >= begun]
    print(f"  {'to restart them all':28} {seconds:7.1f} s   generator {busy:.2f} of a core")
    stayed = [act for act in acts if act.sent == 1]
    slowest = max(act.seconds for act in stayed) * 1e3
    _print("in the time before", quiet, "")
    _print("meanwhile", stayed, Goal(f"{TARGET_MS} ms", slowest <= TARGET_MS, busy))
    _print("of who was told to go", [act for act in acts if act.sent > 1], "sent again when back")
    told = f"{'refused for good or lost':28} {faults:7} of {len(acts)}; {regulars.put_off} put off"
    print(f"  {told}   {Goal('none', not faults, busy)}")


def _restart(nodes: Nodes) -> None:
    for server in nodes.servers:
        nodes.restart(server)


def _print(name: str, acts: list[Act], remark: object) -> None:
    taken = sorted(act.seconds * 1e3 for act in acts)
    if not taken:
        print(f"  {name:28} {'none':>7}")
        return
    slow = quantiles(taken, n=100, method="inclusive")[98] if len(taken) > 1 else taken[-1]
    print(f"  {name:28} {median(taken):7.0f} {slow:7.0f} {taken[-1]:7.0f} ms   {remark}")
