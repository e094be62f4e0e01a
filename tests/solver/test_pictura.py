"""The museum of the game: what the search reckons is what the rules do."""

from random import Random

import msgspec
import pytest

from saleroom_protocol.games.pictura import Catalogue
from saleroom_rules.pictura.board import PLACES
from saleroom_rules.pictura.cards import PAINTINGS, catalogue
from saleroom_rules.pictura.museum import arrangement_points, fits, hangs_together
from saleroom_solver.pictura import arranged

CATALOGUE = catalogue()


def hung(seed: int, count: int = 25) -> dict[str, int]:
    luck = Random(seed)
    return dict(zip(luck.sample([*PAINTINGS], count), luck.sample(PLACES, count), strict=True))


@pytest.mark.parametrize("count", [0, 1, 9, 17, 25])
def test_everything_hangs_and_by_the_rules_is_worth_no_less(count: int) -> None:
    museum = hung(count, count)
    places = arranged(CATALOGUE, museum)
    assert arrangement_points(places) >= arrangement_points(museum)
    assert fits(museum, places)


def test_the_longer_it_searches_the_more_the_rules_find_it_worth() -> None:
    points = [
        arrangement_points(arranged(CATALOGUE, hung(5), nodes=nodes)) for nodes in (0, 100, 6_000)
    ]
    assert points[0] == arrangement_points(hung(5)) < points[1] < points[2]


def test_what_should_hang_together_does_whatever_it_costs() -> None:
    places = arranged(CATALOGUE, hung(1), ("baroque", "portrait"))
    assert hangs_together(places, "baroque")
    assert hangs_together(places, "portrait")


def test_the_order_in_which_they_were_hung_does_not_matter() -> None:
    museum = hung(2, 12)
    assert arranged(CATALOGUE, dict(reversed(museum.items()))) == arranged(CATALOGUE, museum)


def test_a_catalogue_from_the_wire_does_as_well() -> None:
    sent = msgspec.json.decode(msgspec.json.encode(CATALOGUE), type=Catalogue)
    assert arranged(sent, hung(3), nodes=200) == arranged(CATALOGUE, hung(3), nodes=200)


def test_a_category_that_there_is_not_is_an_error() -> None:
    with pytest.raises(ValueError, match="no such category: cubism"):
        arranged(CATALOGUE, hung(4), ("baroque", "cubism"))
