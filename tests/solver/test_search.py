"""What the search promises, and how good it is where the best is known."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saleroom_solver.arrangement import Arrangement, Wanted
from saleroom_solver.search import NODES, Improved, improved
from tests.support.walls import (
    MUSEUM,
    best,
    composed,
    dealt,
    grid,
    most,
    wanted,
    worth,
)

FEW = 300  # swaps: enough for what is promised of any number


def hung(seed: int, count: int = 25, focus: float = 0) -> Arrangement:
    return dealt(Random(seed), count, focus)


def worth_of(found: Improved, given: Arrangement, wants: Wanted) -> int:
    return worth(MUSEUM, wants, given.kinds, found.places)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 25), st.integers(0, 2**11 - 1))
def test_what_is_found_hangs_everything_on_a_place_of_its_own_and_is_never_worth_less(
    seed: int, count: int, together: int
) -> None:
    given, wants = hung(seed, count, focus=0.4), wanted(together=together, whole=20)
    found = improved(MUSEUM, wants, given, FEW)
    assert len({*found.places}) == count
    assert {*found.places} <= {*range(25)}
    before = worth(MUSEUM, wants, given.kinds, given.places)
    assert worth_of(found, given, wants) == before + found.gained
    assert found.gained >= 0
    assert found.nodes <= FEW


def test_the_same_question_gets_the_same_answer() -> None:
    given = hung(1)
    assert improved(MUSEUM, wanted(), given, FEW) == improved(MUSEUM, wanted(), given, FEW)


def test_if_nothing_better_is_found_everything_stays_where_it_hangs() -> None:
    given = hung(2)
    found = improved(MUSEUM, wanted(), given)
    again = Arrangement(given.kinds, found.places)
    assert improved(MUSEUM, wanted(), again, 1).places == found.places
    assert improved(MUSEUM, wanted(), given, 0) == Improved(
        given.places, 0, found.short + found.gained, 0
    )


def test_of_what_cannot_be_worth_more_nothing_is_looked_at() -> None:
    one_of_each = Arrangement(tuple(1 << kind for kind in range(11)), tuple(range(11)))
    assert improved(MUSEUM, wanted(), one_of_each) == Improved(one_of_each.places, 0, 0, 0)
    assert improved(MUSEUM, wanted(), Arrangement((), ())) == Improved((), 0, 0, 0)


def test_it_ends_as_soon_as_nothing_can_be_better() -> None:
    five = Arrangement((1,) * 5, (0, 2, 4, 10, 12))
    found = improved(MUSEUM, wanted(), five)
    assert (found.gained, found.short) == (4, 0)
    assert found.nodes < NODES


@pytest.mark.parametrize(
    ("rows", "columns", "kinds"),
    [
        (2, 3, (0b011, 0b011, 0b001, 0b101, 0b100)),
        (2, 3, (0b0101, 0b0101, 0b1001, 0b1010, 0b0110, 0b1010)),
        (2, 4, (0b0101, 0b0101, 0b1001, 0b1001, 0b1010, 0b1010, 0b0110)),
        (3, 3, (0b0101, 0b0101, 0b0101, 0b1010, 0b1010, 0b1001, 0b1001)),
        (3, 3, (0b0011, 0b0011, 0b0101, 0b0101, 0b1001, 0b1001)),
        (1, 7, (0b0101, 0b0110, 0b0101, 0b0110, 0b1000, 0b1001)),
    ],
)
@pytest.mark.parametrize("together", [0, 0b0101])
def test_on_a_small_wall_it_finds_what_trying_everything_finds(
    rows: int, columns: int, kinds: tuple[int, ...], together: int
) -> None:
    wall = grid(rows, columns, gallery={0, 1, columns})
    sizes = (0, 0, 1, 3, 5, 8, 12, 15, 18, 21)[: rows * columns + 1]
    wants = Wanted(sizes, gallery=2, together=together, whole=4)
    found = improved(wall, wants, Arrangement(kinds, tuple(range(len(kinds)))))
    assert worth(wall, wants, kinds, found.places) == best(wall, wants, kinds)


@pytest.mark.parametrize("seed", range(20))
def test_of_a_museum_that_was_composed_it_finds_all_that_can_be(seed: int) -> None:
    museum, wants = composed(Random(seed)), Wanted(wanted().sizes)
    found = improved(MUSEUM, wants, museum)
    assert worth_of(found, museum, wants) == most(wants, museum)
    assert found.short == 0


def test_what_should_hang_together_does() -> None:
    for seed in range(5):
        given = hung(seed, 20, focus=0.4)
        counts = [sum(kinds >> one & 1 for kinds in given.kinds) for one in range(11)]
        chosen = sorted(range(11), key=lambda one: -counts[one])[:3]
        wants = wanted(together=sum(1 << one for one in chosen), whole=100)
        found = improved(MUSEUM, wants, given)
        assert worth_of(found, given, wants) >= 300


def test_a_category_large_enough_is_brought_into_the_gallery() -> None:
    corners = (0b0010,) * 4 + (0b0100,) * 4 + (0b1000,) * 4
    given = Arrangement((0b0001,) * 9 + corners, tuple(range(21)))
    found = improved(MUSEUM, wanted(), given)
    assert (worth_of(found, given, wanted()), found.short) == (14 + 3 * 3 + 5, 0)
