"""Special exhibitions and the bonus spaces: P-SPE-1 to P-SPE-3."""

from typing import Any

import pytest

from saleroom_protocol.games.forms import Form, one_of
from saleroom_protocol.games.pictura import (
    ActionFacts,
    Arranged,
    BonusSpaceFacts,
    Done,
    ExhibitionHeld,
    FavourDrawn,
    Hold,
    NoTrade,
    PaintingHung,
    PaintingsDrawn,
    Scored,
    SpaceUsed,
    UseSpace,
    Why,
)
from saleroom_rules.contract import IllegalAction
from saleroom_rules.pictura.cards import CATEGORIES, of_category, size_points
from tests.support.pictura import BAROQUE, RENAISSANCE, ROCOCO, RULES, Game, scored, table

SPACES = ["draw_paintings", "draw_favours", "exhibit", "hand_limit", "archive_free", "end_points"]
APART = dict(zip([*RENAISSANCE[:4], "p037"], (0, 2, 4, 6, 1), strict=True))


def at_action(museum: Any = RENAISSANCE[:4], **position: Any) -> Game:
    return Game(table("action", museums={0: museum}, **position))


def at_bonus(*hand: str, **position: Any) -> Game:
    """Return a game in which seat 0 has held an exhibition of the Renaissance."""
    game = at_action(hands={0: hand}, **position)
    game.does(Hold("renaissance"))
    return game


def test_p_spe_1_a_category_of_which_four_hang_and_a_chip_is_left() -> None:
    game = at_action([*RENAISSANCE[:4], *BAROQUE[:3]])
    categories = [c for c in CATEGORIES if len(of_category(c, game.player(0).museum)) >= 4]
    assert categories == ["renaissance", "mythology"]
    assert game.entries("hold") == [Form("hold", {}, {"category": one_of(categories)})]
    assert game.refuses(Hold("baroque")) == (Why.TOO_FEW, {"category": "baroque", "size": 3})
    assert game.refuses(Hold("cubism")) == (Why.NO_CHIP, {"category": "cubism"})
    game = at_action(chips=dict.fromkeys(CATEGORIES, 0))
    assert game.entries("hold") == []
    assert game.refuses(Hold("renaissance")) == (Why.NO_CHIP, {"category": "renaissance"})


def test_p_spe_1_each_category_once_per_player() -> None:
    game = at_action(exhibitions={0: {"exhibit": "renaissance"}, 1: {"exhibit": "mythology"}})
    facts = {"category": "renaissance"}
    assert game.refuses(Hold("renaissance")) == (Why.HELD_BEFORE, facts)
    assert game.entries("hold") == []


def test_p_spe_1_a_category_another_player_has_used_may_be_used() -> None:
    chips = dict.fromkeys(CATEGORIES, 2) | {"renaissance": 1}
    game = at_action(exhibitions={1: {"exhibit": "renaissance"}}, chips=chips)
    game.does(Hold("renaissance"))
    assert game.table.chips["renaissance"] == 0


def test_p_spe_1_the_chip_is_taken_and_the_size_is_all_that_hang() -> None:
    game = at_action(RENAISSANCE[:6])
    events = game.does(Hold("renaissance"))
    assert events[0] == ExhibitionHeld(0, "renaissance", 6, first=True)
    assert game.table.chips["renaissance"] == 1
    assert (game.kind, game.facts) == ("bonus_space", BonusSpaceFacts("renaissance"))


def test_p_spe_1_the_server_puts_them_together_and_the_rest_keeps_its_order() -> None:
    museum = {"p073": 0, "p001": 24, "p002": 4, "p074": 2, "p003": 8, "p004": 6, "p076": 1}
    game = at_action(museum)
    completed = RULES.complete(game.state, 0, Hold("renaissance"))
    assert completed == Hold(
        "renaissance",
        {"p002": 0, "p004": 1, "p003": 2, "p001": 3, "p073": 4, "p076": 5, "p074": 6},
    )
    events = game.says(0, completed)
    assert events[:2] == (Arranged(0), ExhibitionHeld(0, "renaissance", 4, first=True))
    assert game.player(0).museum == completed.arrangement
    assert [*game.player(0).museum] == [*museum], "in the order they were hung"


def test_p_spe_1_what_hangs_together_stays_as_it_hangs() -> None:
    game = at_action({"p001": 5, "p002": 6, "p003": 11, "p004": 12, "p074": 0})
    assert RULES.complete(game.state, 0, Hold("renaissance")) == Hold("renaissance")
    assert Arranged(0) not in game.does(Hold("renaissance"))


def test_p_spe_1_the_arrangement_is_the_servers_to_write() -> None:
    game = at_action(APART)
    with pytest.raises(IllegalAction) as refused:
        RULES.complete(game.state, 0, Hold("renaissance", dict(APART)))
    assert refused.value.why is Why.SERVER_ARRANGES
    facts = {"category": "renaissance"}
    assert game.refuses(Hold("renaissance")) == (Why.NOT_TOGETHER, facts)
    assert game.refuses(Hold("renaissance", dict(APART))) == (Why.NOT_TOGETHER, facts)
    for wrong in ({"p001": 0}, {**APART, "p037": 0}, {**APART, "p037": 25}):
        assert game.refuses(Hold("renaissance", wrong)) == (Why.NOT_AN_ARRANGEMENT, {})


