"""The table as a few lines of text, and what can be done at it."""

from collections.abc import Iterator, Mapping
from typing import Any

from rich.text import Text

from saleroom_cli.telling import Teller

Document = Mapping[str, Any]


def table_lines(teller: Teller, document: Document) -> Iterator[Text]:
    """Show the table of a game that has begun; nothing of one this version has no picture of."""
    if document.get("table"):
        lines = list(teller.look.lines(teller, document))
        if lines:
            yield Text("")
            yield from lines


def described(teller: Teller, document: Document, entry: Mapping[str, Any]) -> str:
    """Say what an entry of `legal` or `anytime` does, with what the table tells of it."""
    return teller.look.described(teller, document, entry)
