"""Der Prestel Kunstmarkt: its public vocabulary. PROTOCOL.md, "Der Prestel Kunstmarkt"."""

from typing import Annotated, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType

from saleroom_protocol.games.common import Action, Event, Facts, IllegalWhy, Private, Seat

PictureId: TypeAlias = Annotated[str, Meta(max_length=8)]  # "p01" … "p48"
CustomerId: TypeAlias = Annotated[str, Meta(max_length=8)]  # "c01" … "c28"


class Options(Struct, frozen=True, gc=False, kw_only=True, forbid_unknown_fields=True):
    """What a room of this game may be set to."""

    hidden_cash: bool = False  # each player sees only their own cash until the end (K-SET-4)


# Actions


class DrawCustomer(Action, frozen=True, tag="draw_customer"):
    """A: take the top customer into the hand. Answers `turn`."""


class Buy(Action, frozen=True, tag="buy"):
    """B: buy a picture of the market; with a full hand, name one to discard. Answers `turn`."""

    picture: PictureId
    discard: PictureId | UnsetType = UNSET


class PlayCustomer(Action, frozen=True, tag="play_customer"):
    """C: play a customer of the hand, who then visits every gallery. Answers `turn`."""

    customer: CustomerId


class Offer(Action, frozen=True, tag="offer"):
    """Offer a picture of the hand to the visiting customer. Answers `offer`."""

    picture: PictureId


class Pass(Action, frozen=True, tag="pass"):
    """Offer nothing. Answers `offer`."""


AnyAction: TypeAlias = DrawCustomer | Buy | PlayCustomer | Offer | Pass


# Events


class StartDrawn(Event, frozen=True, tag="start_drawn"):
    """The lot fell on this seat: it begins."""

    seat: Seat


class HandDealt(Event, frozen=True, tag="hand_dealt"):
    """A player's first cards; told to that player alone."""

    seat: Seat
    pictures: tuple[PictureId, ...]
    customers: tuple[CustomerId, ...]


class MarketOpened(Event, frozen=True, tag="market_opened"):
    """The first five pictures lie on the price cards."""

    market: dict[str, PictureId]  # price -> picture


class CustomerDrawn(Event, frozen=True, tag="customer_drawn"):
    """A player took the top customer; only that player is told which."""

    seat: Seat
    customer: CustomerId | UnsetType = UNSET


class PictureBought(Event, frozen=True, tag="picture_bought"):
    """A player bought a picture of the market for `price`, after discarding one if named."""

    seat: Seat
    picture: PictureId
    price: int
    discarded: PictureId | UnsetType = UNSET


class MarketRefilled(Event, frozen=True, tag="market_refilled"):
    """Dearer pictures slid down one price card; this one came from the stock to the dearest."""

    picture: PictureId
    price: int


class CustomerPlayed(Event, frozen=True, tag="customer_played"):
    """A customer was played and begins the walk past the galleries."""

    seat: Seat
    customer: CustomerId


class PictureOffered(Event, frozen=True, tag="picture_offered"):
    """A picture was laid open before the customer, better than any before it."""

    seat: Seat
    picture: PictureId


class Passed(Event, frozen=True, tag="passed"):
    """A player offered nothing."""

    seat: Seat


class PictureSold(Event, frozen=True, tag="picture_sold"):
    """The customer bought the best offer; the bank paid `price` to its owner."""

    seat: Seat
    picture: PictureId
    customer: CustomerId
    price: int


class CustomerLeft(Event, frozen=True, tag="customer_left"):
    """Nobody offered anything: the customer left and nothing was paid."""

    customer: CustomerId


class GameEnded(Event, frozen=True, tag="game_ended"):
    """The game is over. `reason`: capital, last_customer or last_picture."""

    reason: str


AnyEvent: TypeAlias = (
    StartDrawn
    | HandDealt
    | MarketOpened
    | CustomerDrawn
    | PictureBought
    | MarketRefilled
    | CustomerPlayed
    | PictureOffered
    | Passed
    | PictureSold
    | CustomerLeft
    | GameEnded
)


# What a window says in public


class TurnFacts(Facts, frozen=True):
    """Facts of a `turn` window: none beyond the seat that is asked."""


