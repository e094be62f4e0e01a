"""The cards of the Kunstmarkt against the rulebook's own tables, and what the file may not say."""

import re
from collections import Counter
from functools import partial

import pytest

from saleroom_seeds.kunstmarkt import Customer, Kunstmarkt, Picture, kunstmarkt
from saleroom_seeds.loader import packaged, parse
from tests.seeds.spoiling import spoiling

TEXT = packaged("kunstmarkt.toml")


def wanted(customer: Customer) -> str:
    return "/".join(sorted(customer.nationalities)) or customer.category or ""


def suits(picture: Picture, criterion: str) -> bool:
    return picture.nationality in criterion.split("/") or criterion in picture.categories


def picture_by(artist: str) -> Picture:
    return next(picture for picture in kunstmarkt().pictures if picture.artist == artist)


# What the rulebook says


def test_there_are_48_pictures_and_28_customers() -> None:
    assert len(kunstmarkt().pictures) == 48
    assert len(kunstmarkt().customers) == 28


@pytest.mark.parametrize(
    ("criterion", "customers", "pictures"),
    [
        ("DE", 4, 20),
        ("NL", 2, 9),
        ("NL/RU", 1, 11),
        ("ES/FR/IT", 1, 17),
        ("portrait", 2, 10),
        ("biblical", 2, 10),
        ("modern", 2, 10),
        ("nude", 2, 7),
    ],
)
def test_every_grey_criterion_has_its_customers_and_pictures(
    criterion: str, customers: int, pictures: int
) -> None:
    cards = kunstmarkt()
    assert sum(wanted(customer) == criterion for customer in cards.customers) == customers
    assert sum(suits(picture, criterion) for picture in cards.pictures) == pictures


def test_only_criteria_of_the_rulebook_are_asked_for() -> None:
    known = {"DE", "NL", "NL/RU", "ES/FR/IT", "portrait", "biblical", "modern", "nude"}
    asked = {wanted(customer) for customer in kunstmarkt().customers}
    assert asked == known | {"landscape", "genre", ""}


def test_every_black_wish_has_its_customers() -> None:
    wishes = Counter(customer.wish for customer in kunstmarkt().customers)
    assert wishes == {"famous": 7, "large": 6, "small": 6, "old": 4, "new": 5}


def test_the_best_and_second_best_of_every_wish_are_the_rulebooks() -> None:
    pictures = kunstmarkt().pictures
    assert sorted(picture.fame for picture in pictures)[-2:] == [98, 99]
    assert sorted(picture.size_dm2 for picture in pictures)[-2:] == [332, 390]
    assert sorted(picture.size_dm2 for picture in pictures)[:2] == [5, 7]
    assert sorted(picture.year for picture in pictures)[:2] == [1450, 1460]
    assert sorted(picture.year for picture in pictures)[-2:] == [2002, 2003]


@pytest.mark.parametrize("field", ["fame", "year", "size_dm2"])
def test_duplicate_values_do_not_occur(field: str) -> None:
    assert len({getattr(picture, field) for picture in kunstmarkt().pictures}) == 48


def test_some_pictures_belong_to_two_categories() -> None:
    numbers = {len(picture.categories) for picture in kunstmarkt().pictures}
    assert numbers == {1, 2}


def test_customers_pay_between_12000_and_25000() -> None:
    payments = [customer.pays for customer in kunstmarkt().customers]
    assert (min(payments), max(payments)) == (12000, 25000)


def test_the_table_has_the_printed_numbers() -> None:
    table = kunstmarkt().table
    assert table.seats == (3, 4, 5)
    assert table.prices == (2000, 5000, 8000, 10000, 15000)
    assert (table.pictures_dealt, table.customers_dealt) == (3, 2)
    assert (table.picture_limit, table.customer_limit) == (4, 3)
    assert (table.capital, table.target) == (25000, 125000)


def test_the_windows_last_45_and_20_seconds() -> None:
    assert (kunstmarkt().seconds.turn, kunstmarkt().seconds.offer) == (45, 20)


def test_the_file_names_its_game_and_edition() -> None:
    cards = kunstmarkt()
    assert (cards.game, cards.edition, cards.title) == ("kunstmarkt", 1, "Der Prestel Kunstmarkt")


def test_the_rulebooks_corinth_has_82_percent_and_its_duerer_98() -> None:
    corinth, duerer = picture_by("Lovis Corinth"), picture_by("Albrecht Dürer")
    assert (corinth.fame, duerer.fame) == (82, 98)
    assert corinth.nationality == duerer.nationality == "DE"
    assert {"fame", "nationality"} <= set(corinth.facts) & set(duerer.facts)


