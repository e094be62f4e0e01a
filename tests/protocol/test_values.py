from enum import StrEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from saleroom_protocol.games.common import GREATEST_INTEGER
from saleroom_protocol.values import unfit
from tests.support.documents import documents, integers, keys, values


class Word(StrEnum):
    SOLD = "sold"


@pytest.mark.parametrize(
    "value",
    [
        {},
        [],
        "",
        "é\n\0",
        True,
        False,
        0,
        -1,
        Word.SOLD,
        GREATEST_INTEGER,
        -GREATEST_INTEGER,
        {"a": [{"b_2": [[], {}]}]},
        {"_": 1, "0": 2, "z" * 40: 3},
    ],
)
def test_maps_lists_strings_booleans_and_integers_are_fit(value: Any) -> None:
    assert unfit(value) is None


@pytest.mark.parametrize("key", ["", "A", "a-b", "a b", "é", "a\n", "z" * 41, 1, None, True, b"a"])
def test_a_key_that_is_none_is_named(key: Any) -> None:
    assert unfit({"rooms": [{key: 1}]}) == f"/rooms/0/{key}: not a key"


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (None, "NoneType"),
        (1.0, "float"),
        (float("nan"), "float"),
        (b"a", "bytes"),
        ((1,), "tuple"),
        ({1}, "set"),
        (UNSET, "UnsetType"),
    ],
)
def test_a_value_of_another_kind_is_named_with_its_place(value: Any, kind: str) -> None:
    assert unfit(value) == f": {kind}"
    assert unfit({"table": [0, {"market": value}]}) == f"/table/1/market: {kind}"


@pytest.mark.parametrize("value", [GREATEST_INTEGER + 1, -GREATEST_INTEGER - 1, 2**64])
def test_an_integer_beyond_what_every_client_can_hold_is_named(value: int) -> None:
    assert unfit([1, value]) == "/1: integer out of bounds"


def test_the_greatest_integer_is_what_a_double_holds_exactly() -> None:
    assert GREATEST_INTEGER == 2**53 - 1 == 9007199254740991


def test_only_the_first_problem_is_named() -> None:
    assert unfit({"a": 1, "b": [2, None, 1.5], "c": None}) == "/b/1: NoneType"
    assert unfit({"a": {"B": 1}, "C": 1}) == "/a/B: not a key"


@given(documents)
def test_every_document_is_fit(document: dict[str, Any]) -> None:
    assert unfit(document) is None


@given(values, st.none() | st.floats() | st.binary(), st.lists(keys | integers, max_size=4))
def test_one_bad_value_is_found_however_deep(before: Any, bad: Any, way: list[str | int]) -> None:
    value, path = bad, ""
    for step in way:
        if isinstance(step, str):
            value, path = {step: value}, f"/{step}{path}"
        else:
            value, path = [before, value], f"/1{path}"
    assert unfit(value) == f"{path}: {type(bad).__name__}"
