"""How to arrange a museum of Museum Pictura: for the end of the game, or for exhibitions.

What the largest group of each category and the Grand Gallery are worth (P-SCORE-1, P-SCORE-3) is
all that an arrangement decides; a special exhibition needs a category in one group (P-SPE-1).
"""

from collections.abc import Collection, Mapping
from functools import lru_cache

from saleroom_protocol.games.pictura import Catalogue, Category, PaintingId
from saleroom_solver.arrangement import Arrangement, Mask, Wall, Wanted
from saleroom_solver.search import NODES, improved

WHOLE = 1_000  # points: more than all else comes to


def arranged(
    catalogue: Catalogue,
    museum: Mapping[PaintingId, int],
    together: Collection[Category] = (),
    nodes: int = NODES,
) -> dict[PaintingId, int]:
    """Return the places that make a museum worth as much as can be found, and no less than it is.

    Args:
        catalogue: the game's.
        museum: the paintings that hang, and where: places of their own, from 0 on row by row.
        together: categories that should hang in one group each: each that does is worth more than
            all else.
        nodes: how many swaps to look at, at most; see `search.py`.

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
    chosen = _mask(categories, together)
    wanted = Wanted(_sizes(catalogue), catalogue.gallery, chosen, WHOLE)
    found = improved(wall, wanted, given, nodes)
    return dict(zip(paintings, found.places, strict=True))


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
