"""The board of a museum: places in a square, and which of them are adjacent (P-EXH-4).

A place is a number, from 0 up, row by row; nothing here knows paintings.
"""

from collections.abc import Collection, Iterator
from typing import TypeAlias

from saleroom_seeds.pictura import pictura

Place: TypeAlias = int

SIDE = pictura().table.side
PLACES: tuple[Place, ...] = tuple(range(SIDE * SIDE))
_MIDDLE = SIDE // 2

# P-SCORE-3: the centre row and the centre column.
GRAND_GALLERY: tuple[Place, ...] = tuple(
    place for place in PLACES if _MIDDLE in divmod(place, SIDE)
)


def _beside(place: Place) -> Iterator[Place]:
    row, column = divmod(place, SIDE)
    for other in PLACES:
        there_row, there_column = divmod(other, SIDE)
        if abs(row - there_row) + abs(column - there_column) == 1:
            yield other


ADJACENT: tuple[frozenset[Place], ...] = tuple(frozenset(_beside(place)) for place in PLACES)


def largest_group(places: Collection[Place]) -> int:
    """Return how many of the places at most are connected orthogonally."""
    left, largest = set(places), 0
    while left:
        group = {left.pop()}
        edge = list(group)
        while edge:
            found = ADJACENT[edge.pop()] & left
            left -= found
            group |= found
            edge += found
        largest = max(largest, len(group))
    return largest


def together(places: Collection[Place]) -> bool:
    """Tell whether all the places are connected orthogonally."""
    return largest_group(places) == len(places)
