"""Arranging one's own museum, at any time and at the end: P-EXH-4, P-END-3; what it is worth."""

from random import Random
from typing import Any

import pytest

from saleroom_protocol.games.forms import Form, assign, fill
from saleroom_protocol.games.pictura import (
    Arrange,
    Arranged,
    Done,
    GameEnded,
    Inventory,
    Trade,
    Why,
)
from saleroom_rules.pictura.board import ADJACENT, GRAND_GALLERY, PLACES, largest_group, together
from saleroom_rules.pictura.museum import (
    arrangement_points,
    collection_points,
    gallery_points,
    put_together,
)
from tests.support.pictura import BAROQUE, RENAISSANCE, ROCOCO, RULES, Game, hung, table

MUSEUM = {"p001": 0, "p073": 1, "p037": 2}
EVERYWHERE = tuple(range(25))


def arranging(**position: Any) -> Game:
    return Game(table("action", museums={0: MUSEUM, 1: {"p111": 7}}, **position))


# The board


def test_the_board_is_a_square_of_25_places_adjacent_orthogonally() -> None:
    assert PLACES == EVERYWHERE
    assert ADJACENT[0] == {1, 5}
    assert ADJACENT[4] == {3, 9}
    assert ADJACENT[12] == {7, 11, 13, 17}
    assert ADJACENT[24] == {19, 23}
    assert sum(map(len, ADJACENT)) == 2 * 40


def test_the_largest_group_is_the_most_places_that_are_connected() -> None:
    assert largest_group(()) == 0
    assert largest_group((0, 6, 12)) == 1, "corners do not touch"
    assert largest_group((4, 5)) == 1, "a row does not go on in the next"
    assert largest_group((0, 1, 5, 6, 11, 20, 21, 24)) == 5
    assert together((0, 1, 6, 11))
    assert not together((0, 1, 11))
    assert together(())


# At any time


def test_p_exh_4_a_museum_may_be_arranged_at_any_time_by_its_owner() -> None:
    game = arranging(hands={0: ["p003"]})
    places = assign(dict.fromkeys(MUSEUM, EVERYWHERE), distinct=True, least=3)
    form = Form("arrange", {}, {"places": places})
    assert RULES.anytime(game.state, 0) == (form,)
    number = game.window.number
    events = game.says(0, Arrange({"p001": 24, "p037": 3, "p073": 12}))
    assert events == (Arranged(0),)
    assert game.player(0).museum == {"p001": 24, "p073": 12, "p037": 3}
    assert [*game.player(0).museum] == [*MUSEUM], "in the order they were hung"
    assert game.window.number == number


def test_p_exh_4_in_the_turns_and_windows_of_others_too() -> None:
    game = Game(table(museums={1: {"p111": 7}}, hands={0: ["p003"]}))
    game.says(1, Arrange({"p111": 9}))
    game.does(RULES.default(game.state, 0))
    game.says(1, Arrange({"p111": 8}))
    assert game.player(1).museum == {"p111": 8}


def test_p_exh_4_every_painting_and_no_other_on_a_place_of_its_own() -> None:
    game = arranging()
    for wrong in (
        {},
        {"p001": 0, "p073": 1},
        {**MUSEUM, "p111": 7},
        {**MUSEUM, "p037": 1},
        {**MUSEUM, "p037": 25},
        {**MUSEUM, "p037": -1},
    ):
        assert game.refuses(Arrange(wrong), 0) == (Why.NOT_AN_ARRANGEMENT, {})


def test_p_exh_4_the_present_arrangement_changes_nothing_and_is_not_told() -> None:
    game = arranging()
    before = game.state
    assert game.says(0, Arrange(dict(MUSEUM))) == ()
    assert game.state == before


def test_p_exh_4_where_nothing_hangs_there_is_nothing_to_arrange() -> None:
    game = arranging()
    assert RULES.anytime(game.state, 2) == ()
    assert game.refuses(Arrange({}), 2) == (Why.NOTHING_HUNG, {})


def test_p_exh_4_nothing_that_hangs_ever_leaves_the_museum() -> None:
    museum = {**MUSEUM}
    game = arranging(hands={0: ["p003"]}, archives={0: ["p050"]})
    game.does(Inventory(), Done())
    assert game.player(0).museum == museum


# At the end


