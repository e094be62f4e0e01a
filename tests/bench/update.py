"""What one action's public update costs: table built, diffed, encoded once, per-seat parts.

Everything from the state after the action to the frames of all seats and of the spectators. The
yardstick does the same the plain way: a whole document for each viewer, as maps, diffed as maps.
"""

from functools import partial
from statistics import mean
from typing import Any

import msgspec

from saleroom_protocol.codec import MSGPACK
from saleroom_protocol.messages import Update
from saleroom_protocol.patch import diff
from saleroom_rules.contract import heard
from saleroom_server.rooms.views import Clock, change, document, look
from tests.bench.timing import alternate
from tests.support.frames import frames
from tests.support.games import Variant, variants

GAMES = 20
TARGET_US = 80
CLOCK = Clock(1_790_000_000_000, 1_790_000_045_000)


def run(rounds: int) -> None:
    """Measure every game at every number of seats."""
    print("update: µs of CPU an action, all viewers' frames written (median, best of the rounds)")
    for variant in variants():
        games = [_game(variant, seed) for seed in range(GAMES)]
        works = (partial(_views, variant, games), partial(_documents, variant, games))
        ours, plain = alternate(rounds, *works)
        sizes = [len(frame) for game in games[:3] for frame in _frames(variant, game)]
        print(
            f"  {variant!s:28} {ours.middle * 1e6:6.1f} {ours.best * 1e6:6.1f}   "
            f"target {TARGET_US}: {'met' if ours.middle * 1e6 <= TARGET_US else 'MISSED'};   "
            f"a document for each viewer {plain.middle * 1e6:6.1f} "
            f"({plain.middle / ours.middle:.1f} × as much);   {mean(sizes):.0f} bytes a frame"
        )


def _game(variant: Variant, seed: int) -> list[tuple[Any, tuple[Any, ...]]]:
    """Return the states of a game, each with the events that led to it."""
    moves = [(variant.dealt(seed), ())]
    moves.extend((turn.step.state, turn.step.events) for _, turn in variant.turns(seed, seed))
    return moves


def _views(variant: Variant, games: list[list[tuple[Any, tuple[Any, ...]]]]) -> int:
    return sum(len(_frames(variant, game)) for game in games) // (variant.seats + 1)


def _frames(variant: Variant, game: list[tuple[Any, tuple[Any, ...]]]) -> list[bytes]:
    """Return every frame of a game, all seats' and the spectators'."""
    told: list[bytes] = []
    before = look(variant.rules, game[0][0], variant.seats, CLOCK)
    for seq, (state, events) in enumerate(game[1:]):
        after = look(variant.rules, state, variant.seats, CLOCK)
        told += [
            frame for _, frame in frames(variant.rules, events, change(before, after), seq=seq)
        ]
        before = after
    return told


def _documents(variant: Variant, games: list[list[tuple[Any, tuple[Any, ...]]]]) -> int:
    viewers = (*range(variant.seats), None)
    done = 0
    for game in games:
        before: dict[Any, Any] = {}
        for seq, (state, events) in enumerate(game):
            sight = look(variant.rules, state, variant.seats, CLOCK)
            for viewer in viewers:
                shown = document(sight, viewer)
                if viewer in before:
                    MSGPACK.encode(
                        Update(
                            room="raaaaaaaaaaaa",
                            epoch="e",
                            seq=seq,
                            at=CLOCK.opened_at,
                            patch=diff(before[viewer], shown),
                            events=msgspec.to_builtins(heard(variant.rules, events, viewer)),
                        )
                    )
                before[viewer] = shown
        done += len(game) - 1
    return done
