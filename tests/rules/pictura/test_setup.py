"""The components and the set-up: P-SET-1 to P-SET-6."""

from collections import Counter
from itertools import product
from typing import Any

import pytest
from msgspec import UNSET

from saleroom_protocol.games.forms import Form, one_of
from saleroom_protocol.games.pictura import (
    HandDealt,
    KeepTrend,
    MuseumsOpened,
    Options,
    PaintingsDrawn,
    PatronsShown,
    StartDrawn,
    TrendKept,
    TrendRevealed,
    TurnBegun,
    Why,
)
from saleroom_rules.pictura.bonus_space import AT_ONCE
from saleroom_rules.pictura.cards import (
    CATEGORIES,
    FAVOUR_CARDS,
    FAVOURS,
    PAINTINGS,
    PATRONS,
    SPACES,
    TRENDS,
    WORTH,
    catalogue,
    impressed,
)
from saleroom_rules.pictura.favours import EFFECTS
from saleroom_rules.rng import Rng
from saleroom_seeds.pictura import FAVOUR_KINDS
from tests.support.pictura import FAVOUR, PATRON, RENAISSANCE, RULES, Game

SEEDS = [bytes([number]) * 32 for number in range(12)]


def dealt(seats: int = 3, seed: bytes = bytes(32), **options: bool) -> Any:
    return RULES.setup(seats, Options(**options), Rng(seed))


def kept(seats: int = 3, seed: bytes = bytes(32)) -> Game:
    """Return a game in which everybody has kept the first trend."""
    game = Game(dealt(seats, seed).state)
    game.does(*(KeepTrend(player.trends[0]) for player in game.state.players))
    return game


def test_p_set_1_two_to_four_play_with_180_paintings_of_30_painters() -> None:
    assert RULES.seats == (2, 3, 4)
    assert (len(PAINTINGS), PAINTINGS["p001"].painter, PAINTINGS["p180"].painter) == (180, 1, 30)
    assert set(Counter(painting.painter for painting in PAINTINGS.values()).values()) == {6}


def test_p_set_1_there_are_36_of_a_period_30_of_a_theme_and_6_of_a_pair() -> None:
    periods = Counter(painting.period for painting in PAINTINGS.values())
    themes = Counter(painting.theme for painting in PAINTINGS.values())
    pairs = Counter((painting.period, painting.theme) for painting in PAINTINGS.values())
    assert [*periods.values()] == [36] * 5
    assert [*themes.values()] == [30] * 6
    assert [*pairs.values()] == [6] * 30
    assert tuple(f"p{number:03}" for number in range(1, 37)) == RENAISSANCE


def test_p_set_1_of_a_painter_there_are_two_of_a_theme_none_of_another_one_of_the_rest() -> None:
    for number in range(1, 31):
        works = [painting for painting in PAINTINGS.values() if painting.painter == number]
        assert len({painting.period for painting in works}) == 1
        counts = Counter(painting.theme for painting in works).values()
        assert sorted(counts) == [1, 1, 1, 1, 2]


def test_p_set_2_there_is_a_trend_for_every_pair() -> None:
    pairs = [(trend.period, trend.theme) for trend in TRENDS.values()]
    assert pairs == [*product(CATEGORIES[:5], CATEGORIES[5:])]
    assert all(1 <= trend.painter <= 30 for trend in TRENDS.values())


@pytest.mark.parametrize(
    ("painting", "points"),
    [
        ("p001", 2),  # Renaissance, mythology
        ("p003", 1),  # Renaissance
        ("p073", 1),  # mythology
        ("p037", 3),  # mythology, by Rubens
        ("p039", 2),  # by Rubens
        ("p111", 0),
    ],
)
def test_p_set_2_period_and_theme_are_worth_1_the_painter_2_and_matches_add_up(
    painting: str, points: int
) -> None:
    assert WORTH["t01"][painting] == points


def test_p_set_3_there_are_two_patrons_for_every_pair() -> None:
    wishes = [(patron.of_period, patron.of_theme, patron.reward) for patron in PATRONS.values()]
    assert wishes == [(2, 2, "points"), (1, 3, "painting")] * 30
    pairs = Counter((patron.period, patron.theme) for patron in PATRONS.values())
    assert [*pairs.values()] == [2] * 30
    assert {patron.points for patron in PATRONS.values()} == {3, UNSET}
    assert [*PATRONS] == [f"m{number:02}" for number in range(1, 61)]


