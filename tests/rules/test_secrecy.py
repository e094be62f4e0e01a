"""Nobody sees through: worlds that differ only in what a viewer may not know look alike to him.

For every game, seat and spectator, in every phase: table, private part, window, what may be done,
the events heard and the patches sent are compared byte by byte.
"""

from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from saleroom_protocol.codec import JSON, MSGPACK
from saleroom_rules.contract import AnyRules, IllegalAction, heard
from saleroom_rules.games import GAMES
from saleroom_rules.kunstmarkt.game import Kunstmarkt
from saleroom_rules.kunstmarkt.state import State
from saleroom_rules.playout import Turn, decode
from saleroom_server.rooms.views import Clock, Viewer, change, document, look
from tests.support.frames import frames
from tests.support.games import EVERY_VARIANT, Variant, strings_in
from tests.support.worlds import HIDDEN, OTHER_WORLD

CLOCK = Clock(1_790_000_000_000, 1_790_000_045_000)
every_variant = pytest.mark.parametrize("variant", EVERY_VARIANT, ids=str)
few = settings(max_examples=4, deadline=None)
seeds = st.integers(0, 2**32)
# So many kinds of windows come up in every game; trials and the like do not.
WINDOWS_MET = {"kunstmarkt": 2, "vernissage": 4, "pictura": 3, "toy": 2}
# A long game is looked into at some of its moments only.
LOOKED_INTO = {"vernissage": 0.25}


def shown(rules: AnyRules, state: Any, seats: int, viewer: Viewer) -> bytes:
    """Return every byte of a viewer's document."""
    return MSGPACK.encode(document(look(rules, state, seats, CLOCK), viewer))


def sent(
    rules: AnyRules, state: Any, seat: int, action: Any, viewer: Viewer, seats: int
) -> tuple[bytes, Any]:
    """Return the frame an action causes for a viewer, and the state after it."""
    step = rules.apply(state, seat, action)
    before = look(rules, state, seats, CLOCK)
    after = look(rules, step.state, seats, CLOCK)
    told_by = dict(frames(rules, step.events, change(before, after)))
    return told_by[viewer], step.state


def differences(variant: Variant, seed: int, luck: int) -> set[tuple[str, Viewer]]:
    """Play a game in pairs of worlds for every viewer; return in which windows, for whom, they met.

    Raises:
        AssertionError: a viewer can tell the worlds apart.
    """
    dice, met = Random(luck), set()
    share = LOOKED_INTO.get(variant.rules.key, 1)
    for state, turn in variant.moments(seed, luck):
        if dice.random() >= share:
            continue
        kind = variant.rules.window(state).kind
        for viewer in (None, *range(variant.seats)):
            if _meet(variant, state, turn, viewer, dice):
                met.add((kind, viewer))
    return met


def _meet(variant: Variant, state: Any, turn: Turn, viewer: Viewer, dice: Random) -> bool:
    """Compare a state and one step with another world; False if the step differs rightly."""
    rules, seats = variant.rules, variant.seats
    laid_open = strings_in(msgspec.to_builtins(turn.action))
    other = OTHER_WORLD[rules.key](state, viewer, laid_open, dice)
    assert rules.window(state) == rules.window(other)
    assert shown(rules, state, seats, viewer) == shown(rules, other, seats, viewer)
    try:
        here, after = sent(rules, state, turn.seat, turn.action, viewer, seats)
        there, other_after = sent(rules, other, turn.seat, turn.action, viewer, seats)
    except IllegalAction:
        assert turn.seat != viewer, "what the viewer may do himself is the same in both"
        return False
    if rules.window(after) is None or rules.window(other_after) is None:
        return False  # at the end everything is laid open
    assert here == there
    return True


@every_variant
@given(seed=seeds, luck=seeds)
@few
def test_worlds_that_differ_only_in_secrets_look_alike(
    variant: Variant, seed: int, luck: int
) -> None:
    met = differences(variant, seed, luck)
    assert len({kind for kind, _ in met}) >= WINDOWS_MET[variant.rules.key]
    assert {viewer for _, viewer in met} == {None, *range(variant.seats)}


