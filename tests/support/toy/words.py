"""The toy's vocabulary."""

from typing import TypeAlias

from msgspec import UNSET, Struct, UnsetType

from saleroom_protocol.games import Vocabulary
from saleroom_protocol.games.common import Action, Event, Facts, IllegalWhy, Private, Seat


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """None but a switch."""

    short: bool = False


class Bid(Action, frozen=True, tag="bid"):
    """Commit cards, sealed."""

    cards: tuple[str, ...]


class Say(Action, frozen=True, tag="say"):
    """State a value."""

    value: int


class Insist(Action, frozen=True, tag="insist"):
    """End the haggling."""


class Place(Action, frozen=True, tag="place"):
    """Put both tokens on spaces of their own; `path` is worked out."""

    spaces: dict[str, int]
    path: tuple[int, ...] | UnsetType = UNSET


class Arrange(Action, frozen=True, tag="arrange"):
    """Order one's own shelf, at any time."""

    shelf: dict[str, int]


AnyAction: TypeAlias = Bid | Say | Insist | Place | Arrange


class CardsDealt(Event, frozen=True, tag="cards_dealt"):
    """Told to the one it concerns alone."""

    seat: Seat
    cards: tuple[str, ...]


class BidsRevealed(Event, frozen=True, tag="bids_revealed"):
    """All at once."""

    bids: dict[str, tuple[str, ...]]


class DieRolled(Event, frozen=True, tag="die_rolled"):
    """Openly."""

    eyes: int


class Spoken(Event, frozen=True, tag="spoken"):
    """In the haggling."""

    seat: Seat
    value: int | UnsetType = UNSET


class Placed(Event, frozen=True, tag="placed"):
    """With the path that was worked out."""

    seat: Seat
    path: tuple[int, ...]


class Arranged(Event, frozen=True, tag="arranged"):
    """A shelf was ordered anew."""

    seat: Seat


AnyEvent: TypeAlias = CardsDealt | BidsRevealed | DieRolled | Spoken | Placed | Arranged


class NoFacts(Facts, frozen=True):
    """Nothing to say."""


class HaggleFacts(Facts, frozen=True):
    """What everybody states at the moment."""

    stated: dict[str, int]


class Table(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Counts, shelves, dice."""

    round: int
    hands: dict[str, int]
    shelves: dict[str, dict[str, int]]
    eyes: dict[str, int]


class Hand(Private, frozen=True, kw_only=True):
    """One's own cards and one's own sealed answer."""

    cards: tuple[str, ...]
    answer: AnyAction | UnsetType = UNSET


class Catalogue(Struct, frozen=True):
    """Nine cards."""

    cards: dict[str, dict[str, int]]
    reconstructed: tuple[str, ...] = ()


class Why(IllegalWhy):
    """Few reasons."""

    NOT_ASKED = "not_asked", "T-1", (), "The seat owes no answer."
    NOT_LISTED = "not_listed", "T-2", (), "Not among what may be done."


VOCABULARY = Vocabulary(
    action=AnyAction,
    event=AnyEvent,
    facts={"bid": NoFacts, "haggle": HaggleFacts, "place": NoFacts},
    table=Table,
    private=Hand,
    options=Options,
    catalogue=Catalogue,
    why=Why,
)
