"""The cards, counters and spaces as the rules read them."""

from collections.abc import Iterable, Iterator

from msgspec.structs import asdict

from saleroom_protocol.games.vernissage import (
    Artist,
    CardId,
    Catalogue,
    CatalogueCard,
    Kind,
)
from saleroom_seeds.vernissage import vernissage

SEED = vernissage()
NUMBERS = SEED.table

ARTISTS: dict[Artist, str] = {artist.key: artist.name for artist in SEED.artists}
COUNTERS: dict[Kind, tuple[int, ...]] = asdict(SEED.counters)
KINDS: tuple[Kind, ...] = tuple(COUNTERS)  # this order wherever kinds are in one
STEPS = range(1, NUMBERS.steps + 1)
TOP = NUMBERS.steps
HIGHEST = len(NUMBERS.scale) - 1  # the first space below IN
PRINTED = (*NUMBERS.scale, *NUMBERS.in_scale)  # the number under each space


def _brown() -> Iterator[CatalogueCard]:
    for artist in ARTISTS:
        yield from [CatalogueCard(kind="work", artist=artist)] * SEED.cards.works
    yield from [CatalogueCard(kind="might")] * SEED.cards.might
    yield from [CatalogueCard(kind="critic")] * SEED.cards.critic
    yield from [CatalogueCard(kind="unlimited")] * SEED.cards.unlimited


def _grey() -> Iterator[CatalogueCard]:
    for steps, count in enumerate(SEED.cards.limited, 1):
        yield from [CatalogueCard(kind="limited", steps=steps)] * count


BROWN: dict[CardId, CatalogueCard] = {
    f"b{place:02}": card for place, card in enumerate(_brown(), 1)
}
GREY: dict[CardId, CatalogueCard] = {f"g{place:02}": card for place, card in enumerate(_grey(), 1)}
CARDS = BROWN | GREY

MIGHT = frozenset(card for card, what in CARDS.items() if what.kind == "might")
CRITICS = frozenset(card for card, what in CARDS.items() if what.kind == "critic")
UNLIMITED = frozenset(card for card, what in CARDS.items() if what.kind == "unlimited")
WORKS: dict[CardId, Artist] = {
    card: str(what.artist) for card, what in CARDS.items() if what.kind == "work"
}
LIMITED: dict[CardId, int] = {
    card: what.steps for card, what in GREY.items() if isinstance(what.steps, int)
}


def works_of(artist: Artist, cards: Iterable[CardId]) -> tuple[CardId, ...]:
    """Return the works of an artist among cards."""
    return tuple([card for card in cards if WORKS.get(card) == artist])


def might_in(cards: Iterable[CardId]) -> tuple[CardId, ...]:
    """Return the might cards among cards."""
    return tuple([card for card in cards if card in MIGHT])


def by_size(values: Iterable[int]) -> tuple[int, ...]:
    """Order values of counters of one kind: the smallest first."""
    return tuple(sorted(values, key=abs))


def catalogue() -> Catalogue:
    """Build the public catalogue of this edition."""
    return Catalogue(
        game=SEED.game,
        edition=SEED.edition,
        artists=ARTISTS,
        cards=CARDS,
        counters=COUNTERS,
        die=NUMBERS.die,
        steps=NUMBERS.steps,
        scale=NUMBERS.scale,
        in_scale=NUMBERS.in_scale,
        prices=NUMBERS.prices,
        grey_price=NUMBERS.grey_price,
        capital=NUMBERS.capital,
        loan=NUMBERS.loan,
        note=NUMBERS.note,
        out_cost=NUMBERS.out_cost,
        feather=NUMBERS.feather,
        great=NUMBERS.great,
        small=NUMBERS.small,
        statements=NUMBERS.statements,
        tax_total=NUMBERS.tax_total,
        stall_rounds=NUMBERS.stall_rounds,
        reconstructed=tuple(path for named in SEED.reconstructed for path in _paths(named)),
    )


def _paths(named: str) -> Iterator[str]:
    """Spell out the one group the component file names as a whole."""
    if named == "cards.limited":
        yield from (f"cards.{card}.steps" for card in GREY)
    else:
        yield named
