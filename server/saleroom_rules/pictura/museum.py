"""What an arrangement of a museum is, and what it scores: pure functions of paintings and places.

A museum is a map of the paintings that hang to their places, in the order they were hung.
"""

from collections.abc import Mapping
from typing import TypeAlias

from saleroom_protocol.games.pictura import Category, PaintingId
from saleroom_rules.pictura.board import GRAND_GALLERY, PLACES, Place, largest_group, together
from saleroom_rules.pictura.cards import CATEGORIES, NUMBERS, SHOWING, of_category, size_points

Museum: TypeAlias = Mapping[PaintingId, Place]


def free_place(museum: Museum) -> Place:
    """Return the lowest place where nothing hangs, of a museum that is not full."""
    return min({*PLACES} - {*museum.values()})


def fits(museum: Museum, places: Mapping[PaintingId, Place]) -> bool:
    """Tell whether `places` puts every painting of the museum, and no other, on its own place."""
    return (
        places.keys() == museum.keys()
        and len({*places.values()}) == len(places)
        and {*places.values()} <= {*PLACES}
    )


def rearranged(museum: Museum, places: Mapping[PaintingId, Place]) -> dict[PaintingId, Place]:
    """Return the museum arranged anew; its order stays the one of hanging."""
    return {painting: places[painting] for painting in museum}


def hangs_together(museum: Museum, category: Category) -> bool:
    """Tell whether all paintings of a category are one connected group."""
    return together([museum[painting] for painting in of_category(category, museum)])


def put_together(museum: Museum, category: Category) -> dict[PaintingId, Place]:
    """Arrange a museum so that a category is one group (P-SPE-1).

    Its paintings take the first places and the rest follows, each in the order of the places they
    had; the first places, however many, are always connected.
    """
    first = SHOWING[category]
    order = sorted(museum, key=lambda painting: (painting not in first, museum[painting]))
    return rearranged(museum, dict(zip(order, PLACES, strict=False)))


def collection_points(museum: Museum) -> dict[Category, int]:
    """Return what the largest group of each category is worth; 0 below four (P-SCORE-1)."""
    return {
        category: size_points(
            largest_group([museum[painting] for painting in of_category(category, museum)])
        )
        for category in CATEGORIES
    }


def gallery_points(museum: Museum) -> int:
    """P-SCORE-3: the Grand Gallery is filled with one category."""
    hung = {place: painting for painting, place in museum.items()}
    inside = {hung[place] for place in GRAND_GALLERY if place in hung}
    whole = len(inside) == len(GRAND_GALLERY)
    return NUMBERS.gallery if whole and any(inside <= alike for alike in SHOWING.values()) else 0


def arrangement_points(museum: Museum) -> int:
    """Return all that depends on how the paintings hang: collections and Grand Gallery."""
    return sum(collection_points(museum).values()) + gallery_points(museum)
