"""What a game brings along to be shown: its table, its entries, fields told in a way of its own."""

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from rich.text import Text

if TYPE_CHECKING:  # a teller asks for a game's look itself
    from saleroom_cli.telling import Teller

Plain = Mapping[str, Any]
Fact = Callable[["Teller", Any], str]
Found = Callable[[Plain, Plain], dict[str, Any]]  # document and catalogue -> action


def _nothing(teller: "Teller", document: Plain) -> Iterator[Text]:
    yield from ()


def entry_alone(teller: "Teller", document: Plain, entry: Plain) -> str:
    """Say what an entry does by its own words: nothing on the table adds to it."""
    return teller.action(entry)


class Look(Struct, frozen=True, kw_only=True):
    """How one game is shown.

    Attributes:
        lines: the table of a game that has begun.
        described: an entry of `legal` or `anytime`, with what the table tells of it.
        facts: fields whose values are neither a card, a number nor a word.
        found: the names of forms that can be filled well without asking, and how.
    """

    lines: Callable[["Teller", Plain], Iterator[Text]] = _nothing
    described: Callable[["Teller", Plain, Plain], str] = entry_alone
    facts: Mapping[str, Fact] = {}
    found: Mapping[str, Found] = {}


PLAIN = Look()


def by_seat(players: Mapping[str, Any]) -> list[tuple[int, Any]]:
    """Return what a map holds for each seat, in order of the seats."""
    return sorted(((int(seat), held) for seat, held in players.items()), key=lambda item: item[0])
