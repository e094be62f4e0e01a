"""The pictures and customers as the rules read them, looked up by id."""

from collections.abc import Callable

from msgspec import UNSET

from saleroom_protocol.games.kunstmarkt import (
    Catalogue,
    CatalogueCustomer,
    CataloguePicture,
    CustomerId,
    PictureId,
)
from saleroom_seeds.kunstmarkt import Customer, Picture, Wish, kunstmarkt

SEED = kunstmarkt()
NUMBERS = SEED.table

PICTURES: dict[PictureId, Picture] = {
    f"p{place:02}": picture for place, picture in enumerate(SEED.pictures, 1)
}
CUSTOMERS: dict[CustomerId, Customer] = {
    f"c{place:02}": customer for place, customer in enumerate(SEED.customers, 1)
}


def matches(picture: Picture, customer: Customer) -> bool:
    """K-C-2: the picture meets the customer's grey criterion, if there is one."""
    if customer.category is not None:
        return customer.category in picture.categories
    return not customer.nationalities or picture.nationality in customer.nationalities


# K-C-3: how well a picture fits a customer's black wish; more is better, and no two pictures tie.
MERIT: dict[Wish, Callable[[Picture], int]] = {
    "famous": lambda picture: picture.fame,
    "large": lambda picture: picture.size_dm2,
    "small": lambda picture: -picture.size_dm2,
    "old": lambda picture: -picture.year,
    "new": lambda picture: picture.year,
}

# What each customer would take, and how much it likes it: asked at every offer, so worked out once.
MERITS: dict[CustomerId, dict[PictureId, int]] = {
    caller: {
        number: MERIT[customer.wish](picture)
        for number, picture in PICTURES.items()
        if matches(picture, customer)
    }
    for caller, customer in CUSTOMERS.items()
}


def catalogue() -> Catalogue:
    """Build the public catalogue of this edition."""
    return Catalogue(
        game=SEED.game,
        edition=SEED.edition,
        prices=NUMBERS.prices,
        capital=NUMBERS.capital,
        target=NUMBERS.target,
        picture_limit=NUMBERS.picture_limit,
        customer_limit=NUMBERS.customer_limit,
        pictures={number: _picture(picture) for number, picture in PICTURES.items()},
        customers={caller: _customer(customer) for caller, customer in CUSTOMERS.items()},
        reconstructed=(
            *_reconstructed("pictures", PICTURES, CataloguePicture.__struct_fields__),
            *_reconstructed("customers", CUSTOMERS, CatalogueCustomer.__struct_fields__),
        ),
    )


def _picture(picture: Picture) -> CataloguePicture:
    return CataloguePicture(
        artist=picture.artist,
        title=picture.title,
        nationality=picture.nationality,
        categories=picture.categories,
        year=picture.year,
        fame=picture.fame,
        size_dm2=picture.size_dm2,
    )


def _customer(customer: Customer) -> CatalogueCustomer:
    return CatalogueCustomer(
        wish=customer.wish,
        pays=customer.pays,
        nationalities=customer.nationalities or UNSET,
        category=customer.category or UNSET,
    )


def _reconstructed(
    group: str, cards: dict[str, Picture] | dict[str, Customer], fields: tuple[str, ...]
) -> list[str]:
    """Name the fields of the cards that are printed there but not known to be facts."""
    return [
        f"{group}.{number}.{field}"
        for number, card in cards.items()
        for field in fields
        if field not in card.facts and getattr(card, field)
    ]
