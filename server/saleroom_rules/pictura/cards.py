"""The paintings, trends, patrons, favours and categories as the rules read them."""

from collections.abc import Collection, Iterable, Iterator
from itertools import product

from msgspec import UNSET
from msgspec.structs import asdict

from saleroom_protocol.games.pictura import (
    Catalogue,
    CatalogueFavour,
    CataloguePainter,
    CataloguePainting,
    CataloguePatron,
    CatalogueTrend,
    CatalogueWorth,
    Category,
    FavourId,
    Kind,
    MuseumKey,
    PaintingId,
    PatronId,
    Space,
    TrendId,
)
from saleroom_rules.pictura.board import GRAND_GALLERY
from saleroom_seeds.pictura import FAVOUR_KINDS, PERIODS, THEMES, FavourKind, pictura

SEED = pictura()
NUMBERS = SEED.table
FAVOURS = SEED.favours
SPACES: dict[Space, int] = asdict(SEED.spaces)
MUSEUMS: dict[MuseumKey, str] = {museum.key: museum.name for museum in SEED.museums}
CATEGORIES: tuple[Category, ...] = (*PERIODS, *THEMES)  # this order wherever they are in one


def _paintings() -> Iterator[CataloguePainting]:
    """P-SET-1: of each painter two of a theme, none of another, one of each of the rest."""
    for number, painter in enumerate(SEED.painters, 1):
        for theme in THEMES:
            count = {painter.two_of: 2, painter.none_of: 0}.get(theme, 1)
            card = CataloguePainting(painter=number, period=painter.period, theme=theme)
            yield from [card] * count


def _patrons() -> Iterator[CataloguePatron]:
    for period, theme, patron in product(PERIODS, THEMES, SEED.patrons):
        yield CataloguePatron(
            period=period,
            of_period=patron.of_period,
            theme=theme,
            of_theme=patron.of_theme,
            reward=patron.reward,
            points=patron.points or UNSET,
        )


def _favours() -> Iterator[CatalogueFavour]:
    for kind in FAVOUR_KINDS:
        yield from [_favour(kind)] * FAVOURS.copies


def _favour(kind: FavourKind) -> CatalogueFavour:
    if kind == "choose":
        return CatalogueFavour(kind=kind, amount=FAVOURS.choose.drawn, kept=FAVOURS.choose.kept)
    return CatalogueFavour(kind=kind, amount=getattr(FAVOURS, kind))


PAINTINGS: dict[PaintingId, CataloguePainting] = {
    f"p{place:03}": painting for place, painting in enumerate(_paintings(), 1)
}
TRENDS: dict[TrendId, CatalogueTrend] = {
    f"t{place:02}": CatalogueTrend(**asdict(trend)) for place, trend in enumerate(SEED.trends, 1)
}
PATRONS: dict[PatronId, CataloguePatron] = {
    f"m{place:02}": patron for place, patron in enumerate(_patrons(), 1)
}
FAVOUR_CARDS: dict[FavourId, CatalogueFavour] = {
    f"f{place:02}": favour for place, favour in enumerate(_favours(), 1)
}


def _worth(likes: CatalogueTrend, painting: CataloguePainting) -> int:
    scale = NUMBERS.trend
    return (
        scale.period * (painting.period == likes.period)
        + scale.theme * (painting.theme == likes.theme)
        + scale.painter * (painting.painter == likes.painter)
    )


# P-SET-2: what each painting is worth under each trend; 0 if nothing matches.
WORTH: dict[TrendId, dict[PaintingId, int]] = {
    trend: {painting: _worth(likes, what) for painting, what in PAINTINGS.items()}
    for trend, likes in TRENDS.items()
}

# P-SET-1: the paintings of each period and theme.
SHOWING: dict[Category, frozenset[PaintingId]] = {
    category: frozenset(
        painting for painting, what in PAINTINGS.items() if category in (what.period, what.theme)
    )
    for category in CATEGORIES
}
NONE: frozenset[PaintingId] = frozenset()


def of_category(category: Category, paintings: Iterable[PaintingId]) -> tuple[PaintingId, ...]:
    """Return the paintings of a period or theme among some; of a category there is not, none."""
    showing = SHOWING.get(category, NONE)
    return tuple([painting for painting in paintings if painting in showing])


def size_points(size: int) -> int:
    """Return what so many adjacent paintings of a category are worth (P-SPE-2, P-SCORE-1)."""
    step = size - NUMBERS.least
    if step < 0:
        return 0
    beyond = max(0, step - len(NUMBERS.sizes) + 1)
    return NUMBERS.sizes[step - beyond] + beyond * NUMBERS.further


def impressed(patron: PatronId, hung: Collection[PaintingId]) -> bool:
    """Tell whether what a patron wants hangs; one painting may count for both (P-SET-3)."""
    wants = PATRONS[patron]
    return (
        len(of_category(wants.period, hung)) >= wants.of_period
        and len(of_category(wants.theme, hung)) >= wants.of_theme
    )


def kind_of_favour(favour: FavourId) -> Kind:
    """Return what a favour does."""
    return FAVOUR_CARDS[favour].kind


def catalogue() -> Catalogue:
    """Build the public catalogue of this edition."""
    return Catalogue(
        game=SEED.game,
        edition=SEED.edition,
        periods=PERIODS,
        themes=THEMES,
        museums=MUSEUMS,
        painters={
            str(number): CataloguePainter(name=painter.name, period=painter.period)
            for number, painter in enumerate(SEED.painters, 1)
        },
        paintings=PAINTINGS,
        trends=TRENDS,
        patrons=PATRONS,
        favours=FAVOUR_CARDS,
        spaces=SPACES,
        side=NUMBERS.side,
        grand_gallery=GRAND_GALLERY,
        trend=CatalogueWorth(**asdict(NUMBERS.trend)),
        start_points=dict(zip(map(str, NUMBERS.seats), NUMBERS.start_points, strict=True)),
        chips=NUMBERS.chips,
        drawn=NUMBERS.drawn,
        hand=NUMBERS.hand,
        favour_hand=NUMBERS.favour_hand,
        acquired=NUMBERS.acquired,
        least=NUMBERS.least,
        sizes=NUMBERS.sizes,
        further=NUMBERS.further,
        first=NUMBERS.first,
        any_favour=NUMBERS.any_favour,
        track=NUMBERS.track,
        goal=NUMBERS.goal,
        goal_bonus=NUMBERS.goal_bonus,
        gallery=NUMBERS.gallery,
        full=NUMBERS.full,
        exhibitions=NUMBERS.exhibitions,
        archived=NUMBERS.archived,
        reconstructed=SEED.reconstructed,
    )
