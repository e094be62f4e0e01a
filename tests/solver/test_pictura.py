"""The museum of the game: what the search reckons is what the rules do."""

from random import Random

import msgspec
import pytest

from saleroom_protocol.games.pictura import Catalogue
from saleroom_rules.pictura.board import PLACES
from saleroom_rules.pictura.cards import PAINTINGS, catalogue
from saleroom_rules.pictura.museum import arrangement_points, hangs_together
from saleroom_solver.pictura import arranged

CATALOGUE = catalogue()


def hung(seed: int, count: int = 25) -> dict[str, int]:
    luck = Random(seed)
    return dict(zip(luck.sample([*PAINTINGS], count), luck.sample(PLACES, count), strict=True))


@pytest.mark.parametrize("count", [0, 1, 9, 17, 25])
def test_what_is_said_to_be_gained_is_what_the_rules_score_more(count: int) -> None:
    museum = hung(count, count)
    found = arranged(CATALOGUE, museum)
    gained = arrangement_points(found.places) - arrangement_points(museum)
    assert found.gained == gained >= 0
    assert found.places.keys() == museum.keys()


def test_what_should_hang_together_does_whatever_it_costs() -> None:
    found = arranged(CATALOGUE, hung(1), ("baroque", "portrait"))
    assert hangs_together(found.places, "baroque")
    assert hangs_together(found.places, "portrait")


def test_the_order_in_which_they_were_hung_does_not_matter() -> None:
    museum = hung(2, 12)
    assert arranged(CATALOGUE, dict(reversed(museum.items()))) == arranged(CATALOGUE, museum)


def test_a_catalogue_from_the_wire_does_as_well() -> None:
    sent = msgspec.json.decode(msgspec.json.encode(CATALOGUE), type=Catalogue)
    assert arranged(sent, hung(3), nodes=200) == arranged(CATALOGUE, hung(3), nodes=200)


def test_a_category_that_there_is_not_is_an_error() -> None:
    with pytest.raises(ValueError, match="no such category: cubism"):
        arranged(CATALOGUE, hung(4), ("baroque", "cubism"))