@every_variant
@given(seed=seeds, luck=seeds)
@few
def test_the_pairs_do_differ(variant: Variant, seed: int, luck: int) -> None:
    state = variant.dealt(seed)
    for viewer in (None, *range(variant.seats)):
        other_world, dice = OTHER_WORLD[variant.rules.key], Random(luck)
        assert any(other_world(state, viewer, (), dice) != state for _ in range(20))


@every_variant
@given(seed=seeds, luck=seeds)
@few
def test_no_byte_of_a_document_or_an_event_names_a_hidden_card(
    variant: Variant, seed: int, luck: int
) -> None:
    rules = variant.rules
    hidden, dice = HIDDEN[rules.key], Random(luck)
    share = LOOKED_INTO.get(rules.key, 1)
    for state, turn in variant.moments(seed, luck):
        if dice.random() >= share:
            continue
        sight = look(rules, state, variant.seats, CLOCK)
        after = turn.step.state
        laid_open = strings_in(msgspec.to_builtins(turn.action))
        for viewer in (None, *range(variant.seats)):
            told = JSON.encode(document(sight, viewer))
            assert not _named(hidden(state, viewer), told)
            if rules.window(after) is not None:
                # What one step lays open and hides again has been seen.
                secret = (hidden(state, viewer) & hidden(after, viewer)) - laid_open
                events = JSON.encode(heard(rules, turn.step.events, viewer))
                assert not _named(secret, events)


@every_variant
@given(seed=seeds, luck=seeds)
@few
def test_whatever_a_sealed_answer_is_all_others_get_the_same_bytes(
    variant: Variant, seed: int, luck: int
) -> None:
    rules, pick, met = variant.rules, Random(luck).choice, 0
    for state, turn in variant.moments(seed, luck):
        window = rules.window(state)
        if not window.sealed or len(window.owing) < 2 or turn.seat not in window.owing:
            continue
        listed = rules.legal(state, turn.seat)
        answers = [
            rules.complete(state, turn.seat, decode(rules, pick(listed), pick)) for _ in range(6)
        ]
        for viewer in {None, *range(variant.seats)} - {turn.seat}:
            different = {
                sent(rules, state, turn.seat, answer, viewer, variant.seats)[0]
                for answer in answers
            }
            assert len(different) == 1
            met += 1
    assert bool(met) == (rules.key != "kunstmarkt"), "the one game without sealed windows"


@every_variant
def test_the_seed_is_in_no_byte_that_is_sent(variant: Variant) -> None:
    seed = 2
    secret = seed.to_bytes(32, "big")
    for state, turn in variant.moments(seed, 1):
        assert state.rng.seed == secret
        for viewer in (None, *range(variant.seats)):
            frame, _ = sent(variant.rules, state, turn.seat, turn.action, viewer, variant.seats)
            told = shown(variant.rules, state, variant.seats, viewer) + frame
            assert secret not in told
            assert secret.hex().encode() not in told


def test_every_game_has_its_pairs_of_worlds() -> None:
    assert OTHER_WORLD.keys() == HIDDEN.keys() == GAMES.keys() | {"toy"}


class ShowsTheStock(Kunstmarkt):
    """A game that gives away the top of the stock, by an order nobody would notice."""

    def table(self, state: State) -> Any:
        table = super().table(state)
        if state.stock and state.stock[-1] < "p24":
            table = replace(table, players=dict(reversed(table.players.items())))
        return table


class HurriesWhoCannotOffer(Kunstmarkt):
    """A game that gives a bidder who has nothing to offer less time."""

    def window(self, state: State) -> Any:
        window = super().window(state)
        if window is not None and len(self.legal(state, window.seats[0])) == 1:
            window = replace(window, seconds=2)
        return window


class TellsWhatWasDrawn(Kunstmarkt):
    """A game that forgets to mask an event."""

    def tell(self, event: Any, viewer: Viewer) -> Any:
        return event


@pytest.mark.parametrize("leaky", [ShowsTheStock, HurriesWhoCannotOffer, TellsWhatWasDrawn])
def test_a_leak_is_found(leaky: type[Kunstmarkt]) -> None:
    def look_for_it() -> None:
        rules = leaky()
        for seed in range(20):
            differences(Variant(rules, 4, rules.options()), seed, seed)

    with pytest.raises(AssertionError):
        look_for_it()


def _named(hidden: set[str], told: bytes) -> bool:
    return any(f'"{card}"'.encode() in told for card in hidden)
