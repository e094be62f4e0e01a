"""The state of a Kunstmarkt game: frozen values, and the few changes all phases share."""

from collections.abc import Iterable

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from saleroom_protocol.games.common import Seat
from saleroom_protocol.games.kunstmarkt import AnyEvent, CustomerId, Discards, GameEnded, PictureId
from saleroom_rules.contract import Hidden, Step
from saleroom_rules.rng import Rng


class Player(Hidden, frozen=True, kw_only=True):
    """One player's money and cards. Hands are kept in ascending order."""

    cash: int
    pictures: tuple[PictureId, ...]  # hidden, but for the known ones; an offered one is not here
    known: tuple[PictureId, ...] = ()  # those of `pictures` everybody has seen (K-SET-5)
    customers: tuple[CustomerId, ...]  # hidden

    def with_picture(self, picture: PictureId) -> "Player":
        """Take a picture everybody has seen into the hand."""
        return replace(
            self,
            pictures=in_order((*self.pictures, picture)),
            known=in_order((*self.known, picture)),
        )

    def without_picture(self, picture: PictureId) -> "Player":
        """Put a picture of the hand elsewhere."""
        return replace(
            self, pictures=without(self.pictures, picture), known=without(self.known, picture)
        )


class Sale(Struct, frozen=True, gc=False, kw_only=True):
    """A customer's visit (K-C-1): who is asked next and what lies on the table."""

    customer: CustomerId
    bidder: Seat
    offers: tuple[tuple[Seat, PictureId], ...] = ()  # in order; each beats the one before (K-C-3)


class State(Hidden, frozen=True, kw_only=True):
    """A whole game. `rng`, `stock`, `deck` and most of the hands are secret."""

    hidden_cash: bool
    window: int = 1  # the number of the open window
    start: Seat
    active: Seat
    players: tuple[Player, ...]
    market: tuple[PictureId, ...]  # cheapest first
    stock: tuple[PictureId, ...]  # top first
    deck: tuple[CustomerId, ...]  # top first
    discards: Discards = Discards({}, {})  # never changed in place: tables share it
    sale: Sale | None = None
    ended: str | UnsetType = UNSET  # why the game is over
    rng: Rng

    def after(self, seat: Seat) -> Seat:
        """Return the left-hand neighbour (K-SET-1)."""
        return (seat + 1) % len(self.players)

    def discarding(
        self, pictures: dict[PictureId, str], customers: dict[CustomerId, str]
    ) -> Discards:
        """Return the discard piles with cards added, each with how it got there."""
        return Discards(self.discards.pictures | pictures, self.discards.customers | customers)

    def with_player(self, seat: Seat, player: Player) -> tuple[Player, ...]:
        """Return the players with one changed."""
        return (*self.players[:seat], player, *self.players[seat + 1 :])


def next_turn(state: State, *events: AnyEvent) -> Step[State, AnyEvent]:
    """Hand the turn to the left-hand neighbour."""
    state = replace(state, window=state.window + 1, active=state.after(state.active), sale=None)
    return Step(state, events)


def game_over(state: State, reason: str, *events: AnyEvent) -> Step[State, AnyEvent]:
    """End the game at once."""
    state = replace(state, sale=None, ended=reason)
    return Step(state, (*events, GameEnded(reason)))


def in_order(cards: Iterable[str]) -> tuple[str, ...]:
    """Return cards by ascending id."""
    return tuple(sorted(cards))


def without(cards: tuple[str, ...], card: str) -> tuple[str, ...]:
    """Return cards but for one."""
    return tuple(other for other in cards if other != card)
