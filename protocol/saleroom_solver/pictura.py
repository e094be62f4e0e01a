"""How to arrange a museum of Museum Pictura: for the end of the game, or for exhibitions.

What the largest group of each category and the Grand Gallery are worth (P-SCORE-1, P-SCORE-3) is
all that an arrangement decides; a special exhibition needs a category in one group (P-SPE-1).
"""

from collections.abc import Collection, Mapping
from functools import lru_cache

from msgspec import Struct

from saleroom_protocol.games.pictura import Catalogue, Category, PaintingId
from saleroom_solver.arrangement import Arrangement, Mask, Wall, Wanted
from saleroom_solver.search import NODES, improved, short

WHOLE = 1_000  # points: more than all else comes to


class Hanging(Struct, frozen=True):
    """A museum arranged anew.

    Attributes:
        places: painting -> place.
        gained: points more at the end of the game; below 0 only for what should hang together.
    """

    places: dict[PaintingId, int]
    gained: int


def arranged(
    catalogue: Catalogue,
    museum: Mapping[PaintingId, int],
    together: Collection[Category] = (),
    nodes: int = NODES,
) -> Hanging:
    """Arrange a museum so that it is worth as much as can be found.

    Args:
        catalogue: the game's.
        museum: the paintings that hang, and where.
        together: categories that should hang in one group each, before all else.
        nodes: how far to search; see `search.py`.

    Raises:
        ValueError: there is no such category.
    """
    unknown = {*together}.difference(catalogue.periods, catalogue.themes)
    if unknown:
        raise ValueError(f"no such category: {', '.join(sorted(unknown))}")
    wall, paintings = _wall(catalogue.side, catalogue.grand_gallery), sorted(museum)
    categories = (*catalogue.periods, *catalogue.themes)
    shown = [catalogue.paintings[painting] for painting in paintings]
    kinds = tuple(_mask(categories, (one.period, one.theme)) for one in shown)
    given = Arrangement(kinds, tuple(museum[painting] for painting in paintings))
    worth = Wanted(_sizes(catalogue), catalogue.gallery)
    wanted = Wanted(worth.sizes, worth.gallery, _mask(categories, together), WHOLE)
    found = Arrangement(kinds, improved(wall, wanted, given, nodes).places)
    return Hanging(
        places=dict(zip(paintings, found.places, strict=True)),
        gained=short(wall, worth, given) - short(wall, worth, found),
    )


@lru_cache
def _wall(side: int, gallery: tuple[int, ...]) -> Wall:
    """Return a square wall: places row by row, beside each those next to it in row and column."""
    places = [divmod(place, side) for place in range(side * side)]
    beside = tuple(
        sum(
            1 << other
            for other, (there, across) in enumerate(places)
            if abs(row - there) + abs(column - across) == 1
        )
        for row, column in places
    )
    return Wall(beside, sum(1 << place for place in gallery))


def _sizes(catalogue: Catalogue) -> tuple[int, ...]:
    """Return what groups are worth, by size; beyond those listed each painting adds the same."""
    listed = (*[0] * catalogue.least, *catalogue.sizes)
    beyond = range(1, catalogue.side**2 + 2 - len(listed))
    return (*listed, *(listed[-1] + more * catalogue.further for more in beyond))


def _mask(categories: Collection[Category], some: Collection[Category]) -> Mask:
    return sum(1 << number for number, category in enumerate(categories) if category in some)
