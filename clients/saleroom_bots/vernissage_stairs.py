"""Vernissage: what it is worth to have agents beside artists, and where to send them."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations

from saleroom_bots.vernissage_outlook import Outlook

# The counter I lay is of about so many spaces where I want it large, and where I want it small.
LARGE, SMALL = 6, 1.5
# How often the die lets me raise an artist, and how often it wants one lowered.
RAISING, LOWERING = 0.5, 0.5
# What it is worth to be asked when others lay a counter, in spaces a round.
DEFENCE = 0.5
# For so many rounds agents are likely to stay where they are, before the artist jumps.
STAYING = 2.5


def influence(outlook: Outlook, agents: Collection[int]) -> float:
    """Say what agents on these steps bring me while they stand there.

    They let me raise the artist who matters most to me and lower the one who matters to others, and
    object where others do it. Who may not but lower an artist he likes at least lowers him little.
    """
    stakes = sorted(
        outlook.stakes[name]
        for name, artist in outlook.table["artists"].items()
        if artist.get("step") in agents
    )
    if not stakes:
        return 0.0
    raised, lowered = stakes[-1], -stakes[0]
    spaces = RAISING * raised * (LARGE if raised > 0 else SMALL)
    spaces += LOWERING * lowered * (LARGE if lowered > 0 else SMALL)
    spaces += DEFENCE * sum(abs(stake) for stake in stakes)
    return spaces * outlook.rubens * min(STAYING, outlook.rounds_left)


def loss(outlook: Outlook, step: int) -> float:
    """Say what I lose with the agent on a step."""
    agents = outlook.me["agents"]
    left = [agent for agent in agents if agent != step]
    return influence(outlook, agents) - influence(outlook, left)


def posts(outlook: Outlook) -> list[tuple[int, ...]]:
    """List the sets of steps on which an unlimited card can put all agents to some use."""
    taken = {artist["step"] for artist in outlook.table["artists"].values() if "step" in artist}
    agents = len(outlook.me["agents"]) + outlook.me["reserve"]
    steps = sorted(taken)
    return list(combinations(steps, min(agents, len(steps))))


def sent(outlook: Outlook, steps: Sequence[int]) -> dict[str, int]:
    """Say which agents have to move so that there is one on each of these steps."""
    standing = outlook.me["agents"]
    reserve = [f"reserve_{number}" for number in range(1, outlook.me["reserve"] + 1)]
    free = [*reserve, *(str(agent) for agent in standing if agent not in steps)]
    wanted = [step for step in steps if step not in standing]
    return dict(zip(free, wanted, strict=False))


def after(agents: Sequence[int], moves: Mapping[str, int]) -> list[int]:
    """Return the steps of the agents after these moves."""
    return [*(agent for agent in agents if str(agent) not in moves), *moves.values()]


def reached(outlook: Outlook, steps: int) -> Iterator[list[int]]:
    """Yield where my agents may stand after a limited card of so many steps."""
    standing = outlook.me["agents"]
    artists = {artist.get("step", 0) for artist in outlook.table["artists"].values()}
    for step in artists:
        if step in standing or not step:
            continue
        if outlook.me["reserve"] and step <= steps:
            yield [*standing, step]
        for agent in standing:
            if abs(agent - step) <= steps:
                yield [*(other for other in standing if other != agent), step]
