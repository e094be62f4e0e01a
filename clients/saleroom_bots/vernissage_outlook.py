"""Vernissage: what a player may conclude about works, fame and standings. All values are Rubens.

Nothing is known here but what the document shows. Of a rival's hidden brown cards only the number
is known: they are taken to be what the cards not seen are on average, but rather works, since that
is what players look for in the piles.
"""

from collections import Counter
from collections.abc import Mapping
from functools import cached_property
from math import erf, sqrt
from typing import TypeAlias

from saleroom_bots.strategy import Plain

# Of the cards a player chooses from a pile more are works than chance would have it.
CHOSEN_WORKS = 1.4

# They look for works of the famous, and make famous whose works they have. This is how much works
# of an artist without any fame are sought, where those of the most famous are at this and 1.
UNSOUGHT = 0.3

# How many turns a game of players who know what they want usually has.
USUAL_TURNS = 24
LAST_ROUNDS = 1.0  # however late it is, so much may still come

# An artist whose works many hold is pushed by many: spaces a round for each work above average.
PULL = 0.25

# What I can do for the artist I push most, in spaces a round: about every other turn I lay a large
# purchase counter, and now and then a Vernissage comes of it.
PUSH = 2.0

# What a game won is worth, to weigh an end of the game against what a turn can bring.
VICTORY = 1_000_000

# By how much a round can change who is how far ahead: a standard deviation.
SWING = 150_000

Fame: TypeAlias = Mapping[str, int]  # artist -> space, below 0 OUT