def test_p_spe_1_what_cannot_be_held_is_not_completed() -> None:
    game = at_action(APART)
    for seat, category in ((1, "renaissance"), (0, "baroque")):
        assert RULES.complete(game.state, seat, Hold(category)) == Hold(category)


@pytest.mark.parametrize(
    ("size", "points"),
    [(3, 0), (4, 3), (5, 4), (6, 6), (7, 8), (8, 11), (9, 14), (10, 17), (25, 62)],
)
def test_p_spe_2_points_go_by_size(size: int, points: int) -> None:
    assert size_points(size) == points


def test_p_spe_2_the_first_exhibition_of_a_category_in_the_game_is_worth_3_more() -> None:
    game = at_action(RENAISSANCE[:5])
    assert scored(game.does(Hold("renaissance"))) == [(0, "exhibition", 7)]
    game = at_action(RENAISSANCE[:5], chips=dict.fromkeys(CATEGORIES, 2) | {"renaissance": 1})
    events = game.does(Hold("renaissance"))
    assert events[0] == ExhibitionHeld(0, "renaissance", 5, first=False)
    assert scored(events) == [(0, "exhibition", 4)]


def test_p_spe_3_the_chip_goes_on_a_free_space() -> None:
    game = at_bonus(exhibitions={0: {"draw_favours": "baroque"}})
    free = [space for space in SPACES if space != "draw_favours"]
    assert game.legal() == [UseSpace(space) for space in free]
    for space in ("draw_favours", "cellar"):
        assert game.refuses(UseSpace(space)) == (Why.SPACE_TAKEN, {"space": space})
    assert game.refuses(NoTrade()) == (Why.WRONG_WINDOW, {"open": "bonus_space"})
    events = game.does(UseSpace("end_points"))
    assert events == (SpaceUsed(0, "end_points"),)
    chips = {"draw_favours": "baroque", "end_points": "renaissance"}
    assert game.player(0).exhibitions == chips
    assert (game.kind, game.facts) == ("action", ActionFacts("exhibition"))
    game.does(Done())
    assert game.table.turn == 3


def test_p_spe_3_there_is_no_exhibition_without_a_free_space() -> None:
    full = dict(zip(SPACES, CATEGORIES[1:7], strict=True))
    game = at_action(exhibitions={0: full})
    assert game.entries("hold") == []
    assert game.refuses(Hold("renaissance")) == (Why.NO_SPACE, {})


def test_p_spe_3_draw_three_paintings() -> None:
    game = at_bonus(deck=["p150", "p120", "p130", "p140"])
    events = game.does(UseSpace("draw_paintings"))
    assert events[1] == PaintingsDrawn(0, 3, ("p120", "p130", "p150"))
    assert game.hand(0) == ("p120", "p130", "p150")


def test_p_spe_3_draw_two_favours() -> None:
    game = at_bonus(favour_deck=["f09", "f04", "f05"])
    events = game.does(UseSpace("draw_favours"))
    assert events[1:] == (FavourDrawn(0, "f09"), FavourDrawn(0, "f04"))


def test_p_spe_3_exhibit_one_painting_without_discarding() -> None:
    game = at_bonus("p037", "p039", trend="t08")
    (form,) = [entry for entry in game.legal() if isinstance(entry, Form)]
    assert form == Form("use_space", {"space": "exhibit"}, {"painting": one_of(["p037", "p039"])})
    assert game.refuses(UseSpace("exhibit")) == (Why.PAINTING_NEEDED, {})
    assert game.refuses(UseSpace("exhibit", "p001")) == (Why.NOT_IN_HAND, {"card": "p001"})
    facts = {"painting": "p037"}
    assert game.refuses(UseSpace("hand_limit", "p037")) == (Why.PAINTING_NOT_NEEDED, facts)
    events = game.does(UseSpace("exhibit", "p037"))
    assert events[1:] == (PaintingHung(0, "p037", 4), Scored(0, "trend", 1, 17))
    assert (game.hand(0), game.archive(0)) == (("p039",), ())


@pytest.mark.parametrize(
    ("hand", "museum"), [((), RENAISSANCE[:4]), (("p037",), [*RENAISSANCE[:4], *ROCOCO[:21]])]
)
def test_p_spe_3_exhibit_may_be_taken_with_nothing_to_hang(hand: Any, museum: Any) -> None:
    game = at_action(museum, hands={0: hand})
    game.does(Hold("renaissance"))
    facts = {"painting": "p037"}
    assert game.refuses(UseSpace("exhibit", "p037")) == (Why.PAINTING_NOT_NEEDED, facts)
    assert game.does(UseSpace("exhibit")) == (SpaceUsed(0, "exhibit"),)


@pytest.mark.parametrize("space", ["hand_limit", "archive_free", "end_points"])
def test_p_spe_3_the_others_work_later(space: str) -> None:
    game = at_bonus()
    assert game.does(UseSpace(space)) == (SpaceUsed(0, space),)
