"""Paintings on a wall as plain data, and what is wanted of how they hang.

Places, paintings and categories are numbers from 0 on. A set of them is a mask: bit by number.
"""

from functools import lru_cache
from typing import TypeAlias

from msgspec import Struct

Mask: TypeAlias = int


class Wall(Struct, frozen=True):
    """Places to hang something: at most some 30, all connected.

    Attributes:
        beside: by place, those next to it; who is beside another has that one beside it too.
        gallery: places that are worth something when one category fills them; 0 if there are none.
    """

    beside: tuple[Mask, ...]
    gallery: Mask = 0


class Wanted(Struct, frozen=True):
    """What is worth how many points. Paintings of a category are a group if they are connected.

    Attributes:
        sizes: by size, from 0 up to the number of places, what the largest group of each category
            is worth; never less than a smaller one.
        gallery: what every category is worth that fills the gallery.
        together: the categories, a mask, that should hang in one group each.
        whole: what each of those is worth that does.
    """

    sizes: tuple[int, ...]
    gallery: int = 0
    together: Mask = 0
    whole: int = 0


class Arrangement(Struct, frozen=True):
    """What hangs where.

    Attributes:
        kinds: by painting, its categories, a mask.
        places: by painting, its place; no two have the same.
    """

    kinds: tuple[Mask, ...]
    places: tuple[int, ...]


@lru_cache(maxsize=4_096)
def bits(mask: Mask) -> tuple[int, ...]:
    """Return the numbers in a mask, ascending."""
    return tuple([number for number in range(mask.bit_length()) if mask >> number & 1])
