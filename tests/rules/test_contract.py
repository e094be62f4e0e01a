"""What every game must keep, whatever its rules: the promises of `contract.Rules`."""

import pickle
from collections.abc import Iterator
from functools import partial
from io import StringIO
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from saleroom_protocol.games import VOCABULARIES
from saleroom_protocol.games.common import GREATEST_INTEGER, Private
from saleroom_protocol.games.forms import Form
from saleroom_protocol.values import unfit
from saleroom_rules.contract import IllegalAction, Outcome, Window, ranking
from saleroom_rules.games import GAMES
from saleroom_rules.kunstmarkt.game import Kunstmarkt
from saleroom_rules.playout import decode
from saleroom_rules.rng import Rng
from tests.support.games import EVERY_VARIANT, Variant, component_ids, listed, mutated, variants

every_variant = pytest.mark.parametrize("variant", EVERY_VARIANT, ids=str)
seeds = st.integers(0, 2**32)
few = settings(max_examples=8, deadline=None)
ADVISED = {
    "pictura": {"arrange_final"},
    "toy": {"place"},
}  # the kinds of windows in which there is advice


def encoded(value: Any) -> bytes:
    return msgspec.msgpack.encode(value)


def test_there_is_a_vocabulary_for_every_game_and_no_other() -> None:
    assert VOCABULARIES.keys() == GAMES.keys()


@pytest.mark.parametrize("key", GAMES)
def test_a_games_types_are_those_of_its_vocabulary(key: str) -> None:
    rules, vocabulary = GAMES[key], VOCABULARIES[key]
    assert rules.key == key
    assert (rules.options, rules.action_type) == (vocabulary.options, vocabulary.action)
    assert isinstance(rules.catalogue(), vocabulary.catalogue)


@pytest.mark.parametrize("key", GAMES)
def test_a_catalogue_is_fit_for_the_wire_and_names_the_fields_it_reconstructs(key: str) -> None:
    catalogue = msgspec.to_builtins(GAMES[key].catalogue())
    assert unfit(msgspec.json.decode(msgspec.json.encode(catalogue))) is None
    for path in catalogue["reconstructed"]:
        value = catalogue
        for step in path.split("."):
            value = value[step]


@pytest.mark.parametrize("key", VOCABULARIES)
def test_what_a_client_may_send_holds_only_integers_that_every_client_can_read(key: str) -> None:
    action = msgspec.inspect.type_info(VOCABULARIES[key].action)
    numbers = [kind for kind in parts(action) if isinstance(kind, msgspec.inspect.IntType)]
    bounds = {(number.ge, number.le) for number in numbers}
    assert bounds <= {(-GREATEST_INTEGER, GREATEST_INTEGER)}


def parts(kind: Any) -> Iterator[Any]:
    """Yield a type and all that it is made of."""
    yield kind
    for name in kind.__struct_fields__:
        held = getattr(kind, name)
        for part in held if isinstance(held, tuple) else (held,):
            if isinstance(part, msgspec.inspect.Field):
                yield from parts(part.type)
            elif isinstance(part, msgspec.inspect.Type):
                yield from parts(part)


@every_variant
@given(seed=seeds, luck=seeds)
@few
def test_windows_ask_who_owes_and_only_they_have_something_to_do(
    variant: Variant, seed: int, luck: int
) -> None:
    rules, number, asked = variant.rules, 0, ()
    for state, _ in variant.moments(seed, luck):
        window = rules.window(state)
        assert window.number >= number
        assert window.number > number or window.seats == asked
        number, asked = window.number, window.seats
        assert window.owing
        assert list(window.seats) == sorted(window.seats)
        assert set(window.answered) < set(window.seats)
        assert isinstance(window.facts, variant.vocabulary.facts[window.kind])
        for seat in range(variant.seats):
            assert bool(rules.legal(state, seat)) == (seat in window.owing)


@every_variant
@given(seed=seeds, luck=seeds)
@few
def test_every_listed_action_and_filling_is_accepted(
    variant: Variant, seed: int, luck: int
) -> None:
    rules, pick = variant.rules, Random(luck).choice
    for state, _ in variant.moments(seed, luck):
        for seat in range(variant.seats):
            for entry in (*rules.legal(state, seat), *rules.anytime(state, seat)):
                for _ in range(3 if isinstance(entry, Form) else 1):
                    action = decode(rules, entry, pick)
                    assert listed([entry], action)
                    rules.apply(state, seat, rules.complete(state, seat, action))


