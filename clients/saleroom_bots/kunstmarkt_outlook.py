"""Kunstmarkt: what a player who has counted the cards may expect. All values are money.

Nothing is known here but what the document shows. A card the player has not seen is as likely in
one hidden place as in another, so only their numbers count.
"""

from bisect import bisect
from collections.abc import Iterable, Mapping, Sequence
from math import inf
from typing import TypeAlias

from saleroom_bots.strategy import Plain

# Of the customers others hold or nobody does, about half come by in time: many are never played,
# since playing one takes a turn and may serve a rival.
COMES_BY = 0.5

# With fewer cards than this left in a pile, the game may well end before a plan comes true.
LAST_CARDS = 4

# What a customer looks at, and whether more of it is better or less.
WISHES = {
    "famous": ("fame", 1),
    "large": ("size_dm2", 1),
    "small": ("size_dm2", -1),
    "old": ("year", -1),
    "new": ("year", 1),
}

Merits: TypeAlias = Mapping[str, Mapping[str, int]]  # customer -> picture that matches -> merit

_MERITS: dict[int, Merits] = {}  # by edition, within which no catalogue ever changes


class Outlook:
    """One player's view of the game, with what he may conclude from it."""

    def __init__(self, document: Plain, catalogue: Plain) -> None:
        self.catalogue, self.table = catalogue, document["table"]
        self.merits = merits(catalogue)
        self.players: Plain = self.table["players"]
        self.sale: Plain = self.table.get("sale", {"offers": {}})
        you = document["you"]
        self.seat: int = you["seat"]
        self.cash: int = you["cash"]
        self.hand: Sequence[str] = you["pictures"]
        self.customers: Sequence[str] = you["customers"]
        self.rivals = tuple(seat for seat in range(len(self.players)) if seat != self.seat)
        self.unseen = catalogue["pictures"].keys() - self._seen()
        self.coming = self._coming()
        self.unmet = [customer for customer in self.coming if customer not in self.customers]
        self._contests: dict[object, tuple[float, list[int], int]] = {}
        self._takers: dict[str, list[tuple[str, float]]] = {}
        self._worths: dict[object, float] = {}

    def pays(self, customer: str) -> int:
        """Return what a customer pays."""
        pays: int = self.catalogue["customers"][customer]["pays"]
        return pays

    def cash_of(self, seat: int) -> float:
        """Return what a player has; where that is hidden, an equal share of all that was paid.

        What he spent on pictures is left out, so that he is rather thought too rich than too poor.
        """
        served = self.table["discards"]["customers"].items()
        paid = sum(self.pays(customer) for customer, how in served if how == "served")
        share: float = self.catalogue["capital"] + paid / len(self.players)
        return float(self.players[str(seat)].get("cash", share))

    def wins(self, picture: str, customer: str, seats: tuple[int, ...] | None = None) -> float:
        """Say how likely none of these seats, or of all rivals, has a better picture."""
        merit = self.merits[customer].get(picture)
        if merit is None:
            return 0.0
        known, unseen, hidden = self._contest(customer, self.rivals if seats is None else seats)
        if known > merit:
            return 0.0  # who is known to have a better one is taken to offer it
        better = len(unseen) - bisect(unseen, merit)
        return (1 - better / max(1, len(self.unseen))) ** hidden

    def worth(self, hand: Sequence[str], without: str | None = None) -> float:
        """Say what a hand is going to be sold for, `without` a customer who is as good as gone.

        A picture is sold once and a customer is served once. So each picture in turn hopes for the
        highest payment and for the next one only as far as that fails, and those after it hope for
        the customers it has left over: a second picture of a kind is worth less than the first.
        """
        key = *hand, without
        if key not in self._worths:
            left = self.coming if without is None else {**self.coming, without: 0.0}
            self._worths[key] = self._sold(hand, dict(left))
        return self._worths[key]

    def keeping(self, picture: str, customer: str) -> float:
        """Say what a picture would bring if this customer did not get it."""
        others = [other for other in self.hand if other != picture]
        return self.worth(self.hand, customer) - self.worth(others, customer)

    def profit(self, customer: str) -> float:
        """Say what a customer I play brings me; by passing I lose nothing."""
        chances = [(picture, self.wins(picture, customer)) for picture in self.hand]
        gains = [
            chance * (self.pays(customer) - self.keeping(picture, customer))
            for picture, chance in chances
            if chance
        ]
        return max([0.0, *gains])

    def _seen(self) -> set[str]:
        """Name the pictures that lie open or in my hand, or whose holder everybody knows."""
        known = [picture for player in self.players.values() for picture in player["known"]]
        offered = self.sale["offers"].values()
        laid_out, discarded = self.table["market"].values(), self.table["discards"]["pictures"]
        return {*self.hand, *known, *offered, *laid_out, *discarded}

    def _coming(self) -> dict[str, float]:
        """Say how likely each customer is still to come by: those I hold when I like."""
        time = min(1.0, min(self.table["deck"], self.table["stock"]) / LAST_CARDS)
        gone = {*self.table["discards"]["customers"], self.sale.get("customer")}
        left = [customer for customer in self.catalogue["customers"] if customer not in gone]
        left.sort(key=lambda customer: (-self.pays(customer), customer))
        return {name: time * (1 if name in self.customers else COMES_BY) for name in left}

    def _contest(self, customer: str, seats: tuple[int, ...]) -> tuple[float, list[int], int]:
        """Return these seats' best known merit, the merits not seen, how many cards they hide."""
        key = customer, seats
        if key not in self._contests:
            rated, players = self.merits[customer], [self.players[str(seat)] for seat in seats]
            known = [picture for player in players for picture in player["known"]]
            best = max([-inf, *(rated[picture] for picture in known if picture in rated)])
            unseen = [merit for picture, merit in rated.items() if picture in self.unseen]
            hidden = sum(player["pictures"] for player in players) - len(known)
            self._contests[key] = best, unseen, hidden
        return self._contests[key]

    def _taken_by(self, picture: str) -> list[tuple[str, float]]:
        """List who may take a picture of mine, the best payment first, each with the chance."""
        if picture not in self._takers:
            chances = [(customer, self.wins(picture, customer)) for customer in self.coming]
            self._takers[picture] = [(customer, chance) for customer, chance in chances if chance]
        return self._takers[picture]

    def _sold(self, hand: Iterable[str], left: dict[str, float]) -> float:
        """Add up what a hand is sold for to the customers left; see `worth`."""
        total = 0.0
        for picture in hand:
            unsold = 1.0
            for customer, chance in self._taken_by(picture):
                sold = unsold * left[customer] * chance
                total += sold * self.pays(customer)
                unsold -= sold
                left[customer] -= sold
        return total


def merits(catalogue: Plain) -> Merits:
    """Rate for every customer the pictures that match, from the least to the best."""
    edition, pictures = catalogue["edition"], catalogue["pictures"]
    if edition not in _MERITS:
        _MERITS[edition] = {
            name: _rated(customer, pictures) for name, customer in catalogue["customers"].items()
        }
    return _MERITS[edition]


def _rated(customer: Plain, pictures: Plain) -> dict[str, int]:
    looks_at, sign = WISHES[customer["wish"]]
    matching = (name for name, picture in pictures.items() if _matches(picture, customer))
    rated = {name: sign * pictures[name][looks_at] for name in matching}
    return dict(sorted(rated.items(), key=lambda item: item[1]))


def _matches(picture: Plain, customer: Plain) -> bool:
    if "nationalities" in customer and picture["nationality"] not in customer["nationalities"]:
        return False
    return "category" not in customer or customer["category"] in picture["categories"]
