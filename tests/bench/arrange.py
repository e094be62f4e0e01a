"""How long the best arrangement of a full museum is looked for, and how good it is then."""

from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from time import process_time

from saleroom_solver.arrangement import Arrangement
from saleroom_solver.search import NODES, improved
from tests.bench.simulate import hashes
from tests.bench.timing import alternate
from tests.support.walls import MUSEUM, composed, dealt, wanted, worth

TARGET_MS = 50
MUSEUMS = 20  # of each kind
LONG = 10  # times as many swaps, to compare with
KINDS: dict[str, Callable[[Random], Arrangement]] = {
    "as they come": lambda luck: dealt(luck, 25),
    "collected": lambda luck: dealt(luck, 25, focus=0.4),
    "collected with zeal": lambda luck: dealt(luck, 25, focus=0.8),
    "made to fit": composed,
}


def run(rounds: int) -> None:
    """Measure every kind of full museum; beside it, what a search ten times as long finds."""
    print(f"arrange: ms of CPU for a full museum, {NODES:,} swaps at most")
    print("  (median of the rounds, best, the slowest museum; points of a long search)")
    for kind, hang in KINDS.items():
        museums = [hang(Random(seed)) for seed in range(MUSEUMS)]
        timed, hashed = alternate(rounds, partial(_search, museums), hashes)
        slowest = 1000 * max(_seconds(museum) for museum in museums)
        found, long = (sum(_found(museum, n) for museum in museums) for n in (NODES, LONG * NODES))
        middle = 1000 * timed.middle
        print(
            f"  {kind:20} {middle:5.1f} {1000 * timed.best:5.1f} {slowest:5.1f}   "
            f"{found / long:6.1%}   "
            f"target {TARGET_MS} ms: {'met' if middle <= TARGET_MS else 'MISSED'};   "
            f"one search = {timed.middle / hashed.middle:,.0f} short SHA-256"
        )


def _search(museums: Sequence[Arrangement]) -> int:
    for museum in museums:
        improved(MUSEUM, wanted(), museum)
    return len(museums)


def _seconds(museum: Arrangement) -> float:
    begun = process_time()
    _search([museum])
    return process_time() - begun


def _found(museum: Arrangement, nodes: int) -> int:
    places = improved(MUSEUM, wanted(), museum, nodes).places
    return worth(MUSEUM, wanted(), museum.kinds, places)
