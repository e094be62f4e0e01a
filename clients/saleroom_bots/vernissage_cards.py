"""Vernissage: what cards are worth to a player, seen ones and those he may find. In Rubens."""

from collections.abc import Collection, Mapping

from saleroom_bots import vernissage_fate as fate
from saleroom_bots import vernissage_stairs as stairs
from saleroom_bots.vernissage_outlook import Outlook

# What it is worth to still have a card for later, and so what playing it costs.
KEEPING_UNLIMITED = 30_000
KEEPING_LIMITED = 5_000
KEEPING_CRITIC = 20_000

# What the first might is worth; each further one is worth less.
FIRST_MIGHT = 30_000
# A card that is of no use today may be tomorrow.
LATER = 0.6
# How many rounds it takes for a card that is no work to be of its full use.
IN_USE = 3


def worths(outlook: Outlook) -> Mapping[str, float]:
    """Say what each kind of brown card is worth to me: works by artist, others by kind."""
    works = {
        name: outlook.prospect(name, works + 1) for name, works in sorted(outlook.mine.items())
    }
    return {**works, **_others(outlook)}


def pile(outlook: Outlook, number: str, worths: Mapping[str, float]) -> float:
    """Say what it brings to look for the best card in a pile."""
    lies = outlook.table["piles"][number]
    return _best_of(outlook, lies["cards"], worths) - price(outlook, lies["price"])


def grey(outlook: Outlook) -> float:
    """Say what it brings to buy a grey card: the average of all I have not seen."""
    seen = {*outlook.you["cards"], *outlook.table["grey"]["discards"]}
    unseen = [
        card["steps"]
        for name, card in outlook.catalogue["cards"].items()
        if card["kind"] == "limited" and name not in seen
    ]
    gains = {steps: _limited(outlook, steps) for steps in sorted(set(unseen))}
    hoped = sum(gains[steps] for steps in unseen) / max(1, len(unseen))
    return hoped - price(outlook, outlook.table["grey"]["price"])


def price(outlook: Outlook, rubens: int) -> float:
    """Say what a price costs me in the end: what is borrowed for it costs more."""
    numbers, cash = outlook.catalogue, outlook.me["cash"]
    loans = max(0, -((cash - rubens) // numbers["loan"]))
    return float(rubens + loans * (numbers["note"] - numbers["loan"]))


def critic(outlook: Outlook, agents: Collection[int]) -> float:
    """Say what a critic in my hand brings with agents on these steps, if there is one."""
    if not outlook.kinds["critic"]:
        return 0.0
    return _critic(outlook, agents) - KEEPING_CRITIC


def _best_of(outlook: Outlook, count: int, worths: Mapping[str, float]) -> float:
    """Say what the best of so many cards is likely to be worth; whatever costs is not kept.

    The best one is worth no more than a value if none is, and any of them is any unseen card.
    """
    unseen = outlook.unseen
    values = sorted((max(0.0, worth), unseen[name]) for name, worth in worths.items())
    all_of_them, up_to, below, best = max(1, unseen.total()), 0, 0.0, 0.0
    for worth, number in values:
        up_to += number
        chance = (up_to / all_of_them) ** count
        best += worth * (chance - below)
        below = chance
    return best


def _others(outlook: Outlook) -> Mapping[str, float]:
    """Say what might, a critic and an unlimited step change are worth, the more I have the less."""
    use = min(1.0, outlook.rounds_left / IN_USE)
    first = {
        "might": FIRST_MIGHT,
        "critic": max(
            _critic(outlook, outlook.me["agents"]),
            LATER * _critic(outlook, range(1, outlook.catalogue["steps"] + 1)),
        ),
        "unlimited": max(KEEPING_UNLIMITED, _unlimited(outlook)),
    }
    return {kind: use * worth / (1 + outlook.kinds[kind]) for kind, worth in first.items()}


def _critic(outlook: Outlook, agents: Collection[int]) -> float:
    gains = [
        fate.criticised(outlook, name)
        for name, artist in sorted(outlook.table["artists"].items())
        if artist.get("step") in agents
    ]
    return max([0.0, *gains])


def _unlimited(outlook: Outlook) -> float:
    standing = outlook.me["agents"]
    sent = [stairs.sent(outlook, steps) for steps in stairs.posts(outlook)]
    return max(stairs.influence(outlook, stairs.after(standing, moves)) for moves in sent) - (
        stairs.influence(outlook, standing)
    )


def _limited(outlook: Outlook, steps: int) -> float:
    now = stairs.influence(outlook, outlook.me["agents"])
    gains = [stairs.influence(outlook, agents) - now for agents in stairs.reached(outlook, steps)]
    return max([KEEPING_LIMITED, *gains]) / (1 + outlook.kinds["limited"])
