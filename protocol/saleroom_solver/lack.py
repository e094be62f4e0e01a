"""What a category lacks, by the places it hangs in: looked up far more often than worked out."""

from collections.abc import Callable
from functools import lru_cache

from saleroom_solver.arrangement import Mask, Wall, Wanted

LOOSE = 0.5  # points: without it nothing would draw groups near that are not the largest


class Lacks(dict[Mask, float]):
    """By its places, how far a category is from the best that so many could be worth.

    In points, and `LOOSE` for every group beyond the first, and what draws it to the gallery; 0 is
    perfect.

    Attributes:
        short: the same in points alone.
        largest: the largest group among the places; of those as large the one with the lowest.
    """

    def __init__(self, wall: Wall, wanted: Wanted, whole: int, drawn: float = 0) -> None:
        """Of one category, or of several for which the same holds.

        Args:
            wall: where it hangs.
            wanted: what is worth how much.
            whole: what it is worth that all its places are one group.
            drawn: points it lacks for every place of the gallery that is not its.
        """
        super().__init__()
        self.short: dict[Mask, int] = {}
        self.largest: dict[Mask, Mask] = {}
        self._beside = beside(wall)
        self._sizes, self._whole = wanted.sizes, whole
        self._gallery, self._filled, self._drawn = wall.gallery, wanted.gallery, drawn

    def __missing__(self, mask: Mask) -> float:
        """Work it out."""
        groups, largest = self._grouped(mask)
        short = self._short(mask, largest)
        self.largest[mask], self.short[mask] = largest, short
        lack = self[mask] = short + LOOSE * (groups - 1) + self._away(mask) if short else 0.0
        return lack

    def _short(self, mask: Mask, largest: Mask) -> int:
        size = mask.bit_count()
        short = self._sizes[size] - self._sizes[largest.bit_count()]
        if largest != mask:
            short += self._whole
        if size >= self._gallery.bit_count() and mask & self._gallery != self._gallery:
            short += self._filled
        return short

    def _away(self, mask: Mask) -> float:
        return self._drawn * (self._gallery & ~mask).bit_count()

    def _grouped(self, mask: Mask) -> tuple[int, Mask]:
        """Return how many groups there are, and the largest."""
        groups, largest, most, beside = 0, 0, 0, self._beside
        while mask:
            group, grown = 0, mask & -mask
            while grown != group:
                group = grown
                grown |= beside(group) & mask
            mask ^= group
            groups += 1
            size = group.bit_count()
            if size > most:
                largest, most = group, size
        return groups, largest


@lru_cache
def beside(wall: Wall) -> Callable[[Mask], Mask]:
    """Return what tells the places beside any of some, maybe some of them too."""
    half = (len(wall.beside) + 1) // 2
    lower, low, high = (1 << half) - 1, _all(wall.beside[:half]), _all(wall.beside[half:])

    def found(places: Mask) -> Mask:
        return low[places & lower] | high[places >> half]

    return found


def _all(beside: tuple[Mask, ...]) -> list[Mask]:
    """Return what is beside any set of some places."""
    found = [0]
    for place in beside:
        found += [others | place for others in found]
    return found
