"""Run the measurements: `python -m tests.bench [simulate] [store] [update] [--rounds N]`.

Every figure is the median of several rounds, with the best beside it, and a yardstick measured in
turn with it: machines are noisy, ratios within one run are not.
"""

import argparse
import sys

from tests.bench import simulate, store, update

BENCHES = {"simulate": simulate.run, "store": store.run, "update": update.run}


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("bench", nargs="*", help=f"which: {', '.join(BENCHES)}; else all")
    parser.add_argument("--rounds", type=int, default=9)
    chosen = parser.parse_args()
    unknown = set(chosen.bench) - BENCHES.keys()
    if unknown:
        parser.error(f"no such bench: {', '.join(sorted(unknown))}")
    for name in chosen.bench or BENCHES:
        BENCHES[name](chosen.rounds)
    return 0


sys.exit(main())