@every_variant
@given(seed=seeds, luck=seeds)
@few
def test_an_action_not_listed_is_refused_with_a_documented_reason_and_changes_nothing(
    variant: Variant, seed: int, luck: int
) -> None:
    rules, dice, whys = variant.rules, Random(luck), variant.vocabulary.why
    for state, turn in variant.moments(seed, luck):
        if dice.random() > 0.2:
            continue
        before = encoded(state)
        for seat in range(variant.seats):
            allowed = [*rules.legal(state, seat), *rules.anytime(state, seat)]
            for action in (turn.action, *mutated(rules, turn.action, dice)):
                if listed(allowed, action):
                    rules.apply(state, seat, rules.complete(state, seat, action))
                    continue
                with pytest.raises(IllegalAction) as refused:
                    rules.apply(state, seat, rules.complete(state, seat, action))
                assert isinstance(refused.value.why, whys)
                assert set(refused.value.facts) == set(refused.value.why.facts)
                assert unfit(refused.value.facts) is None
        assert encoded(state) == before


@every_variant
@given(seed=seeds, luck=seeds)
@few
def test_what_time_running_out_plays_and_what_is_advised_is_listed_and_always_the_same(
    variant: Variant, seed: int, luck: int
) -> None:
    rules, advised = variant.rules, set()
    for state, _ in variant.turns(seed, luck):
        window = rules.window(state)
        for seat in window.owing:
            default, puzzle = rules.default(state, seat), rules.puzzle(state, seat)
            assert (default, puzzle) == (rules.default(state, seat), rules.puzzle(state, seat))
            assert listed(rules.legal(state, seat), default)
            if puzzle is not None and window.kind not in advised:  # it is slow
                advised.add(window.kind)
                action = rules.advise(puzzle)
                assert listed(rules.legal(state, seat), action)
                assert pickle.loads(pickle.dumps(partial(rules.advise, puzzle)))() == action
    assert advised == ADVISED.get(rules.key, set())


def test_a_game_without_puzzles_has_no_advice() -> None:
    with pytest.raises(NotImplementedError):
        Kunstmarkt().advise(None)


@every_variant
@given(seed=seeds, luck=seeds)
@few
def test_a_budget_names_one_stretch_of_windows_of_one_length(
    variant: Variant, seed: int, luck: int
) -> None:
    lengths: dict[str, set[int]] = {}
    for state, _ in variant.moments(seed, luck):
        window = variant.rules.window(state)
        if window.budget:
            lengths.setdefault(window.budget, set()).add(window.seconds)
    assert all(len(seconds) == 1 for seconds in lengths.values())
    assert bool(lengths) == (variant.rules.key != "kunstmarkt"), "the one game without budgets"


@every_variant
@given(seed=seeds)
@few
def test_defaults_alone_lead_to_the_end(variant: Variant, seed: int) -> None:
    rules, state = variant.rules, variant.dealt(seed)
    steps = 0
    while (window := rules.window(state)) is not None:
        seat = window.owing[0]
        action = rules.complete(state, seat, rules.default(state, seat))
        state = rules.apply(state, seat, action).state
        steps += 1
        assert steps < 5_000
    assert rules.outcome(state) is not None


@every_variant
@given(seed=seeds, luck=seeds)
@few
def test_a_state_survives_being_written_and_read_and_an_action_does_not_touch_the_old_one(
    variant: Variant, seed: int, luck: int
) -> None:
    rules = variant.rules
    for state, turn in variant.moments(seed, luck):
        before = encoded(state)
        assert msgspec.msgpack.decode(before, type=rules.state_type) == state
        rules.apply(state, turn.seat, turn.action)
        assert encoded(state) == before


@every_variant
@given(seed=seeds, luck=seeds)
@few
def test_what_is_shown_is_fit_for_the_wire(variant: Variant, seed: int, luck: int) -> None:
    rules = variant.rules
    vocabulary = variant.vocabulary
    for state, turn in variant.moments(seed, luck):
        shown = [rules.table(state), rules.window(state).facts, turn.action, *turn.step.events]
        for seat in range(variant.seats):
            entries = (*rules.legal(state, seat), *rules.anytime(state, seat))
            shown += [entry.wire() if isinstance(entry, Form) else entry for entry in entries]
            shown.append(rules.private(state, seat))
        for part in shown:
            assert unfit(msgspec.json.decode(msgspec.json.encode(part))) is None
        assert isinstance(rules.table(state), vocabulary.table)
        assert isinstance(rules.private(state, 0), vocabulary.private)


@every_variant
@given(seed=seeds, luck=seeds)
@few
def test_what_a_spectator_hears_whole_everybody_hears_whole(
    variant: Variant, seed: int, luck: int
) -> None:
    rules = variant.rules
    for _, turn in variant.moments(seed, luck):
        for event in turn.step.events:
            if rules.tell(event, None) is event:
                for seat in range(variant.seats):
                    assert rules.tell(event, seat) is event


