"""Run a soak: `python -m tests.soak KIND`; `--help` lists the kinds, and each explains itself."""

import argparse
import sys
from typing import Any

from tests.soak import attack, churn, crash, cuts, fuzz, rules, strength

SOAKS: dict[str, tuple[Any, str]] = {
    "rules": (rules, "whole random games of every game"),
    "strength": (strength, "steady bots against simpler ones"),
    "churn": (churn, "thousands of short rooms, after which nothing may be left in memory"),
    "cuts": (cuts, "a line that breaks at every single step of a session"),
    "fuzz": (fuzz, "hostile frames by the million"),
    "attack": (attack, "honest tables on a server that is attacked in every way"),
    "crash": (crash, "kill -9 of a server in a loop while rooms play"),
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    kinds = parser.add_subparsers(dest="kind", required=True)
    for name, (soak, told) in SOAKS.items():
        soak.arguments(kinds.add_parser(name, help=told))
    chosen = parser.parse_args()
    return int(SOAKS[chosen.kind][0].run(chosen))


sys.exit(main())
