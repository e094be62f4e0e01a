"""`python -m tests.soak churn`: very many short lives of rooms leave nothing behind in memory.

A server on a disk store of its own, its clock moved by hand, has rooms made, watched, cut off,
abandoned and played in it, some at a time; after each lot time passes until all are put away. Then
nothing may be left: no task, no bell, no entry in any container that can be reached from the server
beyond what was there when it was opened. What lives on the heap must not grow with the number of
rooms.
"""

import argparse
import asyncio
import gc
import tracemalloc
from collections import Counter
from functools import _lru_cache_wrapper
from pathlib import Path
from random import Random
from time import monotonic

from msgspec import Struct

from tests.soak.lives import LIVES, MINUTE_MS, Life, Rough
from tests.soak.recount import Recount
from tests.soak.world import World, world
from tests.support.samples import samples

LOT = 100  # rooms at a time
WARM_UP = 300  # rooms, until caches are full and everything has been used once
PUT_AWAY_MS = 62 * MINUTE_MS  # longer than a room is kept that has ended
PAGE = 4096  # bytes

# Families of metrics have an entry for each value a label has had; these are few.
METRICS, LABELS = "service.metrics.", 200
# Bytes of Python's objects that may be there after the warm-up: for all, and more for each room.
GROWTH, GROWTH_A_GAME = 256 * 1024, 8
# Calls a function may remember without end, for there are only so many: of Vernissage, say, every
# way for agents to stand. They are counted, and forgotten before the heap is measured.
REMEMBERED = 4_000


class Heap(Struct, frozen=True):
    """What is on the heap, the garbage collected."""

    traced: int  # bytes of Python's objects made since tracing began
    objects: int  # that the collector knows
    resident: int  # bytes of the process

    def __sub__(self, other: "Heap") -> "Heap":
        return Heap(
            self.traced - other.traced,
            self.objects - other.objects,
            self.resident - other.resident,
        )


class Left(AssertionError):
    """Something is left behind."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Say what can be set."""
    parser.add_argument("--games", type=int, default=10_000, help="rooms after the warm-up")
    parser.add_argument("--warm-up", type=int, default=WARM_UP, help="rooms before that")
    parser.add_argument("--seed", type=int, default=1)


def run(chosen: argparse.Namespace) -> int:
    """Churn and report."""
    begun = monotonic()
    try:
        recount, grown = asyncio.run(churn(chosen.games, chosen.warm_up, chosen.seed))
    except Left as left:
        print(f"seed {chosen.seed}: {left}")
        return 1
    print(recount)
    print(
        f"{chosen.games} rooms after {chosen.warm_up}, {monotonic() - begun:.0f} s: nothing left; "
        f"growth a room: {grown.traced / chosen.games:.1f} bytes of objects "
        f"({grown.objects / chosen.games:.3f} objects), resident {grown.resident / 1024:.0f} KiB "
        f"in all"
    )
    return 0


async def churn(games: int, warm_up: int, seed: int) -> tuple[Recount, Heap]:
    """Let rooms live; return what happened, and what the heap has grown by after the warm-up.

    Raises:
        Left: something is left behind.
    """
    luck, recount = Random(seed), Recount()
    async with world(Random(seed)) as server:
        opened = _left(server)
        tracemalloc.start()
        before = heap()
        for lot in [*_lots(warm_up), 0, *_lots(games)]:
            if not lot:
                before = heap()
            await _live(server, luck, recount, lot)
            _check(opened, _left(server))
        grown = heap() - before
        tracemalloc.stop()
        differences = recount.differences(samples(server.served.service.metrics.registry))
    if differences:
        raise Left("metrics do not agree: " + "; ".join(differences))
    if grown.traced > GROWTH + GROWTH_A_GAME * games:
        raise Left(f"{grown.traced} bytes on the heap after {games} rooms")
    return recount, grown


def heap() -> Heap:
    """Measure the heap.

    Raises:
        Left: a function remembers too many of its calls.
    """
    for cache in [one for one in gc.get_objects() if isinstance(one, _lru_cache_wrapper)]:
        if cache.cache_info().currsize > REMEMBERED:
            raise Left(f"{cache}: {cache.cache_info()}")
        cache.cache_clear()
    gc.collect()
    resident = int(Path("/proc/self/statm").read_text().split()[1]) * PAGE
    return Heap(tracemalloc.get_traced_memory()[0], len(gc.get_objects()), resident)


def _lots(games: int) -> list[int]:
    return [LOT] * (games // LOT) + [games % LOT] * (games % LOT > 0)


async def _live(server: World, luck: Random, recount: Recount, rooms: int) -> None:
    """Let some rooms live side by side until all of them are put away."""
    clock = server.clock
    kinds = luck.choices([*LIVES], [*LIVES.values()], k=rooms)
    sleeping: dict[Life, int] = {kind(Rough(server, luck, recount)): clock.now() for kind in kinds}
    while sleeping:
        life = min(sleeping, key=sleeping.__getitem__)
        await clock.goes_to(sleeping[life])
        until = await anext(life, None)
        if until is None:
            del sleeping[life]
        else:
            sleeping[life] = until
    await clock.passes(PUT_AWAY_MS)


def _left(server: World) -> Counter[str]:
    """Count everything that must be as it was once all rooms are put away."""
    going_on = Counter(tasks=len(asyncio.all_tasks()), bells=len(server.clock.alarms))
    return server.held() + going_on + Counter(server.complaints)


def _check(opened: Counter[str], left: Counter[str]) -> None:
    more = {what: count - opened[what] for what, count in left.items()}
    more = {what: count for what, count in more.items() if count > _allowed(what)}
    if more:
        raise Left(f"more than there was at first: {more}")


def _allowed(what: str) -> int:
    return LABELS if what.startswith(METRICS) else 0
