"""The museum of a Museum Pictura player in lines of text, and arranging it at the keyboard.

A place is called by its row and column, from A1 at the top left to E5. Each line of a board says
its row and then, place by place, what hangs there, so that it can be heard as well as seen.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from rich.text import Text

from saleroom_cli.games.look import Plain
from saleroom_cli.questions import Question
from saleroom_rules.pictura.board import largest_group

if TYPE_CHECKING:
    from saleroom_cli.telling import Teller

Museum = Mapping[str, int]  # painting -> place

ROWS = "ABCDE"
CELL, SHORT = 14, 3  # characters: of a place in a board, and of a category in it
DONE = "ok"


def place(teller: "Teller", number: Any) -> str:
    """Name a place: 0 is A1, 24 is E5."""
    row, column = divmod(int(number), teller.catalogue["side"])
    return f"{ROWS[row]}{column + 1}"


def board(teller: "Teller", museum: Museum) -> Iterator[str]:
    """Show a museum row by row; one where nothing hangs needs no line."""
    side, hung = teller.catalogue["side"], {where: painting for painting, where in museum.items()}
    yield "   " + "".join(f"{column:<{CELL}}" for column in range(1, side + 1)).rstrip()
    for row in range(side):
        there = [hung.get(row * side + column) for column in range(side)]
        if any(there):
            cells = (f"{_short(teller, painting):<{CELL}}" for painting in there)
            yield f"{ROWS[row]}  {''.join(cells)}".rstrip()


def collections(teller: "Teller", museum: Museum) -> str:
    """Say which collections there are as a museum hangs, and what they would bring."""
    words, told = teller.game["table"], []
    for category in _categories(teller):
        shown = of_category(teller, category, museum)
        size = largest_group([museum[painting] for painting in shown])
        points = size_points(teller, size)
        if points:
            name = teller.fact("category", category)
            told.append(words["group"].format(category=name, size=size, points=points))
    if _gallery_counts(teller, museum):
        told.append(words["gallery"].format(points=teller.catalogue["gallery"]))
    found = ", ".join(told) or words["none"]
    return str(words["as_it_hangs"].format(groups=found, mark=teller.mark("sizes")))


def _gallery_counts(teller: "Teller", museum: Museum) -> bool:
    """Tell whether the Grand Gallery is full, and all of one category."""
    places = teller.catalogue["grand_gallery"]
    inside = [painting for painting, where in museum.items() if where in places]
    return len(inside) == len(places) and any(
        of_category(teller, category, inside) == inside for category in _categories(teller)
    )


def _categories(teller: "Teller") -> list[str]:
    return [*teller.catalogue["periods"], *teller.catalogue["themes"]]


def of_category(teller: "Teller", category: str, paintings: Iterable[str]) -> list[str]:
    """Return the paintings of a period or theme among some."""
    cards = teller.catalogue["paintings"]
    return [p for p in paintings if category in (cards[p]["period"], cards[p]["theme"])]


def size_points(teller: "Teller", size: int) -> int:
    """Return what so many adjacent paintings of a category bring."""
    sizes, step = teller.catalogue["sizes"], size - teller.catalogue["least"]
    if step < 0:
        return 0
    beyond = max(0, step - len(sizes) + 1)
    return int(sizes[step - beyond] + beyond * teller.catalogue["further"])


def _short(teller: "Teller", painting: str | None) -> str:
    if painting is None:
        return str(teller.game["table"]["free"])
    card = teller.catalogue["paintings"][painting]
    shows = (teller.fact(field, card[field])[:SHORT] for field in ("period", "theme"))
    return " ".join([painting, *map(str.capitalize, shows)])


class Arranging(Question):
    """Where everything hangs: changed move by move, and answered when it is as it should be.

    Attributes:
        museum: painting -> place, as it was moved so far.
    """

    def __init__(self, teller: "Teller", document: Plain, paintings: Sequence[str]) -> None:
        super().__init__(teller.field("places", None), [], teller.words["play"])
        self.museum = dict(document["table"]["players"][str(document["you"]["seat"])]["museum"])
        self._teller, self._paintings = teller, paintings
        self._places = {place(teller, n).lower(): n for n in range(teller.catalogue["side"] ** 2)}

    def lines(self) -> Iterator[Text]:
        """Show the museum as it hangs by now, what it brings, and how to move something."""
        teller, words = self._teller, self._teller.game["table"]
        yield Text(self.heading, "bold")
        yield from (Text(f"  {line}") for line in board(teller, self.museum))
        yield Text(f"  {collections(teller, self.museum)}")
        places = ", ".join(map(partial(place, teller), teller.catalogue["grand_gallery"]))
        told = words["gallery_places"].format(places=places, mark=teller.mark("grand_gallery"))
        yield Text(f"  {told}")
        yield Text(words["moving"].format(painting=self._paintings[0], done=DONE))

    def revised(self, line: str) -> bool:
        """Move what a line says, if it says so throughout: `p071 c3`, `a1 c3`, or several."""
        words = line.replace(",", " ").lower().split()
        if not words or len(words) % 2:
            return False
        moved = dict(self.museum)
        for what, where in zip(words[::2], words[1::2], strict=True):
            start, end = self._place(what, moved), self._place(where, moved)
            if start is None or end is None:
                return False
            swap = {start: end, end: start}
            moved = {painting: swap.get(at, at) for painting, at in moved.items()}
        self.museum = moved
        return True

    def picked(self, line: str) -> list[int] | None:
        """Return the place of each painting once it is said that they hang well."""
        if line.strip().lower() != DONE:
            return None
        return [self.museum[painting] for painting in self._paintings]

    def _place(self, name: str, museum: Museum) -> int | None:
        """Return the place a painting hangs at, or the one that is called so."""
        return museum.get(name, self._places.get(name))