def test_p_set_3_one_painting_may_count_for_both_halves() -> None:
    points = PATRON["renaissance", "mythology", "points"]
    assert impressed(points, ("p001", "p002"))
    assert not impressed(points, ("p001", "p003", "p004"))
    painting = PATRON["renaissance", "mythology", "painting"]
    assert impressed(painting, ("p001", "p037", "p038"))
    assert not impressed(painting, ("p037", "p038", "p074"))


def test_p_set_4_there_are_24_favours_of_8_kinds_and_2_chips_of_11_categories() -> None:
    kinds = Counter(favour.kind for favour in FAVOUR_CARDS.values())
    assert len(kinds) == 8
    assert set(kinds.values()) == {3}
    assert FAVOUR["points"] == "f01"
    assert Game(dealt().state).table.chips == dict.fromkeys(CATEGORIES, 2)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_p_set_5_what_is_dealt_and_what_lies_open(seats: int) -> None:
    step = dealt(seats)
    game = Game(step.state)
    hands = [event for event in step.events if isinstance(event, HandDealt)]
    for seat, event in enumerate(hands):
        cards = len(event.paintings), len(event.trends), len(event.favours)
        assert (event.seat, cards) == (seat, (5, 3, 1))
        own = RULES.private(step.state, seat)
        assert (own.paintings, own.trends, own.favours) == (
            event.paintings,
            event.trends,
            event.favours,
        )
        assert own.trend is UNSET
    assert len(hands) == seats
    assert [*game.table.museums] == ["tokyo", "madrid", "victoria", "moscow"]
    for museum in game.table.museums.values():
        likes = WORTH[museum.trend]
        assert len(museum.matching) + len(museum.other) == 4
        assert all(likes[painting] for painting in museum.matching)
        assert not any(likes[painting] for painting in museum.other)
    assert len(game.table.patrons) == 5
    assert game.table.piles.paintings == 180 - 16 - 5 * seats
    assert game.table.turn == 0


def test_p_set_5_the_first_cards_of_a_pile_are_dealt_by_seat_then_laid_open() -> None:
    rng = Rng(bytes(32))
    paintings, rng = rng.shuffle("paintings", tuple(PAINTINGS))
    trends, rng = rng.shuffle("trends", tuple(TRENDS))
    patrons, rng = rng.shuffle("patrons", tuple(PATRONS))
    favours, rng = rng.shuffle("favours", tuple(FAVOUR_CARDS))
    start, rng = rng.draw("start", 3)
    step = dealt()
    one = step.state.players[1]
    assert one.paintings == tuple(sorted(paintings[5:10]))
    assert one.trends == tuple(sorted(trends[3:6]))
    assert one.favours == favours[1:2]
    assert step.state.trend == trends[9]
    assert step.events[3:] == (
        TrendRevealed(trends[9]),
        MuseumsOpened(
            dict(zip(step.state.museums, trends[10:14], strict=True)),
            {
                city: paintings[15 + 4 * place : 19 + 4 * place]
                for place, city in enumerate(step.state.museums)
            },
        ),
        StartDrawn(start),
        PatronsShown(patrons[:5]),
    )
    assert (step.state.deck, step.state.rng.counts) == (paintings[31:], rng.counts)


def test_p_set_5_all_keep_a_trend_at_once_and_nobody_knows_which() -> None:
    game = Game(dealt().state)
    assert (game.kind, game.window.seats, game.window.sealed) == ("keep_trend", (0, 1, 2), True)
    assert game.window.number == 1
    trends = [player.trends for player in game.state.players]
    assert game.legal(1) == [Form("keep_trend", {}, {"trend": one_of(trends[1])})]
    assert game.refuses(KeepTrend(trends[0][0]), 1) == (
        Why.NOT_IN_HAND,
        {"card": trends[0][0]},
    )
    assert game.says(2, KeepTrend(trends[2][1])) == ()
    assert game.says(0, KeepTrend(trends[0][0])) == ()
    assert game.refuses(KeepTrend(trends[0][0]), 0) == (Why.NOT_ASKED, {"seat": 0})
    events = game.says(1, KeepTrend(trends[1][2]))
    assert events[:3] == (
        TrendKept(0, trends[0][0]),
        TrendKept(1, trends[1][2]),
        TrendKept(2, trends[2][1]),
    )
    assert RULES.tell(events[0], 0) == events[0]
    assert RULES.tell(events[0], 1) == TrendKept(0)
    own = RULES.private(game.state, 1)
    assert (own.trend, own.trends) == (trends[1][2], UNSET)


