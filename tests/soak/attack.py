"""`python -m tests.soak attack`: a server on which honest people play while others attack it.

The server is a process of its own, as an operator would run it, but that rooms nobody needs are put
away sooner. Attackers come from addresses of their own. Whatever they do, honest acts must be
answered, honest games end with records that verify, and the server must stay ready, log no error
and no more than a little, answer no `internal_error`, and in the end be as small as it was.
"""

import argparse
import asyncio
import sys
from asyncio.subprocess import PIPE
from collections.abc import Sequence
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from urllib.parse import urlsplit

import msgspec

from tests.soak.attacks import assault
from tests.soak.attacks.assault import Came
from tests.soak.attacks.attacker import FAULT, LEAK
from tests.soak.honest import Tables
from tests.soak.seen import Fallen, Seen, Watch
from tests.support.servers import ServerProcess, free_port

LOOK_S = 5.0
WARM_UP_S = 20.0  # before the attack: what an honest game takes
CALM_S = 420.0  # until all that attackers left behind must be gone
GREW_MIB = 300  # what Python keeps for later
SOON = {
    "SALEROOM_ROOM_WAITING_MS": "30000",
    "SALEROOM_ROOM_PAUSE_AFTER_MS": "15000",
    "SALEROOM_ROOM_ABANDONED_AFTER_MS": "15000",
    "SALEROOM_ROOM_KEPT_MS": "30000",
    "SALEROOM_ROOM_HOUSE_BOT_MS": "300",
    "SALEROOM_ROOM_HOUSE_BOT_SPREAD_MS": "300",
    "SALEROOM_LOBBY_KEY_KEPT_MS": "30000",
}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Say what can be set."""
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--tables", type=int, default=4, help="of honest people")
    parser.add_argument("--attackers", type=int, default=6, help="at a time")
    parser.add_argument("--seed", type=int, default=1)


def run(chosen: argparse.Namespace) -> int:
    """Attack and report."""
    fell = False
    try:
        asyncio.run(_attack(chosen))
    except* Fallen as fallen:
        print("It fell:", *fallen.exceptions, flush=True)
        fell = True
    return int(fell)


async def _attack(chosen: argparse.Namespace) -> None:
    metrics = free_port()
    env = {**SOON, "SALEROOM_METRICS_PORT": str(metrics)}
    with (
        TemporaryDirectory() as folder,
        ServerProcess(Path(folder) / "data", env=env) as server,
    ):
        watch = Watch(server, Path(folder) / "data", f"http://127.0.0.1:{metrics}/metrics")
        siege = _Siege(watch, Tables(server.url))
        begun, seconds = monotonic() + WARM_UP_S, chosen.minutes * 60
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(siege.tables.play(chosen.tables, begun + seconds))
            before = await siege.watched(begun)
            coming = tasks.create_task(assaulted(server.url, seconds, chosen))
            await siege.watched(begun + seconds)
        _tell(coming.result())
        await siege.calms(before)
        if server.stop():
            raise Fallen("it did not end well")


async def assaulted(url: str, seconds: float, chosen: argparse.Namespace) -> Came:
    """Have a server attacked by a process of its own; return what came of it."""
    asked = [str(urlsplit(url).port), str(seconds), str(chosen.attackers), str(chosen.seed)]
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", assault.__name__, *asked, stdout=PIPE
    )
    try:
        told, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
    return msgspec.json.decode(told, type=Came)


class _Siege:
    """What is seen while the server is under attack."""

    def __init__(self, watch: Watch, tables: Tables) -> None:
        self._watch, self.tables = watch, tables

    async def watched(self, until: float) -> Seen:
        """Look until a time of `monotonic`; return what was seen last.

        Raises:
            Fallen: see `Watch.look`.
        """
        while True:
            seen = await self._watch.look()
            print(f"{seen}; {self._told()}", flush=True)
            if monotonic() > until:
                return seen
            await asyncio.sleep(LOOK_S)

    async def calms(self, before: Seen) -> None:
        """Wait until nothing is left of what attackers and tables had.

        Raises:
            Fallen: something stays.
        """
        until = monotonic() + CALM_S
        while (seen := await self._watch.look()).rooms or seen.sockets:
            print(seen, flush=True)
            if monotonic() > until:
                raise Fallen(f"{seen.rooms} rooms and {seen.sockets} sockets are left")
            await asyncio.sleep(LOOK_S)
        print(f"before: {before}\nafter:  {seen}")
        if seen.resident - before.resident > GREW_MIB:
            raise Fallen(f"it grew by {seen.resident - before.resident:.0f} MiB")
        if seen.descriptors > before.descriptors or seen.threads > before.threads + 2:
            raise Fallen("descriptors or threads are left")

    def _told(self) -> str:
        tables, receipts = self.tables, sorted(self.tables.receipts)
        tables.receipts.clear()
        return (
            f"{len(receipts)} receipts, p50 {_share(receipts, 0.5):.0f} p99 "
            f"{_share(receipts, 0.99):.0f} max {_share(receipts, 1):.0f} ms; {tables.games} games, "
            f"{tables.agreed} seen alike, {tables.breaks} streams broken"
        )


def _share(ordered: Sequence[float], share: float) -> float:
    """Return a quantile, in ms."""
    return 1000 * ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else 0


def _tell(came: Came) -> None:
    """Print what was tried, and what came of it.

    Raises:
        Fallen: what must never come of it.
    """
    for attack, outcomes in sorted(came.items()):
        told = ", ".join(
            f"{what} {times}"
            for what, times in sorted(outcomes.items(), key=itemgetter(1), reverse=True)
        )
        print(f"{attack}: {told}")
    wrong = {
        attack
        for attack, outcomes in came.items()
        for what in outcomes
        if what == LEAK or FAULT in what
    }
    if wrong:
        raise Fallen(f"leaks or faults: {wrong}")
