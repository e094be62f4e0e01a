"""How strong `steady` is: whole games, every arrangement of seats in turn.

Prints, for every game, opponent, number of seats and setting: games won (a shared win counts in
parts), average score, milliseconds a decision. Exit code 1 if `steady` wins less than TARGET
anywhere.
"""

import argparse
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from itertools import permutations
from os import cpu_count
from random import Random
from statistics import mean
from time import process_time
from typing import Any

import msgspec
from msgspec import Struct

from saleroom_bots.registry import strategy_for
from saleroom_bots.strategy import Plain, Strategy
from saleroom_protocol.games.forms import Pick
from saleroom_rules.contract import AnyRules, Window
from saleroom_rules.playout import Choose, Move, play
from saleroom_server.rooms.views import Clock, document, look
from tests.soak.opponents import OPPONENTS
from tests.support.games import Variant, variants

TARGET = 0.6
VARIANTS = variants()
CLOCK = Clock(opened_at=0)
CHUNK = 10


class Fought(Struct, frozen=True):
    """One game between `steady` and an opponent."""

    share: float  # of the win, that went to steady
    score: float  # steady's, on average
    others: float  # the opponents'
    decisions: int  # steady's
    seconds: float  # that they took


def arguments(parser: argparse.ArgumentParser) -> None:
    """Say what can be set."""
    parser.add_argument("--game", choices=OPPONENTS, help="only this one")
    parser.add_argument("--games", type=int, default=500, help="per opponent, seats and setting")
    parser.add_argument("--first", type=int, default=0, help="number of the first game")
    parser.add_argument("--workers", type=int, default=cpu_count() or 1)


def run(chosen: argparse.Namespace) -> int:
    """Play and report."""
    games, enough = range(chosen.first, chosen.first + chosen.games), True
    with ProcessPoolExecutor(chosen.workers) as workers:
        for number, variant in enumerate(VARIANTS):
            if chosen.game not in (None, variant.rules.key):
                continue
            for opponent in OPPONENTS[variant.rules.key]:
                fight = partial(fought, number, opponent)
                fights = list(workers.map(fight, games, chunksize=CHUNK))
                _report(opponent, variant, fights)
                enough = enough and mean(fight.share for fight in fights) >= TARGET
    return 0 if enough else 1


def fought(number: int, opponent: str, index: int) -> Fought:
    """Play the index-th game of a variant, named by its number."""
    variant, luck, clock = VARIANTS[number], Random(index), _Stopwatch()
    steady = strategy_for(variant.rules.key, "steady")
    lineups = arrangements(variant.seats)
    lineup = lineups[index % len(lineups)]
    other = OPPONENTS[variant.rules.key][opponent]
    seated = [clock.timed(steady) if chosen else other for chosen in lineup]
    state = variant.dealt(index)
    for turn in play(variant.rules, state, variant.seats, choosing(seated, luck.choice)):
        state = turn.step.state
    outcome = variant.rules.outcome(state)
    winners = [seat for seat, place in enumerate(outcome.places) if place == 1]
    return Fought(
        share=mean(lineup[seat] for seat in winners),
        score=mean(_of(outcome.scores, lineup, True)),
        others=mean(_of(outcome.scores, lineup, False)),
        decisions=clock.decisions,
        seconds=clock.seconds,
    )


def arrangements(seats: int) -> list[tuple[bool, ...]]:
    """List every way `steady`, in half of the seats or less, and the opponents can sit."""
    steady = seats // 2
    return sorted(set(permutations((True,) * steady + (False,) * (seats - steady))))


def choosing(seated: list[Strategy], pick: Pick) -> Choose:
    """Return a chooser that asks the strategy in each seat, showing it what its player sees.

    Of several who may answer any comes first, else whoever sits first would bargain alone.
    """

    def choose(rules: AnyRules, state: Any, seats: int, window: Window) -> Move:
        seat = pick(window.owing) if len(window.owing) > 1 else window.owing[0]
        shown = document(look(rules, state, seats, CLOCK), seat)
        action = seated[seat](shown, catalogue_of(rules), pick)
        return Move(seat, msgspec.convert(action, rules.action_type))

    return choose


@cache
def catalogue_of(rules: AnyRules) -> Plain:
    """Return a game's catalogue as it comes over the wire."""
    plain: Plain = msgspec.json.decode(msgspec.json.encode(rules.catalogue()))
    return plain


class _Stopwatch:
    def __init__(self) -> None:
        self.decisions, self.seconds = 0, 0.0

    def timed(self, strategy: Strategy) -> Strategy:
        def decide(document: Plain, catalogue: Plain, pick: Pick) -> dict[str, Any]:
            begun = process_time()
            action = strategy(document, catalogue, pick)
            self.seconds += process_time() - begun
            self.decisions += 1
            return action

        return decide


def _of(scores: Iterable[int], lineup: Iterable[bool], steady: bool) -> list[int]:
    return [score for score, seated in zip(scores, lineup, strict=True) if seated is steady]


def _report(opponent: str, variant: Variant, fights: list[Fought]) -> None:
    wins, steady = sum(fight.share for fight in fights), variant.seats // 2
    pace = sum(fight.seconds for fight in fights) / sum(fight.decisions for fight in fights)
    print(
        f"{variant}: {steady} steady against {variant.seats - steady} {opponent}: {len(fights)} "
        f"games, {wins:.1f} won = {wins / len(fights):.1%}; average score "
        f"{mean(fight.score for fight in fights):,.0f} against "
        f"{mean(fight.others for fight in fights):,.0f}; {1000 * pace:.2f} ms a decision",
        flush=True,
    )
