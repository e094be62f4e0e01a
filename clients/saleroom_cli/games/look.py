"""What a game brings along to be shown: its table, its entries, fields told in a way of its own."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from rich.text import Text

from saleroom_cli.questions import Question

if TYPE_CHECKING:  # a teller asks for a game's look itself
    from saleroom_cli.telling import Teller

Plain = Mapping[str, Any]
Fact = Callable[["Teller", Any], str]
Found = Callable[[Plain, Plain], dict[str, Any]]  # document and catalogue -> action
Ask = Callable[["Teller", Plain, Sequence[str]], Question]  # document, the keys that need a value


def _nothing(teller: "Teller", document: Plain) -> Iterator[Text]:
    yield from ()


def entry_alone(teller: "Teller", document: Plain, entry: Plain) -> str:
    """Say what an entry does by its own words: nothing on the table adds to it."""
    return teller.action(entry)


def choice_alone(
    teller: "Teller", document: Plain, action: Plain, field: str, value: str | int
) -> str:
    """Say a value a form lets choose by its own words."""
    return teller.choice(field, value)


class Look(Struct, frozen=True, kw_only=True):
    """How one game is shown.

    Attributes:
        lines: the table of a game that has begun; each part of it begins at the margin, and what
            belongs to it is indented by two spaces, or by four in a part of a part.
        described: an entry of `legal` or `anytime`, with what the table tells of it.
        choice: a value that a form lets choose for a field, with what the table tells of it; the
            action is as far as it was chosen.
        questions: maps of a form that are asked for as a whole; a line that answers picks a
            number for each key.
        facts: fields whose values are neither a card, a number nor a word.
        found: the names of forms that can be filled well without asking, and how.
    """

    lines: Callable[["Teller", Plain], Iterator[Text]] = _nothing
    described: Callable[["Teller", Plain, Plain], str] = entry_alone
    choice: Callable[["Teller", Plain, Plain, str, str | int], str] = choice_alone
    questions: Mapping[str, Ask] = {}
    facts: Mapping[str, Fact] = {}
    found: Mapping[str, Found] = {}


PLAIN = Look()


def by_seat(players: Mapping[str, Any]) -> list[tuple[int, Any]]:
    """Return what a map holds for each seat, in order of the seats."""
    return sorted(((int(seat), held) for seat, held in players.items()), key=lambda item: item[0])


def signed(teller: "Teller", value: Any) -> str:
    """Say a number that moves something, with its sign."""
    return ("+" if value > 0 else "") + teller.number(value)