class OfferFacts(Facts, frozen=True):
    """Facts of an `offer` window: the visiting customer and the offer to beat, if any."""

    customer: CustomerId
    to_beat: PictureId | UnsetType = UNSET


# The table and the private part


class OpenHand(Struct, frozen=True, gc=False):
    """A hand laid open after the end."""

    pictures: tuple[PictureId, ...]
    customers: tuple[CustomerId, ...]


class TablePlayer(Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """What everybody sees of one player."""

    pictures: int  # in hand; an offered one is not
    customers: int
    known: tuple[PictureId, ...]  # pictures in hand that everybody has seen (K-SET-5)
    cash: int | UnsetType = UNSET  # absent with hidden_cash until the end
    hand: OpenHand | UnsetType = UNSET  # only after the end (K-SET-5)


class TableSale(Struct, frozen=True, gc=False, omit_defaults=True):
    """A customer's visit: the open offers so far; beaten ones lie there until the sale (K-C-4)."""

    customer: CustomerId
    offers: dict[str, PictureId]  # seat -> picture
    best: Seat | UnsetType = UNSET  # whose offer leads; absent without offers


class Discards(Struct, frozen=True, gc=False):
    """The two open discard piles, with how each card got there."""

    pictures: dict[PictureId, str]  # "sold" or "discarded"
    customers: dict[CustomerId, str]  # "served" or "left"


class Table(Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """Everything on the table, the same for everyone."""

    start: Seat
    active: Seat
    market: dict[str, PictureId]  # price -> picture
    stock: int
    deck: int
    players: dict[str, TablePlayer]  # by seat
    discards: Discards
    sale: TableSale | UnsetType = UNSET


class Hand(Private, frozen=True, kw_only=True):
    """What one player sees besides the table."""

    cash: int
    pictures: tuple[PictureId, ...]
    customers: tuple[CustomerId, ...]


# The catalogue


class CataloguePicture(Struct, frozen=True, gc=False, kw_only=True):
    """What is printed on a picture tile."""

    artist: str
    title: str
    nationality: str
    categories: tuple[str, ...]
    year: int
    fame: int  # percent
    size_dm2: int


class CatalogueCustomer(Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """What is printed on a customer card."""

    wish: str  # famous, large, small, old, new: the most of it wins
    pays: int
    nationalities: tuple[str, ...] | UnsetType = UNSET  # any of these will do
    category: str | UnsetType = UNSET


class Catalogue(Struct, frozen=True, gc=False, kw_only=True):
    """What every id of this game is; never changes within an edition."""

    game: str
    edition: int
    prices: tuple[int, ...]
    capital: int
    target: int
    picture_limit: int
    customer_limit: int
    pictures: dict[PictureId, CataloguePicture]
    customers: dict[CustomerId, CatalogueCustomer]
    reconstructed: tuple[str, ...]  # field paths: "pictures.p03.year"


class Why(IllegalWhy):
    """`facts.why` of an `illegal_action` in this game."""

    NOT_ASKED = "not_asked", "K-TURN-1", ("seat",), "The seat owes no answer."
    WRONG_WINDOW = "wrong_window", "K-TURN-1", ("open",), "Another kind of window is open."
    HAND_FULL = "hand_full", "K-A-1", ("limit",), "The hand holds as many customers as it may."
    NOT_ON_MARKET = "not_on_market", "K-B-1", ("picture",), "The picture is not for sale."
    TOO_EXPENSIVE = (
        "too_expensive",
        "K-B-3",
        ("price", "cash"),
        "The price exceeds the player's cash.",
    )
    DISCARD_NEEDED = "discard_needed", "K-B-2", ("limit",), "A full hand must discard a picture."
    DISCARD_NOT_ALLOWED = (
        "discard_not_allowed",
        "K-B-2",
        ("limit",),
        "A hand with room may not discard.",
    )
    NOT_IN_HAND = "not_in_hand", "K-C-1", ("card",), "The card is not in the player's hand."
    NO_MATCH = "no_match", "K-C-2", ("customer",), "The picture misses the grey criterion."
    NOT_BETTER = "not_better", "K-C-3", ("to_beat",), "The picture does not beat the best offer."
