"""Run a soak: `python -m tests.soak rules [--games N] [--first N] [--workers N]`."""

import argparse
import sys

from tests.soak import rules


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    kinds = parser.add_subparsers(dest="kind", required=True)
    rules.arguments(kinds.add_parser("rules", help="whole random games of every game"))
    return rules.run(parser.parse_args())


sys.exit(main())
