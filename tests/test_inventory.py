"""What is held in memory is found wherever it lies."""

from collections import deque
from functools import partial
from typing import Any

import pytest
from msgspec import Struct

from tests.support.inventory import inventory

THREE = [1, 2, 3]


class Slotted:
    __slots__ = ("held",)

    def __init__(self, held: Any) -> None:
        self.held = held


class Plain:
    def __init__(self, held: Any) -> None:
        self.held = held

    def method(self) -> None: ...


class Frozen(Struct, frozen=True, gc=False):
    held: Any


def closing_over(held: Any) -> Any:
    return lambda: held


@pytest.mark.parametrize("holder", [Slotted, Plain, Frozen])
def test_in_attributes_of_any_kind(holder: Any) -> None:
    assert inventory({"it": holder(THREE)})["it.held"] == 3


def test_in_functions_methods_and_parts_of_them() -> None:
    assert inventory({"it": closing_over(THREE)})["it<held>·"] == 3
    assert inventory({"it": Plain(THREE).method})["it.held"] == 3
    assert inventory({"it": partial(print, THREE)})["it()[]"] == 3


@pytest.mark.parametrize("holder", [list, tuple, deque, frozenset])
def test_in_containers_where_equal_things_add_up(holder: Any) -> None:
    inner = frozenset if holder is frozenset else set
    found = inventory({"it": holder([inner([1, 2]), inner([3])])})
    assert found["it[]"] == 3


def test_in_keys_and_values_once_however_often_it_is_reached() -> None:
    found = inventory({"it": {(frozenset([1, 2]), 5): THREE, "again": THREE}})
    assert found == {"it": 2, "it[][]": 2, "it[]": 3}


def test_what_is_the_tests_own_is_left_out() -> None:
    assert inventory({"it": Plain(THREE)}, THREE)["it.held"] == 0
