"""Run the measurements: `python -m tests.bench [simulate] [store] [actions] ... [--rounds N]`.

Every figure is the median of several rounds, with the best beside it, and a yardstick measured in
turn with it: machines are noisy, ratios within one run are not. Where this process makes the load,
it says how much of a core that took; above 0.9 it measured itself, and the run is void.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import TypeAlias

from tests.bench import (
    across,
    actions,
    arrange,
    bystander,
    connections,
    failover,
    fanout,
    recovery,
    rolling,
    simulate,
    spread,
    store,
    update,
)

Bench: TypeAlias = Callable[[argparse.Namespace], None]

BENCHES: dict[str, Bench] = {
    "simulate": lambda chosen: simulate.run(chosen.rounds),
    "arrange": lambda chosen: arrange.run(chosen.rounds),
    "update": lambda chosen: update.run(chosen.rounds),
    "store": lambda chosen: store.run(chosen.rounds),
    "fanout": fanout.run,
    "actions": actions.run,
    "connections": connections.run,
    "recovery": recovery.run,
    "bystander": bystander.run,
    "across": across.run,
    "spread": spread.run,
    "failover": failover.run,
    "rolling": rolling.run,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("bench", nargs="*", help=f"which: {', '.join(BENCHES)}; else all")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument(
        "--sockets", type=int, default=1_000, help="of fanout; on each of two nodes, of spread"
    )
    parser.add_argument(
        "--tables", type=int, default=40, help="that play at once, of actions and across"
    )
    parser.add_argument("--acts", type=int, default=30, help="of each table in a round")
    parser.add_argument("--game", default="kunstmarkt", help="of all tables")
    parser.add_argument("--spectators", type=int, default=2_000, help="of connections")
    parser.add_argument("--rooms", type=int, default=1_000, help="of connections and recovery")
    parser.add_argument("--crowd", type=int, default=10_000, help="spectators, of bystander")
    parser.add_argument("--owned", type=int, default=200, help="rooms, of failover and rolling")
    chosen = parser.parse_args(arguments)
    unknown = set(chosen.bench) - BENCHES.keys()
    if unknown:
        parser.error(f"no such bench: {', '.join(sorted(unknown))}")
    for name in chosen.bench or BENCHES:
        BENCHES[name](chosen)
    return 0


if __name__ == "__main__":  # processes it starts import it too
    sys.exit(main())