def test_the_known_sizes_are_facts() -> None:
    bouts, stockt = picture_by("Dierick Bouts"), picture_by("Vrancke van der Stockt")
    assert (bouts.size_dm2, stockt.size_dm2) == (44, 330)
    assert "size_dm2" in bouts.facts
    assert "size_dm2" in stockt.facts


def test_the_known_customer_is_a_fact() -> None:
    known = [customer for customer in kunstmarkt().customers if customer.facts]
    assert [(card.category, card.wish, card.pays) for card in known] == [
        ("modern", "famous", 18000)
    ]
    assert set(known[0].facts) == {"category", "wish", "pays"}


def test_the_file_is_loaded_once() -> None:
    assert kunstmarkt() is kunstmarkt()


# What the file may not say

spoilt = partial(spoiling, "kunstmarkt.toml", Kunstmarkt)


def test_the_packaged_text_itself_is_accepted() -> None:
    assert parse(TEXT, Kunstmarkt, "kunstmarkt.toml") == kunstmarkt()


@pytest.mark.parametrize(
    ("pattern", "replacement", "problem"),
    [
        (r'^game = "kunstmarkt"', 'game = "vernissage"', "game: Invalid enum value 'vernissage'"),
        (r"^edition = 1", "edition = 0", "edition: Expected `int` >= 1"),
        (r"^title = ", "name = ", "Object contains unknown field `name`"),
        (r"^title = .*$", "", "Object missing required field `title`"),
        (r"^turn = 45$", "", "seconds: Object missing required field `turn`"),
        (r"^offer = 20$", "offer = 0", "seconds.offer: Expected `int` >= 1"),
        (r"^offer = 20$", "offer = 20\nbid = 5", "seconds: Object contains unknown field `bid`"),
        (r"^capital = 25000", "capital = -1", "table.capital: Expected `int` >= 1"),
        (r"^capital = 25000", "capital = 2.5", "table.capital: Expected `int`, got `float`"),
        (r"^target = ", "goal = ", "table: Object contains unknown field `goal`"),
        (r"^seats = .*$", "seats = [3, 0]", "table.seats[1]: Expected `int` >= 1"),
    ],
)
def test_a_wrong_head_is_named_with_its_place(pattern: str, replacement: str, problem: str) -> None:
    assert spoilt(pattern, replacement) == problem


@pytest.mark.parametrize(
    ("pattern", "replacement", "problem"),
    [
        (r"^fame = 85", "fame = 0", "pictures[1].fame: Expected `int` >= 1"),
        (r"^fame = 85", "fame = 101", "pictures[1].fame: Expected `int` <= 100"),
        (r"^size_dm2 = 33$", "size_dm2 = 0", "pictures[0].size_dm2: Expected `int` >= 1"),
        (r"^year = 1500", "year = true", "pictures[0].year: Expected `int`, got `bool`"),
        (r"^year = 1528$", "", "pictures[1]: Object missing required field `year`"),
        (r'"NL"$', '"BE"', "pictures[20].nationality: Invalid enum value 'BE'"),
        (
            r'\["biblical", "nude"\]',
            '["biblical", "still_life"]',
            "pictures[1].categories[1]: Invalid enum value 'still_life'",
        ),
        (
            r"^year = 1528",
            "painted = 1528",
            "pictures[1]: Object contains unknown field `painted`",
        ),
    ],
)
def test_a_wrong_value_of_a_picture_is_named_with_its_place(
    pattern: str, replacement: str, problem: str
) -> None:
    assert spoilt(pattern, replacement) == problem


@pytest.mark.parametrize(
    "categories", ["[]", '["nude", "nude"]', '["biblical", "nude", "portrait"]']
)
def test_a_picture_has_one_or_two_different_categories(categories: str) -> None:
    problem = spoilt(r'\["biblical", "nude"\]', categories)
    assert problem == "pictures[1]: categories: one or two different ones are needed"


@pytest.mark.parametrize("fact", ["price", "facts"])
def test_a_fact_of_a_picture_names_one_of_its_fields(fact: str) -> None:
    problem = spoilt(r'^facts = \["artist", "size_dm2"\]', f'facts = ["artist", "{fact}"]')
    assert problem == f"pictures[20]: facts: no field is called '{fact}'"


