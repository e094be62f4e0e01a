"""The shape of `vernissage.toml` and what its values must satisfy."""

from functools import cache
from typing import Annotated, Literal

from msgspec import Meta, Struct

from saleroom_seeds.loader import check_ascending, packaged, parse

Kind = Literal["purchase", "critique", "scandal"]
Face = Literal["purchase", "critique", "scandal", "any", "minus"]
Positive = Annotated[int, Meta(ge=1)]
Negative = Annotated[int, Meta(le=-1)]
Count = Annotated[int, Meta(ge=0)]
DIE_FACES = 6


class Artist(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One of the five artists."""

    key: Annotated[str, Meta(pattern=r"^[a-z]{1,16}$")]
    name: str


class TableNumbers(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The numbers of the rulebook, of the board, and our own limits."""

    seats: tuple[Positive, ...]
    agents: tuple[Positive, ...]
    reserve: Count
    steps: Positive
    scale: tuple[int, ...]
    in_scale: tuple[Positive, ...]
    first_worth: int
    hand: Positive
    pile: Positive
    prices: tuple[Positive, ...]
    grey_price: Positive
    capital: Positive
    loan: Positive
    note: Positive
    out_cost: Positive
    feather: Positive
    great: Positive
    small: Positive
    die: tuple[Face, ...]
    statements: Positive
    tax_total: Positive
    stall_rounds: Positive
    recent_turns: Positive


class Counters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The values of the fate counters of each kind, by absolute value."""

    purchase: tuple[Positive, ...]
    critique: tuple[Negative, ...]
    scandal: tuple[Negative, ...]


class Cards(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many cards of each sort there are."""

    works: Positive
    might: Positive
    critic: Positive
    unlimited: Positive
    limited: tuple[Positive, ...]  # of one step, of two …


class Seconds(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Standard length of each kind of window."""

    place: Positive
    objection: Positive
    bargain: Positive
    challenge: Positive
    might: Positive
    reveal: Positive
    buy: Positive
    pick: Positive
    play: Positive


class Vernissage(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything in `vernissage.toml`."""

    game: Literal["vernissage"]
    edition: Positive
    title: str
    reconstructed: tuple[str, ...]
    table: TableNumbers
    counters: Counters
    cards: Cards
    seconds: Seconds
    artists: tuple[Artist, ...]

    def __post_init__(self) -> None:
        """Check that the numbers, counters and cards fit together."""
        table = self.table
        for place in ("seats", "agents", "scale", "in_scale", "prices"):
            check_ascending(f"table.{place}", getattr(table, place))
        if table.first_worth not in table.scale:
            raise ValueError(f"table.first_worth: no space of the scale says {table.first_worth}")
        # V-INF-2: the agents at first stand on steps there are, and the top one ends the game.
        if table.agents[-1] >= table.steps:
            raise ValueError("table.agents: one would stand on the top step or above")
        if len(table.die) != DIE_FACES:
            raise ValueError(f"table.die: {len(table.die)} faces; a die has {DIE_FACES}")
        for kind in self.counters.__struct_fields__:
            _check_counters(kind, getattr(self.counters, kind))
        self._check_deal()
        if len({artist.key for artist in self.artists}) < len(self.artists):
            raise ValueError("artists: a key stands twice")

    def _check_deal(self) -> None:
        """V-SET-4: hands and piles come out of the brown cards, and no redraw can go on forever."""
        cards, table = self.cards, self.table
        others = cards.might + cards.critic + cards.unlimited
        dealt = max(table.seats) * table.hand + len(table.prices) * table.pile
        if len(self.artists) * cards.works + others < dealt:
            raise ValueError(f"cards: there are fewer brown ones than the {dealt} dealt")
        if others < max(table.seats) * table.hand:
            raise ValueError("cards: too few brown ones are no works for every hand to hold one")


@cache
def vernissage() -> Vernissage:
    """Load the packaged component data, once.

    Raises:
        SeedError: the file does not hold what it should.
    """
    return parse(packaged("vernissage.toml"), Vernissage, "vernissage.toml")


def _check_counters(kind: str, values: tuple[int, ...]) -> None:
    if not values or list(values) != sorted(values, key=abs):
        raise ValueError(f"counters.{kind}: needs at least one value, the smallest first")