@pytest.mark.parametrize("variant", variants(), ids=str)
def test_a_state_prints_neither_its_seed_nor_a_card(variant: Variant) -> None:
    seed = bytes(range(100, 132))
    state = variant.rules.setup(variant.seats, variant.options, Rng(seed)).state
    parts = [state, *state.players]
    printed = StringIO()
    Console(file=printed).print(*parts, parts)
    told = f"{parts} {state} {printed.getvalue()}"
    assert repr(seed)[2:-1] not in told
    assert seed.hex() not in told
    assert not any(card in told for card in component_ids(variant.rules))


def test_in_a_playout_any_of_those_who_owe_may_come_first() -> None:
    variant = EVERY_VARIANT[-1]
    first = {next(variant.turns(1, luck))[1].seat for luck in range(40)}
    assert first == {0, 1, 2}


@every_variant
def test_a_private_part_leaves_the_documents_own_names_alone(variant: Variant) -> None:
    assert not {"seat", "anytime"} & set(variant.vocabulary.private.__struct_fields__)


@every_variant
@given(seed=seeds, luck=seeds)
@few
def test_the_own_sealed_answer_is_shown_while_its_window_is_open_and_no_longer(
    variant: Variant, seed: int, luck: int
) -> None:
    for state, _ in variant.moments(seed, luck):
        window = variant.rules.window(state)
        for seat in range(variant.seats):
            answer = getattr(variant.rules.private(state, seat), "answer", msgspec.UNSET)
            assert (answer is not msgspec.UNSET) == (window.sealed and seat in window.answered)


def _structs_of(struct: Any) -> set[type[msgspec.Struct]]:
    """Return a struct type and all struct types its fields are made of."""
    found: set[type[msgspec.Struct]] = set()
    waiting: list[Any] = [msgspec.inspect.type_info(struct)]
    while waiting:
        info = waiting.pop()
        if isinstance(info, msgspec.inspect.StructType):
            if info.cls in found:
                continue
            found.add(info.cls)
            waiting.extend(field.type for field in info.fields)
        waiting.extend(getattr(info, "types", ()))
        for part in ("item_type", "key_type", "value_type"):
            waiting.extend([getattr(info, part)] if hasattr(info, part) else [])
    return found


@every_variant
def test_whatever_is_left_out_on_the_wire_is_unset_and_nothing_else(variant: Variant) -> None:
    # A patch takes a default that is left out for a value that is there.
    vocabulary = variant.vocabulary
    shown = {vocabulary.table, vocabulary.private, *vocabulary.facts.values()}
    for struct in {part for root in shown for part in _structs_of(root)}:
        for field in msgspec.structs.fields(struct):
            if not field.required:
                assert field.default is msgspec.UNSET, f"{struct.__name__}.{field.name}"


@every_variant
def test_no_shown_field_may_hold_now_a_number_and_now_a_boolean(variant: Variant) -> None:
    # A difference between equal structs is not looked for, and true equals 1.
    vocabulary = variant.vocabulary
    shown = {vocabulary.table, vocabulary.private, *vocabulary.facts.values()}
    for struct in {part for root in shown for part in _structs_of(root)}:
        for field in msgspec.structs.fields(struct):
            info = msgspec.inspect.type_info(field.type)
            kinds = {type(kind) for kind in getattr(info, "types", (info,))}
            assert msgspec.inspect.AnyType not in kinds
            assert not {msgspec.inspect.BoolType, msgspec.inspect.IntType} <= kinds


def test_the_base_of_private_parts_has_no_field_of_its_own() -> None:
    assert Private.__struct_fields__ == ()


def test_a_window_knows_who_still_owes_an_answer() -> None:
    facts = VOCABULARIES["kunstmarkt"].facts["turn"]()
    window = Window(number=1, kind="turn", seats=(0, 1, 3), answered=(1,), seconds=1, facts=facts)
    assert window.owing == (0, 3)


@pytest.mark.parametrize(
    ("keys", "places"),
    [
        ([3, 1, 2], (1, 3, 2)),
        ([2, 2, 1], (1, 1, 3)),
        ([(1, 0), (1, 5), (0, 9)], (2, 1, 3)),
        ([0, 0, 0], (1, 1, 1)),
    ],
)
def test_equals_share_a_place_and_the_next_place_is_skipped(
    keys: list[Any], places: tuple[int, ...]
) -> None:
    assert ranking(keys) == places


@pytest.mark.parametrize(
    ("resigned", "places"),
    [
        (set(), (1, 2, 2, 4)),
        ({0}, (4, 1, 1, 3)),
        ({0, 1}, (3, 4, 1, 2)),
        ({1, 2}, (1, 3, 3, 2)),
        ({0, 1, 2, 3}, (1, 2, 2, 4)),
    ],
)
def test_who_resigned_ranks_behind_the_others(resigned: set[int], places: tuple[int, ...]) -> None:
    outcome = Outcome((40, 30, 30, 10), (1, 2, 2, 4), "over")
    assert outcome.demoting(resigned) == Outcome((40, 30, 30, 10), places, "over")
