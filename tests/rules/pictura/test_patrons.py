"""Patrons: P-PAT-1."""

import pytest

from saleroom_protocol.games.forms import Form, one_of
from saleroom_protocol.games.pictura import (
    Claim,
    FavourDrawn,
    Inventory,
    MuseumRefilled,
    PaintingTaken,
    PatronClaimed,
    PatronsShown,
    ReplacePatrons,
    Scored,
    Why,
)
from tests.support.pictura import PATRON, Game, scored, table

POINTS = PATRON["renaissance", "mythology", "points"]
PAINTING = PATRON["renaissance", "mythology", "painting"]
HANGS = {0: ["p001", "p002", "p007"]}
CITIES = {
    "tokyo": ("t02", ["p004", "p111", "p112", "p150"]),
    "moscow": ("t03", ["p113", "p114", "p005", "p116"]),
}


def claiming(*patrons: str, hangs: dict[int, list[str]] = HANGS) -> Game:
    return Game(table("action", museums=hangs, patrons=patrons, cities=CITIES, deck=["p099"]))


def test_p_pat_1_a_patron_whose_paintings_hang_is_claimed_for_points() -> None:
    game = claiming(POINTS, "m60")
    assert game.entries("claim") == [Claim(POINTS)]
    events = game.does(Claim(POINTS))
    assert events[:2] == (PatronClaimed(0, POINTS), Scored(0, "patron", 3, 13))
    assert game.player(0).patrons == {POINTS: "points"}


def test_p_pat_1_the_row_is_refilled() -> None:
    game = claiming("m56", POINTS, "m58", "m59", "m60")
    top = game.state.patron_deck[0]
    assert game.does(Claim(POINTS))[-1] == PatronsShown((top,))
    assert game.table.patrons == ("m56", "m58", "m59", "m60", top)


def test_p_pat_1_the_reward_comes_with_what_it_brings_before_the_row_is_refilled() -> None:
    game = Game(
        table(
            patrons=[POINTS],
            patron_deck=("m01",),
            museums=HANGS,
            scores={0: 18},
            favour_deck=["f09"],
        )
    )
    assert game.does(Claim(POINTS)) == (
        PatronClaimed(0, POINTS),
        Scored(0, "patron", 3, 21),
        FavourDrawn(0, "f09"),
        PatronsShown(("m01",)),
    )


def test_p_pat_1_a_claimed_patron_is_never_shuffled_in_again() -> None:
    game = Game(table("action", museums=HANGS, patrons=[POINTS, "m60"], patron_deck=()))
    game.does(Inventory(), Claim(POINTS), ReplacePatrons())
    assert game.table.patrons == ("m60",)
    assert game.player(0).patrons == {POINTS: "points"}


def test_p_pat_1_only_an_open_one_that_is_impressed() -> None:
    game = claiming(POINTS, "m60")
    assert game.refuses(Claim(PAINTING)) == (Why.NO_PATRON, {"patron": PAINTING})
    assert game.refuses(Claim("m60")) == (Why.NOT_IMPRESSED, {"patron": "m60"})
    elsewhere = claiming(POINTS, hangs={1: ["p001", "p002"]})
    assert elsewhere.refuses(Claim(POINTS)) == (Why.NOT_IMPRESSED, {"patron": POINTS})
    assert elsewhere.entries("claim") == []


def test_p_pat_1_a_painting_of_the_period_comes_from_any_museum_and_must_be_named() -> None:
    game = claiming(PAINTING, "m60")
    form = Form("claim", {"patron": PAINTING}, {"take": one_of(["p004", "p005"])})
    assert game.entries("claim") == [form]
    assert game.refuses(Claim(PAINTING)) == (Why.PAINTING_NEEDED, {})
    other = Claim(PAINTING, "p111")
    assert game.refuses(other) == (Why.WRONG_PERIOD, {"painting": "p111"})
    assert game.refuses(Claim(PAINTING, "p001")) == (Why.NOT_THERE, {"painting": "p001"})
    events = game.does(Claim(PAINTING, "p005"))
    assert events[:3] == (
        PatronClaimed(0, PAINTING),
        PaintingTaken(0, "moscow", "p005"),
        MuseumRefilled("moscow", "p099"),
    )
    assert (game.hand(0), game.player(0).patrons) == (("p005",), {PAINTING: "painting"})


def test_p_pat_1_without_one_to_take_the_reward_is_lost() -> None:
    rococo = PATRON["rococo", "mythology", "painting"]
    decades = {"tokyo": 14, "madrid": 15, "victoria": 16, "moscow": 17}
    late = {city: ("t02", [f"p{ten}{n}" for n in range(4)]) for city, ten in decades.items()}
    game = Game(
        table("action", museums={0: ["p001", "p002", "p073"]}, patrons=[rococo], cities=late)
    )
    assert game.entries("claim") == [Claim(rococo)]
    named = Claim(rococo, "p140")
    assert game.refuses(named) == (Why.PAINTING_NOT_NEEDED, {"painting": "p140"})
    events = game.does(Claim(rococo))
    assert scored(events) == []
    assert game.hand(0) == ()
    assert game.player(0).patrons == {rococo: "painting"}


@pytest.mark.parametrize("painting", ["p004", "p113"])
def test_p_pat_1_who_gives_points_gives_no_painting(painting: str) -> None:
    game = claiming(POINTS)
    named = Claim(POINTS, painting)
    assert game.refuses(named) == (Why.PAINTING_NOT_NEEDED, {"painting": painting})


def test_p_pat_1_patrons_that_find_nothing_are_not_listed() -> None:
    game = claiming(POINTS, PAINTING, hangs={0: ["p111", "p112"]})
    assert game.entries("claim") == []
