"""Museum Pictura: what the paintings of a category are likely to come to. In points."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from math import exp

from saleroom_bots.pictura_outlook import Outlook

# So many paintings of a category that matters to me are hung in each turn that is still to come.
GROWTH = 0.5
MOST = 8  # nothing grows by more

# How likely an exhibition that can be held later is held, if there are so many turns.
HELD, IN_TURNS = 0.5, 3


class Groups:
    """The categories of a museum: each is one group in the end, since all may be rearranged."""

    def __init__(self, outlook: Outlook) -> None:
        self._outlook = outlook
        self._hopes: dict[tuple[str, int], float] = {}

    def held(self, category: str) -> int:
        """Return what an exhibition of all there is scores."""
        return self._exhibited(category, self._outlook.counts[category])

    def giving_up(self, category: str) -> float:
        """Say what it costs not to hold an exhibition of a category later, when it is larger."""
        size = self._outlook.counts[category]
        return self._hoped(category, size) - self._likely[size]

    @cached_property
    def one_more(self) -> int:
        """What one exhibition more is worth in the end."""
        held = len(self._outlook.me["exhibitions"])
        points = (0, *self._outlook.catalogue["exhibitions"])
        return int(points[held + 1] - points[held])

    @cached_property
    def gains(self) -> Mapping[str, float]:
        """What one painting more of each category brings me."""
        counts = self._outlook.counts
        return {
            name: self._hoped(name, counts[name] + 1) - self._hoped(name, counts[name])
            for name in self._categories
        }

    @cached_property
    def rivals_gains(self) -> Sequence[Mapping[str, float]]:
        """What one painting more of each category brings each rival."""
        outlook = self._outlook
        hung = [outlook.count(outlook.players[seat]["museum"]) for seat in outlook.rivals]
        return [
            {
                name: self._likely[counts[name] + 1] - self._likely[counts[name]]
                for name in self._categories
            }
            for counts in hung
        ]

    @cached_property
    def _categories(self) -> Sequence[str]:
        numbers = self._outlook.catalogue
        return (*numbers["periods"], *numbers["themes"])

    @cached_property
    def _likely_growth(self) -> Sequence[float]:
        """How likely a category grows by 0, 1, 2 …, each painting being a matter of chance."""
        mean = GROWTH * self._outlook.turns_left
        chances = [exp(-mean)]
        for more in range(1, MOST + 1):
            chances.append(chances[-1] * mean / more)
        return chances

    @cached_property
    def _likely(self) -> Sequence[float]:
        """What a group of 0, 1, 2 … paintings is likely to be worth in the end."""
        return [
            sum(
                chance * self._outlook.size_points(size + more)
                for more, chance in enumerate(self._likely_growth)
            )
            for size in range(self._outlook.catalogue["side"] ** 2 + 2)
        ]

    def _hoped(self, category: str, size: int) -> float:
        """Say what so many paintings are worth: as a group, and to hold an exhibition of."""
        key = category, size
        if key not in self._hopes:
            self._hopes[key] = self._likely[size] + self._held_later(category, size)
        return self._hopes[key]

    def _held_later(self, category: str, size: int) -> float:
        if not self._may_be_held(category):
            return 0.0
        chance = HELD * min(1.0, self._outlook.turns_left / IN_TURNS)
        return chance * sum(
            likely * self._exhibited(category, size + more)
            for more, likely in enumerate(self._likely_growth)
        )

    def _may_be_held(self, category: str) -> bool:
        table, held = self._outlook.table, self._outlook.me["exhibitions"]
        free = len(held) < len(self._outlook.catalogue["spaces"])
        return free and table["chips"][category] > 0 and category not in held.values()

    def _exhibited(self, category: str, size: int) -> int:
        numbers = self._outlook.catalogue
        if size < numbers["least"]:
            return 0
        first = self._outlook.table["chips"][category] == numbers["chips"]
        return self._outlook.size_points(size) + (numbers["first"] if first else 0)
