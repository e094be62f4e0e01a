"""Timing in alternating rounds, and what a measurement prints."""

import gc
from collections.abc import Callable
from statistics import median
from time import process_time

from msgspec import Struct


class Timed(Struct, frozen=True):
    """Seconds of CPU for one unit of work, over several rounds."""

    seconds: tuple[float, ...]

    @property
    def middle(self) -> float:
        """The median."""
        return median(self.seconds)

    @property
    def best(self) -> float:
        """The least."""
        return min(self.seconds)


def alternate(rounds: int, *works: Callable[[], int]) -> list[Timed]:
    """Run each work once a round, in turn; a work returns how many units it did."""
    taken: list[list[float]] = [[] for _ in works]
    for work in works:  # once to warm up
        work()
    gc.freeze()  # what stands is left alone by the collector, as in a server that has started
    for _ in range(rounds):
        for work, seconds in zip(works, taken, strict=True):
            gc.collect()
            begun = process_time()
            units = work()
            seconds.append((process_time() - begun) / units)
    gc.unfreeze()
    return [Timed(tuple(seconds)) for seconds in taken]
