"""Random games by the ten thousand: they end, conserve, and replay to the same bytes.

Prints, for every game, number of seats and setting: lengths, endings, actions a second. Exit code 1
at the first game that breaks a promise, with what it takes to play it again.
"""

import argparse
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from os import cpu_count
from statistics import mean, median
from time import perf_counter

from saleroom_rules.games import GAMES
from tests.support.games import Variant, variants
from tests.support.whole_games import Checked, check_game, header

CHUNK = 50


def arguments(parser: argparse.ArgumentParser) -> None:
    """Say what can be set."""
    parser.add_argument("--game", choices=GAMES, help="only this one")
    parser.add_argument("--games", type=int, default=10_000, help="per number of seats and setting")
    parser.add_argument("--first", type=int, default=0, help="number of the first game")
    parser.add_argument("--workers", type=int, default=cpu_count() or 1)


def run(chosen: argparse.Namespace) -> int:
    """Play and check; report."""
    with ProcessPoolExecutor(chosen.workers) as workers:
        for number, variant in enumerate(variants()):
            if chosen.game not in (None, variant.rules.key):
                continue
            begun, checked = perf_counter(), []
            games = range(chosen.first, chosen.first + chosen.games)
            results = workers.map(partial(_checked, number), games, chunksize=CHUNK)
            for done, result in enumerate(results, 1):
                if isinstance(result, str):
                    print(f"\n{variant}: {result}")
                    return 1
                checked.append(result)
                if done % 500 == 0:
                    print(f"\r{variant}: {done}/{chosen.games}", end="", flush=True)
            _report(variant, checked, perf_counter() - begun)
    return 0


def _checked(number: int, index: int) -> Checked | str:
    try:
        return check_game(header(variants()[number], index), luck=number * 10**9 + index)
    except Exception as error:
        return f"game {index}: {type(error).__name__}: {error}"


def _report(variant: Variant, checked: list[Checked], seconds: float) -> None:
    lengths = sorted(game.actions for game in checked)
    endings = Counter(game.outcome.reason for game in checked).most_common()
    told = ", ".join(f"{reason} {count / len(checked):.1%}" for reason, count in endings)
    print(
        f"\r{variant}: {len(checked)} games, {sum(lengths)} actions, 0 faults; "
        f"actions a game {lengths[0]}–{lengths[-1]}, median {median(lengths):.0f}, "
        f"mean {mean(lengths):.1f}; {told}; {sum(lengths) / seconds:,.0f} checked actions/s"
    )
