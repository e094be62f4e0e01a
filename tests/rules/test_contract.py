"""What every game must keep, whatever its rules: the promises of `contract.Rules`."""

from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saleroom_protocol.games import VOCABULARIES
from saleroom_protocol.games.common import Private
from saleroom_protocol.games.forms import Form
from saleroom_protocol.values import unfit
from saleroom_rules.contract import IllegalAction, Outcome, Window, ranking
from saleroom_rules.games import GAMES
from saleroom_rules.playout import decode
from saleroom_rules.rng import Rng
from tests.support.entries import actions_of
from tests.support.games import Variant, mutated, variants

VARIANTS = variants()
every_variant = pytest.mark.parametrize("variant", VARIANTS, ids=str)
seeds = st.integers(0, 2**32)
few = settings(max_examples=8, deadline=None)


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


@every_variant
@given(seed=seeds, luck=seeds)
@few
def test_windows_ask_who_owes_and_only_they_have_something_to_do(
    variant: Variant, seed: int, luck: int
) -> None:
    rules, number = variant.rules, 0
    for state, _ in variant.turns(seed, luck):
        window = rules.window(state)
        assert window.number >= number
        number = window.number
        assert window.owing
        assert isinstance(window.facts, VOCABULARIES[rules.key].facts[window.kind])
        for seat in range(variant.seats):
            assert bool(rules.legal(state, seat)) == (seat in window.owing)


@every_variant
@given(seed=seeds, luck=seeds)
@few
def test_every_listed_action_and_filling_is_accepted(
    variant: Variant, seed: int, luck: int
) -> None:
    rules, pick = variant.rules, Random(luck).choice
    for state, turn in variant.turns(seed, luck):
        for entry in (*rules.legal(state, turn.seat), *rules.anytime(state, turn.seat)):
            for _ in range(3 if isinstance(entry, Form) else 1):
                rules.apply(state, turn.seat, decode(rules, entry, pick))


@every_variant
@given(seed=seeds, luck=seeds)
@few
def test_an_action_not_listed_is_refused_with_a_documented_reason_and_changes_nothing(
    variant: Variant, seed: int, luck: int
) -> None:
    rules, dice = variant.rules, Random(luck)
    whys = VOCABULARIES[rules.key].why
    for state, turn in variant.turns(seed, luck):
        if dice.random() > 0.2:
            continue
        before = encoded(state)
        listed = {encoded(action) for action in _listed(variant, state, turn.seat)}
        for action in mutated(rules, turn.action, dice):
            try:
                rules.apply(state, turn.seat, action)
                assert encoded(action) in listed
            except IllegalAction as illegal:
                assert encoded(action) not in listed
                assert isinstance(illegal.why, whys)  # noqa: PT017 - both ways out are right
                assert set(illegal.facts) == set(illegal.why.facts)  # noqa: PT017
                assert unfit(illegal.facts) is None  # noqa: PT017
        for seat in set(range(variant.seats)) - set(rules.window(state).owing):
            with pytest.raises(IllegalAction):
                rules.apply(state, seat, turn.action)
        assert encoded(state) == before


def _listed(variant: Variant, state: Any, seat: int) -> list[Any]:
    return [
        action
        for entry in variant.rules.legal(state, seat)
        for action in actions_of(variant.rules, entry)
    ]


@every_variant
@given(seed=seeds)
@few
def test_defaults_alone_lead_to_the_end(variant: Variant, seed: int) -> None:
    rules, state = variant.rules, variant.dealt(seed)
    steps = 0
    while (window := rules.window(state)) is not None:
        state = rules.apply(state, window.owing[0], rules.default(state, window.owing[0])).state
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
    for state, turn in variant.turns(seed, luck):
        before = encoded(state)
        assert msgspec.msgpack.decode(before, type=rules.state_type) == state
        rules.apply(state, turn.seat, turn.action)
        assert encoded(state) == before


@every_variant
@given(seed=seeds, luck=seeds)
@few
def test_what_is_shown_is_fit_for_the_wire(variant: Variant, seed: int, luck: int) -> None:
    rules = variant.rules
    vocabulary = VOCABULARIES[rules.key]
    for state, turn in variant.turns(seed, luck):
        shown = [rules.table(state), rules.window(state).facts, turn.action, *turn.step.events]
        shown += [rules.private(state, seat) for seat in range(variant.seats)]
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
    for _, turn in variant.turns(seed, luck):
        for event in turn.step.events:
            if rules.tell(event, None) is event:
                for seat in range(variant.seats):
                    assert rules.tell(event, seat) is event


@every_variant
def test_neither_state_nor_rng_shows_the_seed_when_printed(variant: Variant) -> None:
    seed = bytes(range(100, 132))
    state = variant.rules.setup(variant.seats, variant.options, Rng(seed)).state
    assert repr(seed)[2:-1] not in repr(state)
    assert seed.hex() not in repr(state)


@pytest.mark.parametrize("key", VOCABULARIES)
def test_a_private_part_leaves_the_documents_own_names_alone(key: str) -> None:
    assert not {"seat", "anytime"} & set(VOCABULARIES[key].private.__struct_fields__)


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


@pytest.mark.parametrize("key", VOCABULARIES)
def test_whatever_is_left_out_on_the_wire_is_unset_and_nothing_else(key: str) -> None:
    # A patch takes a default that is left out for a value that is there.
    vocabulary = VOCABULARIES[key]
    shown = {vocabulary.table, vocabulary.private, *vocabulary.facts.values()}
    for struct in {part for root in shown for part in _structs_of(root)}:
        for field in msgspec.structs.fields(struct):
            if not field.required:
                assert field.default is msgspec.UNSET, f"{struct.__name__}.{field.name}"


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