def test_p_set_5_the_other_two_are_shuffled_back_with_the_deck_by_id() -> None:
    step = dealt()
    back = {trend for player in step.state.players for trend in player.trends[1:]}
    before = sorted({*step.state.trend_deck} | back)
    expected, rng = step.state.rng.shuffle("trends", before)
    game = kept()
    assert (game.state.trend_deck, game.state.rng) == (expected, rng)
    assert game.table.piles.trends == 30 - 5 - 3


def test_p_set_5_the_first_turn_begins_when_all_have_kept_a_trend() -> None:
    game = kept()
    assert (game.kind, game.asked, game.table.turn) == ("trade", game.state.start, 1)


def test_p_set_6_the_start_player_is_drawn_by_lot() -> None:
    starts = {dealt(4, seed).state.start for seed in SEEDS}
    assert starts == {0, 1, 2, 3}


@pytest.mark.parametrize(("seats", "points"), [(2, [1, 6]), (3, [1, 5, 8]), (4, [1, 4, 7, 10])])
def test_p_set_6_who_begins_later_has_more_points(seats: int, points: list[int]) -> None:
    for seed in SEEDS[:6]:
        state = dealt(seats, seed).state
        in_turn = [(state.start + step) % seats for step in range(seats)]
        assert [state.players[seat].score for seat in in_turn] == points


def test_p_fav_2_who_starts_on_10_has_passed_that_step_and_draws_nothing() -> None:
    players = Game(dealt(4).state).table.players.values()
    assert {player.score: player.passed for player in players} == {1: 0, 4: 0, 7: 0, 10: 10}
    assert {player.favours for player in players} == {1}


def test_p_set_6_without_start_points_all_begin_with_none() -> None:
    state = dealt(4, start_points=False).state
    assert [player.score for player in state.players] == [0] * 4


def test_the_first_turn_is_told_with_what_is_drawn() -> None:
    game = Game(dealt().state)
    events: tuple[Any, ...] = ()
    for player in game.state.players:
        events = game.does(KeepTrend(player.trends[0]))
    start = game.state.start
    assert events[3] == TurnBegun(1, start)
    assert isinstance(events[4], PaintingsDrawn)
    assert RULES.tell(events[4], start) == events[4]
    assert RULES.tell(events[4], None) == PaintingsDrawn(start, 2)


def test_the_catalogue_has_every_component_and_says_what_is_reconstructed() -> None:
    book = catalogue()
    assert (len(book.painters), len(book.museums), len(book.spaces)) == (30, 4, 6)
    assert book.painters["30"].name == "van Gogh"
    assert book.museums["tokyo"] == "Tokyo"
    assert (book.side, book.grand_gallery) == (5, (2, 7, 10, 11, 12, 13, 14, 17, 22))
    assert book.start_points == {"2": (1, 6), "3": (1, 5, 8), "4": (1, 4, 7, 10)}
    assert (book.favours["f16"].amount, book.favours["f16"].kept) == (4, 2)
    assert {"patrons", "sizes", "start_points", "grand_gallery"} <= set(book.reconstructed)


def test_a_hand_is_told_to_its_own_seat_alone() -> None:
    (event, *_) = dealt().events
    assert RULES.tell(event, 0) == event
    assert RULES.tell(event, 1) is None
    assert RULES.tell(event, None) is None


def test_every_kind_of_favour_and_every_space_of_the_file_has_its_effect() -> None:
    assert tuple(name for name in FAVOURS.__struct_fields__ if name != "copies") == FAVOUR_KINDS
    assert tuple(EFFECTS) == FAVOUR_KINDS
    assert {*AT_ONCE} < {*SPACES}
