"""How many actions a second the rules play: window, legal, a random choice, apply."""

import hashlib
from random import Random

from saleroom_rules.playout import at_random, play
from tests.bench.timing import alternate
from tests.support.games import Variant, variants

GAMES = 60
TARGET = 20_000  # actions a second on one core
HASHES = 200_000


def run(rounds: int) -> None:
    """Measure every game at every number of seats; the yardstick is hashing short strings."""
    print("simulate: actions/s of random games (median, best of the rounds)")
    for variant in variants():

        def games(variant: Variant = variant) -> int:
            luck = Random(1)
            return sum(
                1
                for seed in range(GAMES)
                for _ in play(
                    variant.rules, variant.dealt(seed), variant.seats, at_random(luck.choice)
                )
            )

        played, hashed = alternate(rounds, games, hashes)
        speed = 1 / played.middle
        print(
            f"  {variant!s:28} {speed:9,.0f} {1 / played.best:9,.0f}   "
            f"target {TARGET:,}: {'met' if speed >= TARGET else 'MISSED'};   "
            f"one action = {played.middle / hashed.middle:.1f} short SHA-256"
        )


def hashes() -> int:
    """The yardstick."""
    for number in range(HASHES):
        hashlib.sha256(number.to_bytes(8, "big")).digest()
    return HASHES
