"""How soon a server that was killed is back, with all its unfinished rooms.

Until /readyz says so; then until a room answers a join that was not yet read back. The yardstick is
the same server with no rooms at all.
"""

import argparse
import asyncio
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter, sleep
from urllib.error import URLError
from urllib.request import urlopen

from msgspec import Struct

from tests.bench.processes import Goal, compiled_once, environment
from tests.bench.stock import Stock, Table
from tests.bench.wires import joined
from tests.support.servers import ServerProcess

READY_S, JOINED_MS = 2.0, 200  # targets


class Back(Struct, frozen=True):
    """One return from the dead."""

    ready: float  # seconds, from the start of the process
    joined: float  # seconds, from then on


def run(chosen: argparse.Namespace) -> None:
    """Kill and start a server with rooms and one without in turn."""
    rooms: int = chosen.rooms
    print(
        f"recovery: {rooms:,} unfinished rooms of {chosen.acts} acts, after kill -9 (median, best)"
    )
    with tempfile.TemporaryDirectory() as directory:
        full, none = Path(directory) / "full" / "data", Path(directory) / "none" / "data"
        tables = asyncio.run(Stock(game=chosen.game, acts=chosen.acts).fill(full, rooms))
        asyncio.run(Stock().fill(none, 0))
        environ = {**environment(), **compiled_once(Path(directory))}
        backs: list[Back] = []
        bare: list[Back] = []
        with ServerProcess(full, env=environ) as server, ServerProcess(none, env=environ) as empty:
            for _ in range(chosen.rounds):
                backs.append(_back(server, tables[-1]))  # rooms are read back in order
                bare.append(_back(empty, None))
    _tell(backs, bare)


def _tell(backs: list[Back], bare: list[Back]) -> None:
    ready, came = [back.ready for back in backs], [back.joined * 1e3 for back in backs]
    empty = [back.ready for back in bare]
    goal = Goal(f"{READY_S:.0f} s", median(ready) < READY_S)
    print(f"  {'until ready':28} {median(ready):6.2f} s  {min(ready):6.2f} s    {goal}")
    goal = Goal(f"{JOINED_MS} ms", median(came) < JOINED_MS)
    print(f"  {'until a join is answered':28} {median(came):6.0f} ms {min(came):6.0f} ms   {goal}")
    remark = f"with rooms it takes {median(ready) / median(empty):.1f} × as long"
    print(f"  {'ready without rooms':28} {median(empty):6.2f} s  {min(empty):6.2f} s    {remark}")


def _back(server: ServerProcess, table: Table | None) -> Back:
    server.kill()
    begun = perf_counter()
    server.start()
    _await_ready(server.url)
    ready = perf_counter()
    if table is not None:
        (wire,) = joined(server.url, table.room, [table.tokens[0]])
        wire.until("view")
        wire.socket.close()
    return Back(ready - begun, perf_counter() - ready)


def _await_ready(url: str) -> None:
    while True:
        try:
            with urlopen(f"{url}/readyz", timeout=5):
                return
        except (URLError, OSError):
            sleep(0.005)
