"""Attackers taking turns and in parallel, in a process of their own.

They come from addresses of their own, so that each has an address's whole budget.
"""

import asyncio
import logging
import resource
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import cycle
from random import Random
from time import monotonic

import msgspec

from tests.soak.attacks import ATTACKS
from tests.soak.attacks.attacker import Attacker

ADDRESSES = 40
TURN_S = 30.0  # that an attack may take

Came = dict[str, dict[str, int]]  # by attack: its outcomes, and "times"


def main(port: str, seconds: str, attackers: str, seed: str) -> None:
    """Attack a server for some time; write what came of it, as JSON."""
    logging.getLogger("asyncio").setLevel(logging.ERROR)  # it warns of lines that are cut
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    until = monotonic() + float(seconds)
    came = asyncio.run(_assault(int(port), until, int(attackers), Random(seed)))
    sys.stdout.buffer.write(msgspec.json.encode(came))


async def _assault(port: int, until: float, attackers: int, luck: Random) -> Came:
    came: dict[str, Counter[str]] = defaultdict(Counter)
    names = _turns(luck)
    addresses = cycle(f"127.0.1.{number}" for number in range(1, ADDRESSES + 1))
    async with asyncio.TaskGroup() as tasks:
        for _ in range(attackers):
            tasks.create_task(_attacker(port, until, names, addresses, luck, came))
    return {attack: {**outcomes} for attack, outcomes in came.items()}


def _turns(luck: Random) -> Iterator[str]:
    """Yield the names of attacks: all, in any order, again and again."""
    while True:
        yield from luck.sample([*ATTACKS], len(ATTACKS))


async def _attacker(
    port: int,
    until: float,
    names: Iterator[str],
    addresses: Iterator[str],
    luck: Random,
    came: dict[str, Counter[str]],
) -> None:
    while monotonic() < until:
        name = next(names)
        came[name]["times"] += 1
        chance = Random(luck.random())
        try:
            async with (
                asyncio.timeout(TURN_S),
                Attacker(port, next(addresses), chance, came[name]) as attacker,
            ):
                await ATTACKS[name](attacker)
        except Exception as error:  # whatever stops an attack: the next one goes on
            came[name][type(error).__name__] += 1


if __name__ == "__main__":
    main(*sys.argv[1:])