class Outlook:
    """One player's view of the game, with what he may conclude from it."""

    def __init__(self, document: Plain, catalogue: Plain) -> None:
        self.catalogue, self.table = catalogue, document["table"]
        self.you, self.options = document["you"], document.get("options", {})
        self.players: Plain = self.table["players"]
        self.seat: int = self.you["seat"]
        self.me: Plain = self.players[str(self.seat)]
        self.rivals = sorted(key for key in self.players if int(key) != self.seat)
        self.fame: Fame = {name: self._space(name) for name in sorted(catalogue["artists"])}
        self.scale: tuple[int, ...] = (*catalogue["scale"], *catalogue["in_scale"])
        self.highest = len(catalogue["scale"]) - 1  # the first space below IN
        self.rubens: int = catalogue["scale"][-1] - catalogue["scale"][-2]  # what a space is worth
        self.kinds = Counter(catalogue["cards"][card]["kind"] for card in self.you["cards"])
        self.mine = self._own_works()

    def out(self, artist: str) -> bool:
        """Tell whether an artist is OUT."""
        return self.fame[artist] < 0

    def worth(self, space: int) -> int:
        """Return what a work gains its owner in all while the marker lies there.

        Where it is IN that is the payment and the first space below, to which the marker returns.
        """
        if space < 0:
            return -int(self.catalogue["out_cost"])
        if space > self.highest:
            return self.scale[self.highest] + self.scale[min(space, len(self.scale) - 1)]
        return self.scale[space]

    @cached_property
    def unseen(self) -> Counter[str]:
        """Count the brown cards I have not seen: works by artist, others by kind."""
        seen = {*self.you["cards"], *self.table["gone"]}
        seen.update(card for player in self.players.values() for card in player["shown"])
        cards = self.catalogue["cards"].items()
        return Counter(
            card.get("artist", card["kind"])
            for name, card in cards
            if name not in seen and card["kind"] != "limited"
        )

    @cached_property
    def theirs(self) -> Mapping[str, Mapping[str, float]]:
        """Say how many works of each artist each rival is likely to own, shown ones included."""
        return {seat: self._likely_works(self.players[seat]) for seat in self.rivals}

    @cached_property
    def rivals_average(self) -> Mapping[str, float]:
        """Say how many works of each artist a rival owns on average."""
        return {
            artist: sum(works[artist] for works in self.theirs.values()) / len(self.rivals)
            for artist in self.fame
        }

    @cached_property
    def stakes(self) -> Mapping[str, float]:
        """Say how many works of each artist I am ahead of the rivals' average.

        That is what fame is to me: a space up brings me so many times what it is worth.
        """
        return {name: self.mine[name] - self.rivals_average[name] for name in self.fame}

    def rival_stake(self, seat: str, artist: str) -> float:
        """Say how many works of an artist a rival is likely to be ahead of the others' average."""
        held = self.mine[artist] + self.rivals_average[artist] * len(self.rivals)
        owned = self.theirs[seat][artist]
        return owned - (held - owned) / len(self.rivals)

    @cached_property
    def might(self) -> Mapping[str, float]:
        """Say how much might each rival is likely to hold."""
        share = self.unseen["might"] / max(1, self.unseen.total())
        return {seat: self.players[seat]["brown"] * share for seat in self.rivals}

    @cached_property
    def rounds_left(self) -> float:
        """Say how many turns I am likely to have yet: fewer the nearer an end is."""
        turns = (USUAL_TURNS - self.table["turn"]) / len(self.players)
        top = self.catalogue["steps"]
        ahead = max(
            artist["step"] + len(artist["counters"])
            for artist in self.table["artists"].values()
            if "step" in artist
        )
        return float(max(LAST_ROUNDS, min(turns, top - ahead)))

    def prospect(self, artist: str, works: int) -> float:
        """Say what a work of an artist will be worth in the end if I own so many of them.

        Many owners push an artist up. What I can do myself counts for the artist of whom I own
        most: nobody pushes two at a time.
        """
        if self.out(artist):
            return -float(self.catalogue["out_cost"])
        held = self.mine[artist] + self.rivals_average[artist] * len(self.rivals)
        rise = PULL * (held - self._average_held)
        if works >= max(self.mine.values()):
            rise += PUSH
        end = self.fame[artist] + rise * self.rounds_left
        return float(self.scale[0] + self.rubens * max(0.0, end))

    def ending(self, fame: Fame, paid: Mapping[str, float]) -> float:
        """Say what it is worth to me that the game ends with this fame, and these payments.

        It is my chance to have won then, less the chance to win if the game goes on.
        """
        return VICTORY * (self._chance(fame, paid, 0.0) - self._chance_as_it_is)

    def works_of(self, seat: str) -> Mapping[str, float]:
        """Say how many works of each artist a player owns, I or a rival."""
        return self.mine if seat == str(self.seat) else self.theirs[seat]

    @cached_property
    def _chance_as_it_is(self) -> float:
        return self._chance(self.fame, {}, SWING * sqrt(self.rounds_left))

    def _chance(self, fame: Fame, paid: Mapping[str, float], swing: float) -> float:
        """Say how likely I am ahead of every rival, as far as what they hide allows to tell."""
        values = {name: self.worth(min(space, self.highest)) for name, space in fame.items()}
        own, chance = self._standing(str(self.seat), values) + paid.get(str(self.seat), 0.0), 1.0
        spread = self._spread(values)
        for seat in self.rivals:
            lead = own - self._standing(seat, values) - paid.get(seat, 0.0)
            doubt = sqrt(1 + self.players[seat]["brown"] * spread + swing**2)
            chance *= 0.5 + 0.5 * erf(lead / doubt / sqrt(2))
        return chance

    def _spread(self, values: Mapping[str, float]) -> float:
        """Return the variance of what a hidden brown card is worth."""
        share = CHOSEN_WORKS / max(1, self.unseen.total())
        mean = share * sum(self.unseen[name] * worth for name, worth in values.items())
        square = share * sum(self.unseen[name] * worth**2 for name, worth in values.items())
        return max(0.0, square - mean**2)

    def _standing(self, seat: str, values: Mapping[str, float]) -> float:
        """Say what a player would have if a work of each artist were worth so much."""
        player, works = self.players[seat], self.works_of(seat)
        owned = sum(works[name] * worth for name, worth in values.items())
        return float(player["cash"] - player["notes"] * self.catalogue["note"] + owned)

    @cached_property
    def _average_held(self) -> float:
        held = sum(self.rivals_average.values()) * len(self.rivals) + sum(self.mine.values())
        return held / len(self.fame)

    def _space(self, artist: str) -> int:
        return int(self.table["artists"][artist].get("space", -1))

    def _own_works(self) -> Mapping[str, int]:
        cards = self.catalogue["cards"]
        held = Counter(cards[card].get("artist") for card in self.you["cards"])
        held.update(self.me["shown"].values())
        return {name: held[name] for name in self.fame}

    def _likely_works(self, player: Plain) -> Mapping[str, float]:
        shown = Counter(player["shown"].values())
        hidden = player["brown"] * CHOSEN_WORKS / max(1, self.unseen.total())
        return {name: shown[name] + hidden * self._unseen_works[name] for name in self.fame}

    @cached_property
    def _unseen_works(self) -> Mapping[str, float]:
        """Count the works I have not seen; those of the famous are rather in hands than not."""
        unseen = {name: self.unseen[name] * self._sought(name) for name in self.fame}
        share = sum(self.unseen[name] for name in self.fame) / max(1.0, sum(unseen.values()))
        return {name: share * number for name, number in unseen.items()}

    def _sought(self, artist: str) -> float:
        return UNSOUGHT + max(0, self.fame[artist]) / self.highest
