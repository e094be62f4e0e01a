"""Museum Pictura: what a player sees, and how long the game is likely to go on.

Nothing is known here but what the document shows. All values are points.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from saleroom_bots.strategy import Plain

# A game has about so many rounds; whoever leads makes so many points in each.
USUAL_ROUNDS, PACE = 8, 6
# How many paintings leave the deck in a turn.
DEALT = 2.2

# What a favour is worth if there are so many turns to play it in; of several each is worth less.
FAVOUR, IN_USE = 3.0, 3
NEXT_FAVOUR = 0.3


class Outlook:
    """One player's view of the game, with what he may conclude from it."""

    def __init__(self, document: Plain, catalogue: Plain) -> None:
        self.catalogue, self.table = catalogue, document["table"]
        self.you, self.options = document["you"], document.get("options", {})
        self.window: Plain = document["window"]
        self.players: Plain = self.table["players"]
        self.seat: int = self.you["seat"]
        self.me: Plain = self.players[str(self.seat)]
        self.rivals = sorted(key for key in self.players if int(key) != self.seat)
        self.hand: Sequence[str] = self.you["paintings"]
        self.archive: Sequence[str] = sorted(self.me["archive"].values())
        self.counts = self.count(self.me["museum"])
        self.active: bool = self.table["active"] == self.seat

    def categories(self, painting: str) -> tuple[str, str]:
        """Return the period and the theme of a painting."""
        shows = self.catalogue["paintings"][painting]
        return shows["period"], shows["theme"]

    def count(self, paintings: Iterable[str]) -> Counter[str]:
        """Count paintings by category; each has two."""
        return Counter(name for painting in paintings for name in self.categories(painting))

    def worth(self, painting: str, trend: str) -> int:
        """Return what a painting is worth under a trend."""
        scale, likes = self.catalogue["trend"], self.catalogue["trends"][trend]
        shows = self.catalogue["paintings"][painting]
        return sum(points for what, points in scale.items() if likes[what] == shows[what])

    def liked(self, painting: str) -> int:
        """Return what a painting scores when it is hung."""
        scores = self.options.get("general_trend", True)
        return self.worth(painting, self.table["trend"]) if scores else 0

    def wished(self, painting: str) -> int:
        """Return what a painting is worth under the trend I keep."""
        return self.worth(painting, self.you["trend"]) if "trend" in self.you else 0

    def size_points(self, size: int) -> int:
        """Return what so many adjacent paintings of a category are worth."""
        numbers = self.catalogue
        sizes, beyond = numbers["sizes"], size - numbers["least"]
        if beyond < 0:
            return 0
        listed = min(beyond, len(sizes) - 1)
        return int(sizes[listed] + (beyond - listed) * numbers["further"])

    def scored(self, points: float) -> float:
        """Say what points are worth with what they bring besides: favours, and the goal."""
        numbers, score = self.catalogue, self.me["score"] + points
        if self.options.get("favour_track", True):
            passed = sum(self.me["passed"] < step <= score for step in numbers["track"])
            points += passed * self.favour
        if "reached" not in self.table and score >= numbers["goal"]:
            points += numbers["goal_bonus"]
        return points

    @cached_property
    def turns_left(self) -> float:
        """Say how many turns I am likely to have after this one."""
        table = self.table
        if "last_turns" in table:
            return float(self.seat in table["last_turns"])
        if "reached" in table:
            return float(table["reached"] != self.seat)
        highest = max(player["score"] for player in self.players.values())
        by_points = (self.catalogue["goal"] - highest) / PACE + 0.5
        by_deck = table["piles"]["paintings"] / DEALT / len(self.players)
        by_turns = max(1.0, USUAL_ROUNDS - table["turn"] / len(self.players))
        return float(max(0.0, min(by_points, by_deck, by_turns)))

    @cached_property
    def favour(self) -> float:
        """Say what one favour more is worth."""
        held = len(self.you["favours"])
        return FAVOUR * min(1.0, self.turns_left / IN_USE) / (1 + NEXT_FAVOUR * held)

    @cached_property
    def unseen(self) -> Sequence[str]:
        """List the paintings that are in decks and others' hands."""
        seen = {*self.hand, *self.abroad, *self.you.get("drawn", ())}
        for player in self.players.values():
            seen.update(player["museum"], player["archive"].values())
        return sorted(self.catalogue["paintings"].keys() - seen)

    @cached_property
    def abroad(self) -> Mapping[str, str]:
        """Say under which trend each painting of the international museums hangs."""
        return {
            painting: museum["trend"]
            for museum in self.table["museums"].values()
            for painting in (*museum["matching"], *museum["other"])
        }
