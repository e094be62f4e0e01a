"""Looks for an arrangement that is worth more: simulated annealing by swaps of two places.

Promised: never worth less than the given one, which comes back unless a better one is found; the
same answer to the same question; no more than `nodes` swaps looked at, and none once nothing can be
better. That there is no better one is promised only if `Improved.short` is 0; how near it comes
else, and how long it takes, `python -m tests.bench arrange` measures.

Most swaps are aimed: of a category in several groups, a painting off the largest is brought to its
edge. One that loses points is made the less often the more it loses and the later it comes. What a
category lacks is remembered by its places (`lack.py`), and a swap is given up as soon as the first
categories it concerns lack more than all may. In the second half, which begins hot again, the
largest category is drawn to the gallery, if it can fill it: a gallery half full is worth nothing.
"""

from math import log
from random import Random

from msgspec import Struct

from saleroom_solver.arrangement import Arrangement, Mask, Wall, Wanted, bits
from saleroom_solver.lack import Lacks, beside

NODES = 6_000
HOT, COLD = 2.0, 0.2  # points a swap may easily lose, at first and at last
AIMED = 0.7  # of all swaps
DRAWN = 1.5  # points for every place of the gallery
SEED = 1


class Improved(Struct, frozen=True):
    """What was found.

    Attributes:
        places: by painting, where to hang it.
        gained: points more than the given arrangement is worth.
        short: points less than if every category were one group, and all that are large enough
            filled the gallery; that may be impossible.
        nodes: swaps that were looked at.
    """

    places: tuple[int, ...]
    gained: int
    short: int
    nodes: int


def improved(wall: Wall, wanted: Wanted, given: Arrangement, nodes: int = NODES) -> Improved:
    """Return an arrangement worth as much as the given one, or more."""
    return _Search(wall, wanted, given).run(nodes)


class _Search:
    """What hangs where at the moment, and the best there was."""

    def __init__(self, wall: Wall, wanted: Wanted, given: Arrangement) -> None:
        self._wall, self._wanted, self._beside = wall, wanted, beside(wall)
        self._chance = Random(SEED).random
        self._kinds = [0] * len(wall.beside)  # by place
        self._painting: list[int | None] = [None] * len(wall.beside)  # by place
        for painting, (kinds, place) in enumerate(zip(given.kinds, given.places, strict=True)):
            self._kinds[place], self._painting[place] = kinds, painting
        categories = range(max(map(int.bit_length, self._kinds)))
        self._hung = [_of(self._kinds, category) for category in categories]
        alike, whole = Lacks(wall, wanted, 0), Lacks(wall, wanted, wanted.whole)
        self._lacks = [
            whole if wanted.together >> category & 1 else alike for category in categories
        ]
        self._lacking: list[float]
        self._broken: list[int]
        self._look()
        self._best, self._least, self._nodes = given.places, self._short, 0

    def run(self, nodes: int) -> Improved:
        """Swap, and return the best that was on the way."""
        before = self._short
        self._anneal(nodes // 2)
        self._draw()
        self._anneal(nodes - nodes // 2)
        return Improved(self._best, before - self._least, self._least, self._nodes)

    def _anneal(self, nodes: int) -> None:
        heat, cooling = HOT, (COLD / HOT) ** (1 / max(1, nodes))
        for _ in range(nodes):
            if not self._least:
                return
            self._nodes += 1
            heat *= cooling
            if self._swaps(heat) and self._short < self._least:
                self._best, self._least = self._places(), self._short

    def _draw(self) -> None:
        """From now on draw the largest category to the gallery, if it can fill it."""
        size, largest = max(
            ((hung.bit_count(), category) for category, hung in enumerate(self._hung)),
            default=(0, 0),
        )
        if self._wanted.gallery and size >= self._wall.gallery.bit_count() > 0:
            whole = self._wanted.whole if self._wanted.together >> largest & 1 else 0
            self._lacks[largest] = Lacks(self._wall, self._wanted, whole, DRAWN)
            self._look()

    def _swaps(self, heat: float) -> bool:
        """Look at two places, and tell whether they were swapped."""
        one, other = self._pair()
        kinds, painting = self._kinds, self._painting
        changed = bits(kinds[one] ^ kinds[other])
        if not changed or not self._moves(changed, 1 << one | 1 << other, heat):
            return False
        kinds[one], kinds[other] = kinds[other], kinds[one]
        painting[one], painting[other] = painting[other], painting[one]
        self._look()
        return True

    def _pair(self) -> tuple[int, int]:
        """Choose two places: mostly one off the largest group of a category and one at its edge."""
        chance = self._chance
        if not self._broken or chance() >= AIMED:
            places = len(self._kinds)
            return int(chance() * places), int(chance() * places)
        category = self._broken[int(chance() * len(self._broken))]
        hung = self._hung[category]
        largest = self._lacks[category].largest[hung]
        return self._any(hung ^ largest), self._any(self._beside(largest) & ~hung)

    def _any(self, mask: Mask) -> int:
        """Return one of some places, not all with the same chance."""
        some = mask & -1 << int(self._chance() * len(self._kinds)) or mask
        return (some & -some).bit_length() - 1

    def _moves(self, changed: tuple[int, ...], swap: Mask, heat: float) -> bool:
        """Move categories between two places, and tell whether: not if that loses too much."""
        hung, lacks = self._hung, self._lacks
        bearable = -heat * log(1 - self._chance())
        for category in changed:
            bearable += self._lacking[category]
        for category in changed:
            bearable -= lacks[category][hung[category] ^ swap]
            if bearable < 0:
                return False
        for category in changed:
            hung[category] ^= swap
        return True

    def _look(self) -> None:
        """Take note of what is lacking, and where."""
        self._lacking, self._broken, self._short = [], [], 0
        for category, (lacks, hung) in enumerate(zip(self._lacks, self._hung, strict=True)):
            lacking = lacks[hung]
            self._lacking.append(lacking)
            if lacking:
                self._short += lacks.short[hung]
                if lacks.largest[hung] != hung:
                    self._broken.append(category)

    def _places(self) -> tuple[int, ...]:
        hung = [
            (painting, place)
            for place, painting in enumerate(self._painting)
            if painting is not None
        ]
        return tuple([place for _, place in sorted(hung)])


def _of(kinds: list[Mask], category: int) -> Mask:
    """Return the places of a category."""
    return sum(1 << place for place, here in enumerate(kinds) if here >> category & 1)
