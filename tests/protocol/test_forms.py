import random
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from saleroom_protocol.games.forms import (
    Choice,
    Form,
    Value,
    admits,
    assign,
    fill,
    fillings,
    one_of,
    some_of,
)

SEEDS = st.integers(0, 2**32)
VALUES: st.SearchStrategy[Value] = st.sampled_from(["p01", "p02", "p03", 1, 2, 3])
SOME_VALUES = st.lists(VALUES, min_size=1, max_size=4, unique=True)


@st.composite
def bounded(draw: st.DrawFn, size: int) -> tuple[int, int | None]:
    least = draw(st.integers(0, size))
    return least, draw(st.none() | st.integers(least, size))


@st.composite
def some_ofs(draw: st.DrawFn) -> Choice:
    values = draw(SOME_VALUES)
    least, most = draw(bounded(len(values)))
    return some_of(values, least, most)


@st.composite
def assigns(draw: st.DrawFn, distinct: bool | None = None) -> Choice:
    """Draw one of the tables that `Choice` lets through."""
    table = draw(st.dictionaries(st.sampled_from("abc"), SOME_VALUES, min_size=1, max_size=3))
    least, most = draw(bounded(len(table)))
    alone = draw(st.booleans()) if distinct is None else distinct
    try:
        return assign(table, distinct=alone, least=least, most=most)
    except ValueError:
        assume(False)
        raise


choices = SOME_VALUES.map(one_of) | some_ofs() | assigns()
forms = st.builds(
    Form,
    do=st.just("trade"),
    fixed=st.dictionaries(st.sampled_from(["price", "to"]), VALUES, max_size=2),
    choose=st.dictionaries(st.sampled_from(["give", "take"]), choices, max_size=2),
)


def unordered(value: Any) -> Any:
    """Return a filling with its lists in one order, since order means nothing in them."""
    if isinstance(value, dict):
        return {key: unordered(item) for key, item in value.items()}
    return sorted(value, key=repr) if isinstance(value, list) else value


def all_fillings(form: Form) -> list[Any]:
    return [unordered(filling) for filling in fillings(form)]


def form_of(choice: Choice) -> Form:
    return Form("act", {}, {"x": choice})


def filled(choice: Choice) -> list[Any]:
    return [filling["x"] for filling in fillings(form_of(choice))]


# What a choice may promise


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"one_of": (1,), "some_of": (1,)},
        {"one_of": (1,), "assign": {"a": (1,)}},
        {"some_of": (), "assign": {}},
        {"one_of": (1,), "some_of": (1,), "assign": {"a": (1,)}},
        {"min": 0, "max": 0},
    ],
)
def test_a_choice_is_of_exactly_one_kind(fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"^exactly one of one_of, some_of and assign is needed$"):
        Choice(**fields)


@pytest.mark.parametrize("fields", [{"one_of": (1,)}, {"some_of": (1,)}, {"assign": {}}])
def test_distinct_goes_with_something_to_assign(fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"^distinct goes with assign$"):
        Choice(**fields, distinct=True)


def test_one_of_nothing_cannot_be_filled() -> None:
    with pytest.raises(ValueError, match=r"^one_of needs a value$"):
        one_of([])


@pytest.mark.parametrize("bounds", [{"min": 1}, {"max": 1}, {"max": 0}, {"min": 1, "max": 1}])
def test_one_of_takes_no_bounds(bounds: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"^one_of takes no bounds$"):
        Choice(one_of=(1, 2), **bounds)


@pytest.mark.parametrize(
    "fields",
    [
        {"one_of": (1, 2, 1)},
        {"some_of": ("a", "a")},
        {"assign": {"k": ("a",), "l": (2, 2)}},
        {"assign": {"k": ("a", "b", "a")}, "distinct": True},
    ],
)
def test_no_value_is_offered_twice(fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"^a value is offered twice$"):
        Choice(**fields)


@pytest.mark.parametrize(("least", "most"), [(-1, 2), (2, 1), (0, 3), (3, None), (-2, -1)])
@pytest.mark.parametrize("kind", [{"some_of": (1, 2)}, {"assign": {"a": (1,), "b": (2,)}}])
def test_bounds_must_lie_within_what_there_is(
    kind: dict[str, Any], least: int, most: int | None
) -> None:
    high = 2 if most is None else most
    with pytest.raises(ValueError, match=rf"^cannot take {least} to {high} of 2$"):
        Choice(**kind, min=least, max=msgspec.UNSET if most is None else most)


