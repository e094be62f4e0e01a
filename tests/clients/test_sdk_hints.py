"""Hints: worked out from a player's document and the catalogue, and fit to be sent."""

from typing import Any

import msgspec
import pytest

from saleroom_client import hints
from saleroom_client.forms import listed
from saleroom_rules.pictura.museum import arrangement_points, hangs_together
from saleroom_server.rooms.views import Clock, document, look
from tests.support.pictura import BAROQUE, RENAISSANCE, RULES, hung, table

MUSEUM = hung([*RENAISSANCE[:3], *BAROQUE[:3], *RENAISSANCE[3:7], *BAROQUE[3:7]])
CATALOGUE = msgspec.to_builtins(RULES.catalogue())


@pytest.fixture
def seen() -> Any:
    """What seat 1 sees while everybody arranges for the last time."""
    state = table("arrange_final", museums={1: MUSEUM}, ending="goal")
    return document(look(RULES, state, 3, Clock(0)), 1)


def test_the_arrangement_may_be_sent_as_it_is_and_is_worth_more(seen: Any) -> None:
    action = hints.arrangement(seen, CATALOGUE)
    assert listed(seen["legal"], action)
    assert arrangement_points(action["places"]) > arrangement_points(MUSEUM)


def test_what_should_hang_together_does(seen: Any) -> None:
    places = hints.arrangement(seen, CATALOGUE, ["mythology"])["places"]
    assert not hangs_together(MUSEUM, "mythology")
    assert hangs_together(places, "mythology")


def test_a_period_or_theme_that_there_is_not_is_an_error(seen: Any) -> None:
    with pytest.raises(ValueError, match="cubism"):
        hints.arrangement(seen, CATALOGUE, ["cubism"])