def test_p_end_3_all_arrange_at_once_sealed_and_then_the_game_is_over() -> None:
    game = Game(table("arrange_final", museums={0: MUSEUM, 1: {"p111": 7}}, ending="goal"))
    assert (game.kind, game.window.seats, game.window.sealed) == ("arrange_final", (0, 1, 2), True)
    assert [RULES.anytime(game.state, seat) for seat in range(3)] == [(), (), ()]
    assert game.legal(2) == [Arrange({})], "nothing hangs there"
    assert game.says(1, Arrange({"p111": 9})) == ()
    assert game.player(1).museum == {"p111": 7}, "sealed"
    assert game.refuses(Arrange({"p111": 8}), 1) == (Why.NOT_ASKED, {"seat": 1})
    assert game.refuses(Trade("p001", "p180"), 0) == (Why.WRONG_WINDOW, {"open": "arrange_final"})
    assert game.refuses(Arrange({"p001": 0}), 0) == (Why.NOT_AN_ARRANGEMENT, {})
    game.says(2, Arrange({}))
    events = game.says(0, Arrange(dict(MUSEUM)))
    assert events == (Arranged(1), GameEnded("goal")), "who changed nothing is not told of"
    assert game.player(1).museum == {"p111": 9}
    assert game.over
    assert game.refuses(Arrange({"p111": 8}), 1) == (Why.NOT_ASKED, {"seat": 1})
    assert RULES.anytime(game.state, 1) == ()


def test_p_end_3_any_filling_of_the_form_is_an_arrangement() -> None:
    game = Game(table("arrange_final", museums={0: hung(RENAISSANCE[:25])}, ending="goal"))
    (form,) = game.legal(0)
    luck = Random(1)
    for _ in range(5):
        chosen = Arrange(fill(form, luck.choice)["places"])
        step = RULES.apply(game.state, 0, chosen)
        assert RULES.private(step.state, 0).answer == chosen


def test_p_end_3_when_time_runs_out_everything_stays_where_it_hangs() -> None:
    museum = {"p001": 24, "p073": 3, "p037": 12}
    game = Game(table("arrange_final", museums={0: museum}, ending="goal"))
    assert RULES.default(game.state, 0) == Arrange(museum)
    game.does(*(RULES.default(game.state, seat) for seat in range(3)))
    assert game.over
    with pytest.raises(ValueError, match="over"):
        RULES.default(game.state, 0)


def test_p_end_3_what_is_advised_is_worth_no_less_than_what_hangs() -> None:
    museums = {0: hung(RENAISSANCE[:25]), 1: MUSEUM}
    game = Game(table("arrange_final", museums=museums, ending="goal"))
    for seat, museum in museums.items():
        puzzle = RULES.puzzle(game.state, seat)
        assert puzzle is not None
        advised = RULES.advise(puzzle)
        assert isinstance(advised, Arrange)
        assert arrangement_points(advised.places) >= arrangement_points(museum)
        RULES.apply(game.state, seat, advised)


def test_p_end_3_there_is_advice_on_the_last_arrangement_alone_and_of_no_empty_museum() -> None:
    last = Game(table("arrange_final", museums={0: MUSEUM}, ending="goal"))
    assert RULES.puzzle(last.state, 0) is not None
    assert RULES.puzzle(last.state, 1) is None
    assert RULES.puzzle(table("action", museums={0: MUSEUM}), 0) is None


# What it is worth


def test_p_score_1_each_category_counts_its_largest_group_from_four_on() -> None:
    museum = hung([*RENAISSANCE[:3], "p073", "p074", RENAISSANCE[3], *RENAISSANCE[4:6]])
    points = collection_points(museum)
    assert points["renaissance"] == 6, "all six are connected around the corner"
    assert points["mythology"] == 0, "two here, two there"
    spread = {"p001": 0, "p002": 2, "p003": 4, "p004": 10, "p005": 12}
    assert not any(collection_points(spread).values())


def test_p_score_1_a_painting_may_count_in_two_collections() -> None:
    museum = hung(["p001", "p002", "p007", "p013"])
    assert arrangement_points(museum) == 3 + 3


def test_p_score_3_the_grand_gallery_filled_with_one_category_is_worth_5() -> None:
    filled = dict(zip(RENAISSANCE[:9], GRAND_GALLERY, strict=True))
    assert gallery_points(filled) == 5
    assert gallery_points({**filled, "p073": 0}) == 5
    assert gallery_points(dict(list(filled.items())[:8])) == 0
    mixed = dict(zip([*RENAISSANCE[:8], "p110"], GRAND_GALLERY, strict=True))
    assert gallery_points(mixed) == 0
    assert arrangement_points(filled) == 5 + sum(collection_points(filled).values())


@pytest.mark.parametrize("size", range(1, 26))
def test_putting_together_puts_any_number_together(size: int) -> None:
    paintings = [*RENAISSANCE[:size], *BAROQUE[: 25 - size]]
    places = Random(size).sample(PLACES, 25)
    museum = dict(zip(paintings, places, strict=True))
    arranged = put_together(museum, "renaissance")
    assert sorted(arranged.values()) == [*PLACES]
    assert together([arranged[painting] for painting in RENAISSANCE[:size]])
    others = sorted(BAROQUE[: 25 - size], key=museum.__getitem__)
    assert sorted(others, key=arranged.__getitem__) == others
    assert ROCOCO[0] not in arranged