@pytest.mark.parametrize(
    ("table", "distinct", "stuck"),
    [
        ({"a": [1], "b": []}, False, "b"),
        ({"a": []}, True, "a"),
        ({"a": [1], "b": [1]}, True, "a"),
        ({"a": [1, 2], "b": [2]}, True, "b"),
        ({"a": [1, 2, 3], "b": [1, 2], "c": [2, 3]}, True, "b"),
    ],
)
def test_no_key_may_be_left_without_a_value(
    table: dict[str, list[Value]], distinct: bool, stuck: str
) -> None:
    with pytest.raises(ValueError, match=rf"^assign: key '{stuck}' could be left without a value$"):
        assign(table, distinct=distinct)


@pytest.mark.parametrize(
    ("table", "least", "most"),
    [
        ({"a": [1, 2], "b": [1, 2]}, 0, None),
        ({"a": [1], "b": [1]}, 0, 1),
        ({"a": [1], "b": [2]}, 2, 2),
        ({"a": [1, 2, 3], "b": [1, 2, 3], "c": [1, 2, 3]}, 3, None),
        ({"a": [1, 2], "b": [1, 2], "c": [1, 2]}, 1, 2),
        ({"a": [], "b": [1]}, 0, 0),
    ],
)
def test_a_distinct_table_with_values_to_spare_is_a_choice(
    table: dict[str, list[Value]], least: int, most: int | None
) -> None:
    choice = assign(table, distinct=True, least=least, most=most)
    assert choice.bounds == (least, len(table) if most is None else most)


def test_bounds_default_to_none_and_all() -> None:
    assert some_of([5, 6, 7]).bounds == (0, 3)
    assert assign({"a": [1], "b": [1]}).bounds == (0, 2)
    assert some_of([5, 6, 7], 1, 2).bounds == (1, 2)
    assert some_of([]).bounds == assign({}).bounds == (0, 0)


# What fills it


def test_one_of_is_filled_with_one_value() -> None:
    assert filled(one_of(["p01", 2])) == ["p01", 2]


def test_some_of_is_filled_with_a_list_within_its_bounds() -> None:
    assert filled(some_of([1, 2, 3], 1, 2)) == [[1], [2], [3], [1, 2], [1, 3], [2, 3]]
    assert filled(some_of([])) == [[]]
    assert filled(some_of(["a", "b"], 2)) == [["a", "b"]]


def test_assign_is_filled_with_a_map_within_its_bounds() -> None:
    assert filled(assign({"a": [1, 2], "b": [1]}, least=1)) == [
        {"a": 1},
        {"a": 2},
        {"b": 1},
        {"a": 1, "b": 1},
        {"a": 2, "b": 1},
    ]
    assert filled(assign({})) == [{}]
    assert filled(assign({"a": [1, 2]}, most=0)) == [{}]


def test_a_distinct_assign_gives_no_value_twice() -> None:
    assert filled(assign({"a": [1, 2], "b": [1, 2]}, distinct=True, least=2)) == [
        {"a": 1, "b": 2},
        {"a": 2, "b": 1},
    ]


def test_a_filled_form_keeps_its_fixed_fields() -> None:
    form = Form("buy", {"picture": "p01", "price": 2000}, {"discard": one_of(["p02", "p03"])})
    assert list(fillings(form)) == [
        {"do": "buy", "picture": "p01", "price": 2000, "discard": "p02"},
        {"do": "buy", "picture": "p01", "price": 2000, "discard": "p03"},
    ]


def test_every_field_is_filled_independently() -> None:
    form = Form("move", {}, {"agent": one_of([1, 2]), "with": some_of(["a"])})
    assert [(each["agent"], each["with"]) for each in fillings(form)] == [
        (1, []),
        (1, ["a"]),
        (2, []),
        (2, ["a"]),
    ]


def test_a_filling_is_made_when_it_is_asked_for() -> None:
    paintings = [f"p{number:03}" for number in range(1, 26)]
    places = {painting: list(range(25)) for painting in paintings}
    arranging = form_of(assign(places, distinct=True, least=25))
    assert len(next(fillings(arranging))["x"]) == 25
    choose = {"paintings": some_of(paintings, 12, 12), "favours": some_of(paintings, 12, 12)}
    assert len(next(fillings(Form("discard", {}, choose)))["paintings"]) == 12


def test_a_form_with_nothing_to_choose_has_one_filling() -> None:
    form = Form("pass", {"to": 1}, {})
    assert list(fillings(form)) == [{"do": "pass", "to": 1}]
    assert fill(form, random.Random(1).choice) == {"do": "pass", "to": 1}


@given(forms, SEEDS)
def test_what_fill_picks_is_one_of_the_fillings(form: Form, seed: int) -> None:
    assert unordered(fill(form, random.Random(seed).choice)) in all_fillings(form)


@given(assigns(distinct=True), SEEDS)
def test_filling_a_distinct_assign_never_gets_stuck(choice: Choice, seed: int) -> None:
    taken = fill(form_of(choice), random.Random(seed).choice)["x"]
    low, high = choice.bounds
    assert low <= len(taken) <= high
    assert len(set(taken.values())) == len(taken)


