"""The loader: what it reads, and how it names what it cannot."""

import pytest
from msgspec import Struct

from saleroom_seeds.loader import SeedError, packaged, parse


class Shelf(Struct, forbid_unknown_fields=True):
    width: int
    label: str = ""

    def __post_init__(self) -> None:
        if self.width > 9:
            raise ValueError("width: too wide for the room")


class Depot(Struct, forbid_unknown_fields=True):
    shelves: list[Shelf]


def problem_of(text: str) -> str:
    with pytest.raises(SeedError) as caught:
        parse(text, Depot, "depot.toml")
    assert caught.value.source == "depot.toml"
    assert str(caught.value) == f"depot.toml: {caught.value.problem}"
    return caught.value.problem


def test_what_fits_is_read_as_its_type() -> None:
    text = '[[shelves]]\nwidth = 3\n[[shelves]]\nwidth = 4\nlabel = "Öl"\n'
    assert parse(text, Depot, "depot.toml") == Depot([Shelf(3), Shelf(4, "Öl")])


def test_a_packaged_file_is_returned_as_it_is_written() -> None:
    assert packaged("kunstmarkt.toml").startswith("# Der Prestel Kunstmarkt, edition 1")
    assert "Vrancke van der Stockt" in packaged("kunstmarkt.toml")
    assert "Dürer" in packaged("kunstmarkt.toml")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('[[shelves]]\nwidth = "3"\n', "shelves[0].width: Expected `int`, got `str`"),
        ("[[shelves]]\nwidth = true\n", "shelves[0].width: Expected `int`, got `bool`"),
        ("[[shelves]]\nwidth = 3.5\n", "shelves[0].width: Expected `int`, got `float`"),
        ("[[shelves]]\nwidth = 1979-05-27\n", "shelves[0].width: Expected `int`, got `date`"),
        ("shelves = 3\n", "shelves: Expected `array`, got `int`"),
        ("shelves = [{width = 1}, 2]\n", "shelves[1]: Expected `object`, got `int`"),
        (
            "[[shelves]]\nwidth = 3\n[[shelves]]\n",
            "shelves[1]: Object missing required field `width`",
        ),
        (
            "[[shelves]]\nwidth = 3\ndepth = 4\n",
            "shelves[0]: Object contains unknown field `depth`",
        ),
        (
            "[[shelves]]\nwidth = 3\n[[shelves]]\nwidth = 10\n",
            "shelves[1]: width: too wide for the room",
        ),
    ],
)
def test_a_value_that_does_not_fit_is_named_with_its_place(text: str, problem: str) -> None:
    assert problem_of(text) == problem


def test_a_problem_of_the_whole_file_has_no_place() -> None:
    assert problem_of("") == "Object missing required field `shelves`"
    assert problem_of("shelves = []\nroom = 1\n") == "Object contains unknown field `room`"


@pytest.mark.parametrize("text", ["shelves", "[[shelves]", "shelves = []\nshelves = []", 'a = "'])
def test_what_is_not_toml_is_said_to_be_none(text: str) -> None:
    assert problem_of(text).startswith("not TOML: ")


def test_a_seed_error_is_a_value_error() -> None:
    with pytest.raises(ValueError, match=r"^depot\.toml: not TOML: "):
        parse("[", Depot, "depot.toml")
