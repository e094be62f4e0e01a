"""`python -m tests.soak cuts`: the line breaks at every single step, and the client comes back.

A session is played once undisturbed, which counts its steps: frames that arrive at either end, and
turns of the event loop. Then it is played again for every step, the line breaking there, and for
every frame of the server, that frame getting lost. Each time the client must arrive at what the
server has, have heard every number once, have one receipt for each request, which took effect once;
and when all have gone, nothing may be left of it.
"""

import argparse
import asyncio
from collections.abc import Awaitable, Callable, Iterator
from itertools import product
from time import monotonic
from typing import Any, get_args
from unittest.mock import patch

from msgspec import Struct

from saleroom_rules.games import GAMES
from tests.soak.sessions import BySdk, Plainly, Session
from tests.support.games import TOY
from tests.support.lines import Fate, When


async def one_game(session: Plainly) -> None:
    """Join, act, say, be displaced by one's own second socket, leave, come back, see a restart."""
    room = await session.begins()
    await session.opens()
    await session.joins(room)
    session.acts_in(room)
    session.says_in(room)
    await session.settles()
    await session.others_act(room)
    session.acts_in(room)
    await session.opens()
    await session.others_act(room)
    await session.leaves(room)
    await session.others_act(room)
    await session.joins(room)
    session.acts_in(room)
    await session.restarts()
    session.says_in(room)
    await session.settles()
    await session.others_act(room)
    await session.ends()


async def two_games(session: Plainly) -> None:
    """Play two games of the same players at once, on one socket."""
    rooms = [await session.begins(), await session.begins()]
    await session.opens()
    for room in rooms:
        session.client.joins(room)
    await session.settles()
    for _ in range(2):
        for room in rooms:
            session.acts_in(room)
            session.says_in(room)
        await session.settles()
        for room in rooms:
            await session.others_act(room)
    await session.ends()


async def two_games_by_sdk(session: BySdk) -> None:
    """Play two games of the same players at once by the SDK; leave one and come back to it."""
    rooms = [await session.begins(), await session.begins()]
    await session.does(session.connection.__aenter__())
    for room in rooms:
        await session.joins(room)
    for room in rooms:
        await session.acts_in(room)
        await session.others_act(room)
    await session.restarts()
    for room in rooms:
        await session.says_in(room)
        await session.acts_in(room)
    await session.leaves(rooms[0])
    await session.others_act(rooms[0])
    await session.joins(rooms[0])
    await session.others_act(rooms[1])
    await session.ends()


class Scenario(Struct, frozen=True):
    """A session, and what may befall it."""

    session: type[Session]
    script: Callable[[Any], Awaitable[None]]
    drops: bool = True  # whether a frame may get lost without the line breaking


SCENARIOS = {
    "one game": Scenario(Plainly, one_game),
    "two games at once": Scenario(Plainly, two_games),
    "two games by the SDK": Scenario(BySdk, two_games_by_sdk, drops=False),
}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Say what can be set."""
    parser.add_argument("--every", type=int, default=1, help="only every so manieth, to be quick")


def run(chosen: argparse.Namespace) -> int:
    """Cut everywhere and report."""
    return 1 if sum(_all(name, chosen.every) for name in SCENARIOS) else 0


def _all(name: str, every: int) -> int:
    """Let everything go wrong once; return how many promises were broken."""
    scenario, begun, faults = SCENARIOS[name], monotonic(), 0
    steps, frames = play(scenario, Fate())
    fates = [*fates_of(steps, frames if scenario.drops else 0)][::every]
    for fate in fates:
        try:
            play(scenario, fate)
        except Exception as error:
            faults += 1
            print(f"{name}, {fate}: {type(error).__name__}: {error}")
    print(
        f"{name}: {steps} steps, {frames} frames; played {len(fates)} times with a line that broke "
        f"or a frame that was lost, {faults} faults; {monotonic() - begun:.0f} s"
    )
    return faults


def fates_of(steps: int, frames: int) -> Iterator[Fate]:
    """Yield everything that can go wrong once in a session of so many steps and frames."""
    for step, noticed in product(range(steps), get_args(When)):
        yield Fate(cut=step, noticed=noticed)
    for frame in range(frames):
        yield Fate(drop=frame)


def play(scenario: Scenario, fate: Fate) -> tuple[int, int]:
    """Play a session; return how many steps and frames it had.

    Raises:
        AssertionError: a promise was broken.
    """

    async def playing() -> Session:
        session = scenario.session(fate)
        await session.node.opens()
        await scenario.script(session)
        return session

    with patch.dict(GAMES, toy=TOY):
        network = asyncio.run(playing()).network
    return network.steps, network.frames
