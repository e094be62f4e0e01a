"""The components of Vernissage against the rules as we play them, and what the file may not say."""

from collections import Counter
from functools import partial

import pytest

from saleroom_seeds.loader import packaged, parse
from saleroom_seeds.vernissage import Vernissage, vernissage
from tests.seeds.spoiling import spoiling

TEXT = packaged("vernissage.toml")


def test_the_file_names_its_game_and_edition() -> None:
    seed = vernissage()
    assert (seed.game, seed.edition, seed.title) == ("vernissage", 1, "Vernissage")


def test_three_to_five_play_with_three_agents_each() -> None:
    table = vernissage().table
    assert table.seats == (3, 4, 5)
    assert (table.agents, table.reserve) == ((1, 2), 1)


def test_the_staircase_has_11_steps_and_five_artists() -> None:
    assert vernissage().table.steps == 11
    assert [artist.key for artist in vernissage().artists] == [
        "krach",
        "boyz",
        "kali",
        "hering",
        "lightenstone",
    ]
    assert vernissage().artists[2].name == "Donna Salva Kali"


def test_the_scale_has_31_spaces_and_12_golden_ones_above() -> None:
    table = vernissage().table
    assert table.scale == tuple(range(-100_000, 200_001, 10_000))
    assert table.in_scale == tuple(range(10_000, 120_001, 10_000))
    assert table.scale.index(table.first_worth) == 20


def test_there_are_82_brown_cards_and_23_grey_ones() -> None:
    cards = vernissage().cards
    works = cards.works * len(vernissage().artists)
    assert (works, cards.might, cards.critic, cards.unlimited) == (35, 23, 13, 11)
    assert works + cards.might + cards.critic + cards.unlimited == 82
    assert cards.limited == (6, 7, 6, 4)
    assert sum(cards.limited) == 23


def test_seven_piles_of_seven_cost_20000_to_80000() -> None:
    table = vernissage().table
    assert table.prices == tuple(range(20_000, 80_001, 10_000))
    assert (table.hand, table.pile) == (3, 7)


def test_there_are_38_counters_every_value_twice() -> None:
    counters = vernissage().counters
    assert Counter(counters.purchase) == dict.fromkeys(range(1, 8), 2)
    assert Counter(counters.critique) == dict.fromkeys(range(-6, 0), 2)
    assert Counter(counters.scandal) == dict.fromkeys(range(-7, -1), 2)


def test_the_die_shows_purchase_twice_and_four_other_faces() -> None:
    faces = {"purchase": 2, "critique": 1, "scandal": 1, "any": 1, "minus": 1}
    assert Counter(vernissage().table.die) == faces


def test_the_bank_lends_100000_for_150000() -> None:
    table = vernissage().table
    assert (table.capital, table.grey_price) == (200_000, 10_000)
    assert (table.loan, table.note, table.out_cost) == (100_000, 150_000, 100_000)


def test_fame_moves_by_the_printed_numbers() -> None:
    table = vernissage().table
    assert (table.feather, table.great, table.small) == (5, 12, 6)


def test_our_own_limits_are_those_of_the_rules() -> None:
    table = vernissage().table
    assert (table.statements, table.tax_total, table.stall_rounds) == (12, 14, 5)
    assert table.recent_turns == 5


def test_every_window_has_its_standard_time() -> None:
    seconds = vernissage().seconds
    assert (seconds.place, seconds.objection, seconds.bargain) == (45, 15, 45)
    assert (seconds.challenge, seconds.might, seconds.reveal) == (15, 20, 20)
    assert (seconds.buy, seconds.pick, seconds.play) == (30, 30, 45)


def test_what_the_rulebook_does_not_print_is_marked_as_reconstructed() -> None:
    printed_on_the_board = {"steps", "scale", "in_scale", "prices", "die", "cards.limited"}
    values = {"counters.purchase", "counters.critique", "counters.scandal"}
    ours = {"statements", "stall_rounds"}
    assert set(vernissage().reconstructed) == printed_on_the_board | values | ours


def test_the_file_is_loaded_once() -> None:
    assert vernissage() is vernissage()


# What the file may not say

spoilt = partial(spoiling, "vernissage.toml", Vernissage)


def test_the_packaged_text_itself_is_accepted() -> None:
    assert parse(TEXT, Vernissage, "vernissage.toml") == vernissage()


@pytest.mark.parametrize(
    ("pattern", "replacement", "problem"),
    [
        (r"^seats = .*$", "seats = []", "table.seats: needs at least one value"),
        (r"^seats = .*$", "seats = [4, 3]", "table.seats: needs at least one value"),
        (r"^agents = .*$", "agents = [1, 11]", "table.agents: one would stand on the top step"),
        (r"^first_worth = .*$", "first_worth = 7", "table.first_worth: no space of the scale says"),
        (r'"any", "minus"\]', '"any"]', "table.die: 5 faces; a die has 6"),
        (r'"any", "minus"\]', '"any", "luck"]', "table.die[5]: Invalid enum value 'luck'"),
        (r"^purchase = \[1, 1, 2", "purchase = [2, 1, 1", "counters.purchase: needs at least one"),
        (r"^critique = .*$", "critique = []", "counters.critique: needs at least one value"),
        (r"^scandal = \[-2", "scandal = [2", "counters.scandal[0]: Expected `int` <= -1"),
        (r"^works = 7", "works = 1", "cards: there are fewer brown ones than the 64 dealt"),
        (
            r"^works = 7(.*)\nmight = 23\ncritic = 13\nunlimited = 11",
            r"works = 99\1\nmight = 3\ncritic = 3\nunlimited = 3",
            "cards: too few brown ones are no works",
        ),
        (r'^key = "boyz"', 'key = "krach"', "artists: a key stands twice"),
        (r'^key = "boyz"', 'key = "Boyz"', "artists[1].key: Expected `str` matching regex"),
        (r"^loan = .*$", "", "table: Object missing required field `loan`"),
        (r"^loan = ", "lent = 1\nloan = ", "table: Object contains unknown field `lent`"),
        (r"^edition = 1", "edition = 0", "edition: Expected `int` >= 1"),
    ],
)
def test_a_file_that_cannot_be_played_with_is_refused_with_the_place(
    pattern: str, replacement: str, problem: str
) -> None:
    assert spoilt(pattern, replacement).startswith(problem)