@given(assigns(distinct=True))
def test_no_order_of_keys_and_values_gets_stuck(choice: Choice) -> None:
    table = choice.assign
    assert table is not msgspec.UNSET

    def explore(taken: dict[str, Value]) -> None:
        if len(taken) == choice.bounds[1]:
            return
        for key in table.keys() - taken.keys():
            free = [value for value in table[key] if value not in taken.values()]
            assert free, (taken, key)
            for value in free:
                explore({**taken, key: value})

    explore({})


@given(some_ofs() | assigns(), SEEDS)
def test_fill_keeps_the_bounds(choice: Choice, seed: int) -> None:
    low, high = choice.bounds
    assert low <= len(fill(form_of(choice), random.Random(seed).choice)["x"]) <= high


@pytest.mark.parametrize(
    "choice",
    [
        one_of(["a", 1, 2]),
        some_of([1, 2, 3], 1, 2),
        assign({"a": [1, 2], "b": [1, 2], "c": [3]}, distinct=True),
        assign({"a": [1], "b": [1, 2]}, least=1),
    ],
)
def test_fill_reaches_every_filling(choice: Choice) -> None:
    form = form_of(choice)
    reached = [unordered(fill(form, random.Random(seed).choice)) for seed in range(500)]
    assert all(filling in reached for filling in all_fillings(form))


def test_fill_takes_the_keys_in_any_order() -> None:
    form = form_of(assign({"a": [1], "b": [2], "c": [3]}, least=3))
    orders = {"".join(fill(form, random.Random(seed).choice)["x"]) for seed in range(100)}
    assert orders == {"abc", "acb", "bac", "bca", "cab", "cba"}


def test_fill_asks_only_for_picks_from_something() -> None:
    asked: list[int] = []

    def first(options: Sequence[Any]) -> Any:
        asked.append(len(options))
        return options[-1]

    form = Form("x", {}, {"a": some_of([1, 2]), "b": assign({"k": [1, 2]}), "c": one_of([3])})
    assert fill(form, first) == {"do": "x", "a": [2, 1], "b": {"k": 2}, "c": 3}
    assert asked == [3, 2, 1, 2, 1, 2, 1]


# A client that knows nothing but the protocol document


def stranger(entry: dict[str, Any], luck: random.Random) -> dict[str, Any]:
    """Fill a form off the wire: an absent min is 0, an absent max is all."""
    action = {key: value for key, value in entry.items() if key != "choose"}
    for name, choice in entry["choose"].items():
        action[name] = stranger_choice(choice, luck)
    return action


def stranger_choice(choice: dict[str, Any], luck: random.Random) -> Any:
    if "one_of" in choice:
        return luck.choice(choice["one_of"])
    items = list(choice["some_of"] if "some_of" in choice else choice["assign"])
    wanted = luck.randint(choice.get("min", 0), choice.get("max", len(items)))
    items = luck.sample(items, wanted)
    if "some_of" in choice:
        return items
    taken: dict[str, Value] = {}
    for key in items:
        used = taken.values() if choice.get("distinct", False) else ()
        taken[key] = luck.choice([value for value in choice["assign"][key] if value not in used])
    return taken


@given(forms, SEEDS)
def test_what_a_stranger_fills_in_is_one_of_the_fillings(form: Form, seed: int) -> None:
    assert unordered(stranger(sent(form), random.Random(seed))) in all_fillings(form)


# On the wire


def sent(form: Form) -> dict[str, Any]:
    entry: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(form.wire()))
    return entry


def test_fixed_fields_stand_beside_do_and_choose() -> None:
    form = Form("buy", {"picture": "p01"}, {"discard": one_of(["p02", 3])})
    assert sent(form) == {
        "do": "buy",
        "picture": "p01",
        "choose": {"discard": {"one_of": ["p02", 3]}},
    }


@pytest.mark.parametrize(
    ("choice", "written"),
    [
        (some_of([1, 2]), {"some_of": [1, 2]}),
        (some_of([1, 2], 0, 2), {"some_of": [1, 2], "max": 2}),
        (some_of([1, 2], 1, 1), {"some_of": [1, 2], "min": 1, "max": 1}),
        (assign({"a": [1]}), {"assign": {"a": [1]}}),
        (assign({"a": [1]}, distinct=True), {"assign": {"a": [1]}, "distinct": True}),
        (assign({"a": [1]}, least=1), {"assign": {"a": [1]}, "min": 1}),
        (assign({}), {"assign": {}}),
        (some_of([]), {"some_of": []}),
    ],
)
def test_what_is_as_usual_is_left_out(choice: Choice, written: dict[str, Any]) -> None:
    assert sent(form_of(choice))["choose"]["x"] == written


