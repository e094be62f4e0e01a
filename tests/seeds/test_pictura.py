"""The components of Museum Pictura against the rules as we play them, and what may not be said."""

from collections import Counter
from functools import partial

import pytest

from saleroom_seeds.loader import packaged, parse
from saleroom_seeds.pictura import PERIODS, THEMES, Pictura, pictura
from tests.seeds.spoiling import spoiling

TEXT = packaged("pictura.toml")


def test_the_file_names_its_game_and_edition() -> None:
    seed = pictura()
    assert (seed.game, seed.edition, seed.title) == ("pictura", 1, "Museum Pictura")


def test_two_to_four_play_and_begin_with_the_points_of_their_turn() -> None:
    table = pictura().table
    assert table.seats == (2, 3, 4)
    assert table.start_points == ((1, 6), (1, 5, 8), (1, 4, 7, 10))


def test_there_are_30_painters_six_of_a_period() -> None:
    painters = pictura().painters
    assert Counter(painter.period for painter in painters) == dict.fromkeys(PERIODS, 6)
    assert (painters[0].name, painters[11].name, painters[29].name) == (
        "Botticelli",
        "Rembrandt",
        "van Gogh",
    )


def test_a_painter_painted_two_of_a_theme_and_none_of_another() -> None:
    painters = pictura().painters
    assert all(painter.two_of != painter.none_of for painter in painters)
    assert Counter(painter.two_of for painter in painters) == dict.fromkeys(THEMES, 5)


def test_there_are_30_trends_and_they_name_all_painters() -> None:
    assert sorted(trend.painter for trend in pictura().trends) == [*range(1, 31)]


def test_what_is_dealt_and_what_lies_open() -> None:
    table = pictura().table
    assert (table.dealt.paintings, table.dealt.trends, table.dealt.favours) == (5, 3, 1)
    assert (table.shown.paintings, table.shown.patrons) == (4, 5)
    assert [museum.name for museum in pictura().museums] == [
        "Tokyo",
        "Madrid",
        "Victoria",
        "Moscow",
    ]


def test_the_numbers_are_those_of_the_rules() -> None:
    table = pictura().table
    assert (table.chips, table.drawn, table.hand, table.favour_hand) == (2, 2, 8, 3)
    assert (table.trend.period, table.trend.theme, table.trend.painter) == (1, 1, 2)
    assert (table.acquired, table.any_favour, table.archived) == (1, 2, -1)
    assert (table.least, table.sizes, table.further, table.first) == (4, (3, 4, 6, 8, 11, 14), 3, 3)
    assert (table.track, table.goal, table.goal_bonus) == ((10, 20, 30, 40, 50), 50, 5)
    assert table.side == 5
    assert (table.gallery, table.full, table.exhibitions) == (5, 10, (1, 3, 6, 10, 15, 21))


def test_favours_and_spaces_give_what_the_rules_say() -> None:
    favours, spaces = pictura().favours, pictura().spaces
    assert (favours.copies, favours.points, favours.recover, favours.trend) == (3, 4, 2, 1)
    assert (favours.choose.drawn, favours.choose.kept) == (4, 2)
    assert (spaces.draw_paintings, spaces.draw_favours, spaces.hand_limit) == (3, 2, 10)
    assert (spaces.archive_free, spaces.end_points) == (5, 5)


def test_every_window_has_its_standard_time() -> None:
    seconds = pictura().seconds
    assert (seconds.keep_trend, seconds.keep_two, seconds.trade, seconds.offer) == (30, 20, 45, 20)
    assert (seconds.action, seconds.bonus_space, seconds.discard) == (60, 20, 20)
    assert seconds.arrange_final == 60


def test_the_file_is_loaded_once() -> None:
    assert pictura() is pictura()


# What the file may not say

spoilt = partial(spoiling, "pictura.toml", Pictura)


def test_the_packaged_text_itself_is_accepted() -> None:
    assert parse(TEXT, Pictura, "pictura.toml") == pictura()


@pytest.mark.parametrize(
    ("pattern", "replacement", "problem"),
    [
        (r"^seats = .*$", "seats = [3, 2]", "table.seats: needs at least one value"),
        (r"^sizes = .*$", "sizes = [3, 3]", "table.sizes: needs at least one value"),
        (r"\[1, 5, 8\]", "[1, 5]", "table.start_points: every seat of every number"),
        (r"^track = .*$", "track = [10, 20]", "table.track: its last step is not the goal of 50"),
        (r"^side = 5", "side = 4", "table.side: there is no middle row and column"),
        (r"10, 15, 21\]", "10, 15]", "table.exhibitions: there are more or fewer than bonus"),
        (r"^hand_limit = 10", "hand_limit = 8", "spaces.hand_limit: it is no more than table.hand"),
        (r"kept = 2", "kept = 5", "favours.choose: more are kept than drawn"),
        (r"^exhibit = 1", "exhibit = 2", "spaces.exhibit: Invalid enum value 2"),
        (
            r'^reward = "points"\npoints = 3',
            'reward = "points"',
            "patrons[0]: points: they go with",
        ),
        (r'^reward = "painting"', 'reward = "painting"\npoints = 1', "patrons[1]: points: they go"),
        (r'^two_of = "mythology"', 'two_of = "history"', "painters: of a period there are more"),
        (r'^theme = "mythology"', 'theme = "history"', "trends: not one for every period and"),
        (r"^painter = 30", "painter = 31", "trends: one names a painter there is not"),
        (r'^key = "madrid"', 'key = "tokyo"', "museums: a key stands twice"),
        (r"paintings = 5", "paintings = 42", "painters: 180 cards are too few for 4 seats"),
        (r"trends = 3", "trends = 7", "trends: 30 cards are too few for 4 seats"),
        (r"favours = 1 ", "favours = 7 ", "favours: 24 cards are too few for 4 seats"),
        (r"patrons = 5", "patrons = 61", "patrons: 60 cards are too few for 4 seats"),
        (r"^goal = .*$", "", "table: Object missing required field `goal`"),
        (r"^goal = ", "end = 1\ngoal = ", "table: Object contains unknown field `end`"),
        (r'^period = "baroque"', 'period = "gothic"', "painters[6].period: Invalid enum value"),
    ],
)
def test_a_file_that_cannot_be_played_with_is_refused_with_the_place(
    pattern: str, replacement: str, problem: str
) -> None:
    assert spoilt(pattern, replacement).startswith(problem)
