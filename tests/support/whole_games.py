"""One random game checked from end to end; CI plays some of these, the soak very many."""

from random import Random
from typing import Any

import msgspec
from msgspec import Struct

from saleroom_protocol.games.forms import Pick
from saleroom_protocol.games.record import Header
from saleroom_rules.contract import AnyRules, Outcome, Window
from saleroom_rules.games import GAMES
from saleroom_rules.playout import (
    Choose,
    Move,
    at_random,
    deal,
    decode,
    describe,
    play,
    write_record,
)
from saleroom_rules.record import read
from saleroom_rules.replay import replay, verify
from tests.support.conservation import CONSERVED
from tests.support.games import Variant


class Checked(Struct, frozen=True):
    """How a checked game went."""

    actions: int
    outcome: Outcome


def header(variant: Variant, index: int) -> Header:
    """Describe the index-th random game of a variant."""
    secret = index.to_bytes(32, "big")
    room, options = "raaaaaaaaaaaa", variant.options
    return describe(variant.rules, variant.seats, secret, room=room, created_at=0, options=options)


def check_game(described: Header, luck: int) -> Checked:
    """Play a game; check that it ends, conserves, and replays to the same bytes."""
    rules, conserved = GAMES[described.game], CONSERVED[described.game]
    state, turns = deal(described), []
    for turn in play(rules, state, described.seats, at_random(Random(luck).choice)):
        conserved(state, turn)
        state = turn.step.state
        turns.append(turn)
    outcome = rules.outcome(state)
    assert outcome is not None
    record = write_record(described, turns)
    assert verify(record) == read(record)
    steps = [step for played in replay(read(record)) for step in played.steps]
    assert [*map(msgspec.msgpack.encode, (turn.step for turn in turns))] == [
        *map(msgspec.msgpack.encode, steps[1:])
    ]
    return Checked(len(turns), outcome)


def check_end(variant: Variant, luck: int) -> Outcome:
    """Play a game quickly to its end; check what is conserved there."""
    conserved, before = CONSERVED[variant.rules.key], variant.dealt(luck)
    turns = play(variant.rules, before, variant.seats, briskly(Random(luck).choice))
    for turn in turns:
        before, last = turn.step.state, (before, turn)
    conserved(*last)
    outcome: Outcome = variant.rules.outcome(before)
    return outcome


def briskly(pick: Pick) -> Choose:
    """Return a chooser that takes any entry at random and does nothing it is not asked for."""

    def choose(rules: AnyRules, state: Any, seats: int, window: Window) -> Move:
        seat = window.owing[0]
        return Move(seat, decode(rules, pick(rules.legal(state, seat)), pick))

    return choose
