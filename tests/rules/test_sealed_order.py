"""Sealed answers come to light all at once, and nothing in it tells who gave theirs first."""

from collections.abc import Sequence
from itertools import permutations
from random import Random
from typing import Any

import pytest

from saleroom_protocol.codec import MSGPACK
from saleroom_rules.contract import AnyRules, heard
from saleroom_rules.playout import decode
from saleroom_server.rooms.views import Clock, document, look
from tests.rules.vernissage.test_hidden import HAND
from tests.rules.vernissage.test_hidden import SEALED as VERNISSAGE
from tests.support.games import TOY, Variant
from tests.support.pictura import RULES as PICTURA
from tests.support.pictura import table
from tests.support.vernissage import RULES

CLOCK = Clock(1_790_000_000_000, 1_790_000_045_000)
Answers = dict[int, Any]
POSITIONS: dict[str, tuple[AnyRules, Any]] = {
    "keep_trend": (PICTURA, Variant(PICTURA, 4, PICTURA.options()).dealt(5)),
    "arrange_final": (PICTURA, table("arrange_final", museums={0: ["p001"], 1: ["p002", "p003"]})),
    "toy": (TOY, Variant(TOY, 3, TOY.options()).dealt(5)),
    **{kind: (RULES, begun(*HAND).state) for kind, (begun, _) in VERNISSAGE.items()},
}


@pytest.mark.parametrize("kind", POSITIONS)
def test_in_whatever_order_sealed_answers_come_they_lead_to_the_same(kind: str) -> None:
    rules, state = POSITIONS[kind]
    window, luck = rules.window(state), Random(4)
    assert window is not None
    assert window.sealed
    assert len(window.owing) > 1
    for _ in range(12):
        answers = {seat: chosen(rules, state, seat, luck) for seat in window.owing}
        ends = [after(rules, state, answers, order) for order in permutations(window.owing)]
        assert all(end == ends[0] for end in ends)


def chosen(rules: AnyRules, state: Any, seat: int, luck: Random) -> Any:
    """Choose an answer of those listed."""
    entry = luck.choice(rules.legal(state, seat))
    return rules.complete(state, seat, decode(rules, entry, luck.choice))


def after(rules: AnyRules, state: Any, answers: Answers, order: Sequence[int]) -> list[bytes]:
    """Let all answer in an order; return what everybody then sees and has heard."""
    for count, seat in enumerate(order, 1):
        step = rules.apply(state, seat, answers[seat])
        state = step.state
        assert bool(step.events) == (count == len(order)), "not before the last has answered"
    seats = rules.seats[-1] if rules is TOY else len(state.players)
    sight = look(rules, state, seats, CLOCK)
    viewers = (None, *range(seats))
    shown = [MSGPACK.encode(document(sight, viewer)) for viewer in viewers]
    return shown + [MSGPACK.encode(heard(rules, step.events, viewer)) for viewer in viewers]
