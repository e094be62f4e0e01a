"""Vernissage: the odds of a Trial of Strength."""

from collections import Counter
from itertools import product
from math import floor

_DICE = Counter(one + two for one, two in product(range(1, 7), repeat=2))


def _odds(ahead: int) -> float:
    """Return how likely two dice and so much more beat two dice; a tie is as good as half."""
    rolls = product(_DICE.items(), repeat=2)
    won = sum(
        ways * others * (1.0 if own + ahead > other else 0.5)
        for (own, ways), (other, others) in rolls
        if own + ahead >= other
    )
    return won / 6**4


SURE = 11  # so far ahead, the dice decide nothing
_ODDS = {ahead: _odds(ahead) for ahead in range(-SURE, SURE + 1)}


def odds(ahead: float) -> float:
    """Say how likely a side wins that has so much more might, perhaps on average."""
    ahead = max(-SURE, min(SURE, ahead))
    below = floor(ahead)
    share = ahead - below
    return _ODDS[below] * (1 - share) + _ODDS[min(below + 1, SURE)] * share


def reaches(total: int) -> float:
    """Say how likely two dice show so much or more."""
    return sum(ways for roll, ways in _DICE.items() if roll >= total) / 6**2
