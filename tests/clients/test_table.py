"""The table in lines of text: what is open is there, what is hidden is not."""

from typing import Any

import pytest

from saleroom_cli.console import Language
from saleroom_cli.table import table_lines
from saleroom_cli.telling import Teller
from saleroom_protocol.games.kunstmarkt import AnyAction, Buy, Offer, PlayCustomer
from saleroom_rules.kunstmarkt.state import State
from saleroom_server.rooms.views import Clock, Viewer, document, look
from tests.support.kunstmarkt import RULES, Game, table

NAMES = {"0": {"name": "Ada"}, "1": {"name": "Bo"}, "2": {"name": "Cl\x1beo"}}
PICTURES = (("p01", "p08"), ("p09",), ())


def drawn(state: State, viewer: Viewer = None, language: Language = Language.EN) -> list[str]:
    shown: dict[str, Any] = {"game": "kunstmarkt", "seats": NAMES}
    shown |= document(look(RULES, state, 3, Clock(0)), viewer)
    return [line.plain for line in table_lines(Teller.of(RULES, language), shown)]


def visited(*actions: AnyAction) -> State:
    """Return a table at which seat 0 has played a customer, and some have answered."""
    game = Game(table(pictures=PICTURES, customers=(("c21",), (), ()), stock=7, deck=3))
    game.does(PlayCustomer("c21"), *actions)
    return game.state


def test_market_piles_and_players_are_shown_to_everybody() -> None:
    lines = drawn(table(pictures=PICTURES, customers=(("c01",), (), ()), stock=7, deck=3))
    assert lines[:3] == [
        "",
        "Market",
        "    2,000  Lucas Cranach d. Ä., “Adam und Eva” ~ "
        "(p02; from Germany, a biblical scene and a nude, 1528, fame 85 %, 138 dm²)",
    ]
    assert lines[6].startswith("   15,000  Adam Elsheimer, “Flucht nach Ägypten” ~ (p06; ")
    assert lines[7:] == [
        "Left in the piles: pictures 7, customers 3.",
        "  Ada (seat 0): cash 25,000, pictures 2, customers 1",
        "  Bo (seat 1): cash 25,000, pictures 1, customers 0",
        "  Cl\ufffdeo (seat 2): cash 25,000, pictures 0, customers 0",
    ]


def test_a_player_sees_the_own_hand_besides() -> None:
    state = table(pictures=PICTURES, customers=(("c21",), (), ()))
    common = drawn(state)
    own = drawn(state, 0)
    assert own[: len(common)] == common
    assert own[len(common) :] == [
        "You have 25,000.",
        "  Your pictures:",
        "    Albrecht Dürer, “Selbstbildnis” ~ "
        "(p01; from Germany, a portrait, 1500, fame 98 %, 33 dm²)",
        "    Carl Spitzweg, “Der arme Poet” ~ "
        "(p08; from Germany, a genre scene, 1839, fame 88 %, 16 dm²)",
        "  Your customers:",
        "    any picture, as famous as possible, pays 25,000 ~ (c21)",
    ]
    assert drawn(state, 2)[-2:] == ["  Your pictures: nothing", "  Your customers: nothing"]


def test_hidden_cash_is_shown_to_nobody_but_its_owner() -> None:
    state = table(pictures=PICTURES, cash=(11_000, 12_000, 13_000), hidden_cash=True)
    assert "  Ada (seat 0): pictures 2, customers 0" in drawn(state)
    seen = "\n".join(drawn(state, 1))
    assert "12,000" in seen
    assert "11,000" not in seen
    assert "13,000" not in seen


def test_a_customer_who_is_here_is_shown_with_the_best_offer() -> None:
    assert drawn(visited())[-1] == (
        "A customer is here: any picture, as famous as possible, pays 25,000 ~ (c21). "
        "Best offer: nothing."
    )
    offered = drawn(visited(Offer("p09")))[-1]
    assert offered.endswith(
        "Best offer: Adolph Menzel, “Wohnzimmer” ~ "
        "(p09; from Germany, a genre scene, 1847, fame 63 %, 15 dm²)."
    )


def test_after_the_end_every_hand_lies_open() -> None:
    game = Game(table(pictures=PICTURES, customers=((), ("c21",), ()), stock=1))
    game.does(Buy("p02"))
    assert game.over
    lines = drawn(game.state, 2)
    assert (
        "    holds Adolph Menzel, “Wohnzimmer” ~ (p09); and of customers: "
        "any picture, as famous as possible, pays 25,000 ~ (c21)"
    ) in lines
    assert "    holds nothing; and of customers: nothing" in lines


def test_the_table_is_drawn_in_german_too() -> None:
    lines = drawn(visited(), 0, Language.DE)
    assert lines[1:3] == [
        "Markt",
        "    2.000  Lucas Cranach d. Ä., „Adam und Eva“ ~ "
        "(p02; aus Deutschland, ein biblisches Bild und ein Akt, 1528, Bekanntheit 85 %, 138 dm²)",
    ]
    assert any("Ada (Platz 0): bar 25.000, Bilder 2, Kunden 0" in line for line in lines)


@pytest.mark.parametrize("shown", [{"game": "kunstmarkt", "table": {}}, {"game": "chess"}])
def test_nothing_is_drawn_before_the_game_or_of_a_game_that_is_not_known(
    shown: dict[str, Any],
) -> None:
    assert list(table_lines(Teller.of(RULES, Language.EN), shown)) == []