def test_a_fact_of_a_customer_names_one_of_its_fields() -> None:
    problem = spoilt(r'^facts = \["category", "wish", "pays"\]', 'facts = ["fame", "wish"]')
    assert problem == "customers[12]: facts: no field is called 'fame'"


@pytest.mark.parametrize(
    ("pattern", "replacement", "problem"),
    [
        (r'^wish = "famous"', 'wish = "cheap"', "customers[0].wish: Invalid enum value 'cheap'"),
        (r"^pays = 15000", "pays = 0", "customers[0].pays: Expected `int` >= 1"),
        (r"^pays = 15000", "", "customers[0]: Object missing required field `pays`"),
        (r"^pays = 15000", "paid = 1", "customers[0]: Object contains unknown field `paid`"),
        (
            r'^nationalities = \["DE"\]',
            'nationalities = ["BE"]',
            "customers[0].nationalities[0]: Invalid enum value 'BE'",
        ),
        (
            r'^nationalities = \["NL", "RU"\]',
            'nationalities = ["NL", "NL"]',
            "customers[6]: nationalities: one is named twice",
        ),
        (
            r'^nationalities = \["NL", "RU"\]',
            'nationalities = ["NL", "RU"]\ncategory = "nude"',
            "customers[6]: nationalities and category exclude each other",
        ),
    ],
)
def test_a_wrong_customer_is_named_with_its_place(
    pattern: str, replacement: str, problem: str
) -> None:
    assert spoilt(pattern, replacement) == problem


@pytest.mark.parametrize("values", ["[]", "[3, 3, 4]", "[4, 3]"])
@pytest.mark.parametrize("field", ["seats", "prices"])
def test_seats_and_prices_must_ascend(field: str, values: str) -> None:
    problem = spoilt(rf"^{field} = \[.*?\]", f"{field} = {values}")
    assert problem == f"table.{field}: needs at least one value, each higher than the one before"


def test_the_pictures_must_outlast_the_deal() -> None:
    # 48 pictures: 14 seats of 3 and 5 on the market leave one, 15 seats leave none.
    assert spoilt(r"^seats = .*$", "seats = [15]") == "pictures: 48 are too few for 15 seats"
    assert "pictures: " not in spoilt(r"^seats = .*$", "seats = [14]")


def test_pictures_that_go_just_round_are_too_few() -> None:
    # 5 seats of 3 and 33 on the market take all 48.
    prices = [1000 + step for step in range(33)]
    assert spoilt(r"^prices = \[.*?\]", f"prices = {prices}").startswith("pictures: 48 ")


def test_the_customers_must_outlast_the_deal() -> None:
    # 28 customers: 14 seats of 2 leave none.
    assert spoilt(r"^seats = .*$", "seats = [14]") == "customers: 28 are too few for 14 seats"
    thirteen = re.sub(r"(?m)^seats = .*$", "seats = [13]", TEXT)
    assert parse(thirteen, Kunstmarkt, "kunstmarkt.toml").table.seats == (13,)


def test_the_deal_must_keep_the_customer_limit() -> None:
    problem = spoilt(r"^customers_dealt = 2", "customers_dealt = 4")
    assert problem == "table.customers_dealt exceeds table.customer_limit"


def test_the_deal_must_keep_the_picture_limit() -> None:
    problem = spoilt(r"^pictures_dealt = 3", "pictures_dealt = 5")
    assert problem == "table.pictures_dealt exceeds table.picture_limit"


@pytest.mark.parametrize("dealt", ["customers_dealt = 3", "pictures_dealt = 4"])
def test_the_deal_may_fill_the_hand(dealt: str) -> None:
    field, _, _ = dealt.partition(" ")
    text = re.sub(rf"(?m)^{field} = \d", dealt, TEXT)
    assert text != TEXT
    assert parse(text, Kunstmarkt, "kunstmarkt.toml") != kunstmarkt()


@pytest.mark.parametrize(
    ("field", "old", "twice"), [("fame", 85, 98), ("year", 1528, 1500), ("size_dm2", 138, 33)]
)
def test_a_value_that_stands_twice_is_named_with_its_place(
    field: str, old: int, twice: int
) -> None:
    problem = spoilt(rf"^{field} = {old}$", f"{field} = {twice}")
    assert problem == f"pictures[1].{field}: {twice} stands twice"


def test_what_is_not_toml_is_said_to_be_none() -> None:
    assert spoilt(r"^\[table\]", "[table").startswith("not TOML: ")
