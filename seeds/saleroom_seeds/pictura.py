"""The shape of `pictura.toml` and what its values must satisfy."""

from collections import Counter
from functools import cache
from itertools import product
from typing import Annotated, Literal, get_args

from msgspec import Meta, Struct

from saleroom_seeds.loader import check_ascending, packaged, parse

Period = Literal["renaissance", "baroque", "rococo", "romanticism", "impressionism"]
Theme = Literal["mythology", "history", "religion", "landscape", "still_life", "portrait"]
PERIODS: tuple[Period, ...] = get_args(Period)
THEMES: tuple[Theme, ...] = get_args(Theme)
FavourKind = Literal["points", "exhibit", "take", "recover", "trade", "choose", "trend", "acquire"]
FAVOUR_KINDS: tuple[FavourKind, ...] = get_args(FavourKind)
Positive = Annotated[int, Meta(ge=1)]
Negative = Annotated[int, Meta(le=-1)]
Count = Annotated[int, Meta(ge=0)]


class Painter(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One of the 30 painters; there is one painting of every other theme."""

    name: str
    period: Period
    two_of: Theme
    none_of: Theme


class Trend(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One of the 30 trend cards."""

    period: Period
    theme: Theme
    painter: Positive  # 1 is the first


class Patron(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A kind of patron; there is one for every period and theme."""

    of_period: Positive  # so many paintings of the period have to hang
    of_theme: Positive
    reward: Literal["points", "painting"]
    points: Count = 0

    def __post_init__(self) -> None:
        """Check what a type cannot say."""
        if (self.reward == "points") != bool(self.points):
            raise ValueError("points: they go with the reward of that name")


class Museum(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One of the four international museums."""

    key: Annotated[str, Meta(pattern=r"^[a-z]{1,16}$")]
    name: str


class Dealt(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What each player is dealt."""

    paintings: Positive
    trends: Positive
    favours: Positive


class Shown(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What lies open: in each international museum, and in the row of patrons."""

    paintings: Positive
    patrons: Positive


class Worth(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What each match with a trend is worth."""

    period: Positive
    theme: Positive
    painter: Positive


class TableNumbers(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The numbers of the rules, of the boards, and of the deal."""

    seats: tuple[Positive, ...]
    dealt: Dealt
    shown: Shown
    trend: Worth
    start_points: tuple[tuple[Count, ...], ...]
    chips: Positive
    drawn: Positive
    hand: Positive
    favour_hand: Positive
    acquired: Positive
    least: Positive
    sizes: tuple[Positive, ...]
    further: Positive
    first: Positive
    any_favour: Positive
    track: tuple[Positive, ...]
    goal: Positive
    goal_bonus: Positive
    side: Positive
    gallery: Positive
    full: Positive
    exhibitions: tuple[Positive, ...]
    archived: Negative


class Spaces(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The bonus spaces of a museum, in their order, and how much of it each gives."""

    draw_paintings: Positive
    draw_favours: Positive
    exhibit: Literal[1]
    hand_limit: Positive
    archive_free: Positive
    end_points: Positive


class Choose(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Draw paintings and keep some of them."""

    drawn: Positive
    kept: Positive


class Favours(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The kinds of favours, in their order, and how much of it each gives."""

    copies: Positive
    points: Positive
    exhibit: Literal[1]
    take: Literal[1]
    recover: Positive
    trade: Literal[1]
    choose: Choose
    trend: Positive
    acquire: Literal[1]


class Seconds(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Standard length of each kind of window; `offer` is a trade in another's turn."""

    keep_trend: Positive
    keep_two: Positive
    trade: Positive
    offer: Positive
    action: Positive
    bonus_space: Positive
    discard: Positive
    arrange_final: Positive


class Pictura(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything in `pictura.toml`."""

    game: Literal["pictura"]
    edition: Positive
    title: str
    reconstructed: tuple[str, ...]
    table: TableNumbers
    spaces: Spaces
    favours: Favours
    patrons: tuple[Patron, ...]
    seconds: Seconds
    museums: tuple[Museum, ...]
    painters: tuple[Painter, ...]
    trends: tuple[Trend, ...]

    def __post_init__(self) -> None:
        """Check that the numbers and the cards fit together."""
        table = self.table
        for place in ("seats", "sizes", "track", "exhibitions"):
            check_ascending(f"table.{place}", getattr(table, place))
        if tuple(map(len, table.start_points)) != table.seats:
            raise ValueError("table.start_points: every seat of every number of seats needs some")
        if table.track[-1] != table.goal:
            raise ValueError(f"table.track: its last step is not the goal of {table.goal}")
        if table.side % 2 == 0:
            raise ValueError("table.side: there is no middle row and column")
        if len(table.exhibitions) != len(self.spaces.__struct_fields__):
            raise ValueError("table.exhibitions: there are more or fewer than bonus spaces")
        if self.spaces.hand_limit <= table.hand:
            raise ValueError("spaces.hand_limit: it is no more than table.hand")
        if self.favours.choose.kept > self.favours.choose.drawn:
            raise ValueError("favours.choose: more are kept than drawn")
        self._check_cards()
        self._check_deal()

    def _check_cards(self) -> None:
        """P-SET-1, P-SET-2: periods and themes are alike, and every pair has its trend."""
        twice = Counter((painter.period, painter.two_of) for painter in self.painters)
        never = Counter((painter.period, painter.none_of) for painter in self.painters)
        if twice != never:
            raise ValueError("painters: of a period there are more of one theme than of another")
        pairs = sorted((trend.period, trend.theme) for trend in self.trends)
        if pairs != sorted(product(PERIODS, THEMES)):
            raise ValueError("trends: not one for every period and theme")
        if max(trend.painter for trend in self.trends) > len(self.painters):
            raise ValueError("trends: one names a painter there is not")
        if len({museum.key for museum in self.museums}) < len(self.museums):
            raise ValueError("museums: a key stands twice")

    def _check_deal(self) -> None:
        """P-SET-5: there are cards enough for hands, museums and the row."""
        most, table = max(self.table.seats), self.table
        for name, cards, dealt, shown in (
            (
                "painters",
                len(self.painters) * len(THEMES),
                table.dealt.paintings,
                len(self.museums) * table.shown.paintings,
            ),
            ("trends", len(self.trends), table.dealt.trends, 1 + len(self.museums)),
            ("favours", self.favours.copies * len(FAVOUR_KINDS), table.dealt.favours, 0),
            ("patrons", len(self.patrons) * len(self.trends), 0, table.shown.patrons),
        ):
            if cards < most * dealt + shown:
                raise ValueError(f"{name}: {cards} cards are too few for {most} seats")


@cache
def pictura() -> Pictura:
    """Load the packaged component data, once.

    Raises:
        SeedError: the file does not hold what it should.
    """
    return parse(packaged("pictura.toml"), Pictura, "pictura.toml")
