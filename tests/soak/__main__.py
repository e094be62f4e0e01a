"""Run a soak: `python -m tests.soak rules|strength [--games N] [--first N] [--workers N]`."""

import argparse
import sys

from tests.soak import rules, strength


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    kinds = parser.add_subparsers(dest="kind", required=True)
    rules.arguments(kinds.add_parser("rules", help="whole random games of every game"))
    strength.arguments(kinds.add_parser("strength", help="steady bots against simpler ones"))
    chosen = parser.parse_args()
    return rules.run(chosen) if chosen.kind == "rules" else strength.run(chosen)


sys.exit(main())
