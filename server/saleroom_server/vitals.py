"""How the process is: how late its event loop, how long its full garbage collections."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any

from prometheus_client import Histogram

from saleroom_server.clock import Clock

FULL = 2  # the oldest generation


async def pulse(clock: Clock, every_ms: int, lag: Histogram) -> None:
    """Wake up now and then, for ever, and note how late that was."""
    while True:
        expected = clock.now() + every_ms
        await clock.sleep(every_ms)
        lag.observe(max(0, clock.now() - expected) / 1000)


@contextmanager
def collections_timed(durations: Histogram) -> Iterator[None]:
    """Note meanwhile how long full collections take."""
    began = 0.0

    def note(phase: str, about: dict[str, Any]) -> None:
        nonlocal began
        if about["generation"] != FULL:
            return
        if phase == "start":
            began = perf_counter()
        else:
            durations.observe(perf_counter() - began)

    gc.callbacks.append(note)
    try:
        yield
    finally:
        gc.callbacks.remove(note)
