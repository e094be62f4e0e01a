"""The shape of `kunstmarkt.toml` and what its values must satisfy."""

from collections.abc import Iterable
from functools import cache
from typing import Annotated, Literal

from msgspec import Meta, Struct

from saleroom_seeds.loader import check_ascending, packaged, parse

Category = Literal["biblical", "portrait", "nude", "genre", "landscape", "modern"]
Nationality = Literal["DE", "ES", "FR", "IT", "NL", "RU"]
Wish = Literal["famous", "large", "small", "old", "new"]
Positive = Annotated[int, Meta(ge=1)]
Percent = Annotated[int, Meta(ge=1, le=100)]


class Picture(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One of the 48 picture tiles."""

    artist: str
    title: str
    nationality: Nationality
    categories: tuple[Category, ...]  # one or two
    year: int
    fame: Percent
    size_dm2: Positive
    facts: tuple[str, ...] = ()  # fields that are known; all others are reconstructed

    def __post_init__(self) -> None:
        """Check what a type cannot say."""
        if not 1 <= len(self.categories) <= 2 or len(set(self.categories)) < len(self.categories):
            raise ValueError("categories: one or two different ones are needed")
        _check_facts(self)


class Customer(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One of the 28 customer cards: at most one grey criterion, exactly one black wish."""

    wish: Wish
    pays: Positive
    nationalities: tuple[Nationality, ...] = ()
    category: Category | None = None
    facts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check what a type cannot say."""
        if self.nationalities and self.category:
            raise ValueError("nationalities and category exclude each other")
        if len(set(self.nationalities)) < len(self.nationalities):
            raise ValueError("nationalities: one is named twice")
        _check_facts(self)


class TableNumbers(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The numbers printed in the rulebook and on the price cards."""

    seats: tuple[Positive, ...]
    pictures_dealt: Positive
    customers_dealt: Positive
    prices: tuple[Positive, ...]
    capital: Positive
    customer_limit: Positive
    picture_limit: Positive
    target: Positive


class Seconds(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Standard length of each kind of window."""

    turn: Positive
    offer: Positive


class Kunstmarkt(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything in `kunstmarkt.toml`."""

    game: Literal["kunstmarkt"]
    edition: Positive
    title: str
    table: TableNumbers
    seconds: Seconds
    pictures: tuple[Picture, ...]
    customers: tuple[Customer, ...]

    def __post_init__(self) -> None:
        """Check that the numbers and the cards fit together."""
        check_ascending("table.seats", self.table.seats)
        check_ascending("table.prices", self.table.prices)
        # A deck must outlast the deal, or the game would be over before it begins (K-END-2).
        most = max(self.table.seats)
        if len(self.pictures) <= most * self.table.pictures_dealt + len(self.table.prices):
            raise ValueError(f"pictures: {len(self.pictures)} are too few for {most} seats")
        if len(self.customers) <= most * self.table.customers_dealt:
            raise ValueError(f"customers: {len(self.customers)} are too few for {most} seats")
        # A player with a full hand of customers can still play one; one with none can draw one.
        if self.table.customers_dealt > self.table.customer_limit:
            raise ValueError("table.customers_dealt exceeds table.customer_limit")
        if self.table.pictures_dealt > self.table.picture_limit:
            raise ValueError("table.pictures_dealt exceeds table.picture_limit")
        # K-C-3: no two pictures tie in anything a customer can wish for.
        _check_distinct("fame", (picture.fame for picture in self.pictures))
        _check_distinct("year", (picture.year for picture in self.pictures))
        _check_distinct("size_dm2", (picture.size_dm2 for picture in self.pictures))


@cache
def kunstmarkt() -> Kunstmarkt:
    """Load the packaged component data, once.

    Raises:
        SeedError: the file does not hold what it should.
    """
    return parse(packaged("kunstmarkt.toml"), Kunstmarkt, "kunstmarkt.toml")


def _check_facts(card: Picture | Customer) -> None:
    unknown = set(card.facts) - (set(card.__struct_fields__) - {"facts"})
    if unknown:
        raise ValueError(f"facts: no field is called {sorted(unknown)[0]!r}")


def _check_distinct(field: str, values: Iterable[int]) -> None:
    seen: set[int] = set()
    for index, value in enumerate(values):
        if value in seen:
            raise ValueError(f"pictures[{index}].{field}: {value} stands twice")
        seen.add(value)