@given(forms)
def test_a_form_survives_the_wire(form: Form) -> None:
    assert Form.read(form.wire()) == form
    assert Form.read(sent(form)) == form
    assert Form.read(msgspec.msgpack.decode(msgspec.msgpack.encode(form.wire()))) == form


@pytest.mark.parametrize(
    "entry",
    [
        {},
        {"do": "pass"},
        {"choose": {}},
        {"do": 3, "choose": {}},
        {"do": "pass", "choose": []},
        {"do": "pass", "choose": None},
        {"do": "pass", "choose": {"x": {}}},
        {"do": "pass", "choose": {"x": [1, 2]}},
        {"do": "pass", "choose": {"x": {"one_of": [1], "any_of": [2]}}},
        {"do": "pass", "choose": {"x": {"one_of": []}}},
        {"do": "pass", "choose": {"x": {"one_of": [True]}}},
        {"do": "pass", "choose": {"x": {"one_of": [1.5]}}},
        {"do": "pass", "choose": {"x": {"one_of": [[1]]}}},
        {"do": "pass", "choose": {"x": {"some_of": [1], "min": 2}}},
        {"do": "pass", "choose": {"x": {"assign": {"a": [1], "b": [1]}, "distinct": True}}},
        {"do": "pass", "choose": {}, "to": [1]},
        {"do": "pass", "choose": {}, "to": None},
        {"do": "pass", "choose": {}, "to": True},
    ],
)
def test_what_is_not_a_form_is_not_read(entry: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        Form.read(entry)


@pytest.mark.parametrize(
    ("fixed", "chosen"),
    [
        ({"picture": "p01"}, "picture"),
        ({}, "do"),
        ({}, "choose"),
        ({"do": "x"}, "a"),
        ({"choose": 1}, "a"),
    ],
)
def test_no_field_is_both_fixed_and_to_be_chosen(fixed: dict[str, Any], chosen: str) -> None:
    with pytest.raises(ValueError, match="fixed and to be chosen"):
        Form("buy", fixed, {chosen: one_of(["p02"])})


@pytest.mark.parametrize("value", [True, None, 1.5, ["p01"]])
def test_a_value_is_a_string_or_an_integer(value: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        one_of([value])


FORM = Form(
    "trade",
    {"museum": "tokyo", "turn": 1},
    {
        "give": one_of(["p01", "p02"]),
        "cards": some_of(["f01", "f02", "f03"], 1, 2),
        "shelf": assign({"a": (1, 2), "b": (1, 2), "c": (3,)}, distinct=True, least=1, most=2),
    },
)
FILLED: dict[str, Any] = {"give": "p02", "cards": ["f03", "f01"], "shelf": {"b": 2}}


def test_a_form_admits_exactly_its_fillings() -> None:
    assert all(admits(FORM, filling) for filling in fillings(FORM))
    assert admits(FORM, FORM.action(FILLED | {"cards": ["f01", "f03"]})), "order means nothing"


@pytest.mark.parametrize(
    "other",
    [
        {"give": "p03"},
        {"give": ["p01"]},
        {"cards": []},
        {"cards": ["f01", "f02", "f03"]},
        {"cards": ["f01", "f01"]},
        {"cards": ["f09"]},
        {"cards": "f01"},
        {"shelf": {}},
        {"shelf": {"a": 3}},
        {"shelf": {"c": 1}},
        {"shelf": {"d": 1}},
        {"shelf": {"a": 1, "b": 2, "c": 3}},
        {"shelf": {"a": 1, "b": 1}},
        {"shelf": {"a": True}},
        {"shelf": ["a", 1]},
        {"museum": "madrid"},
        {"turn": True},
        {"do": "steal"},
        {"more": 1},
    ],
)
def test_a_form_admits_nothing_else(other: dict[str, Any]) -> None:
    assert admits(FORM, FORM.action(FILLED))
    assert not admits(FORM, FORM.action(FILLED) | other)


@pytest.mark.parametrize("gone", ["do", "museum", "give", "cards", "shelf", "turn"])
def test_a_form_admits_nothing_with_a_field_too_few(gone: str) -> None:
    action = FORM.action(FILLED)
    assert not admits(FORM, {key: value for key, value in action.items() if key != gone})


def test_an_assignment_that_cannot_get_stuck_is_a_form_however_narrow_it_is() -> None:
    # "n" and "m" can take "a", but never both its values from "l".
    narrow = assign({"n": ("a", 2), "l": ("a", ""), "m": ("a", 1)}, distinct=True)
    assert Form.read(Form("x", {}, {"y": narrow}).wire()).choose["y"] == narrow


@given(SEEDS)
def test_whatever_fills_a_form_is_admitted(seed: int) -> None:
    assert admits(FORM, fill(FORM, random.Random(seed).choice))
