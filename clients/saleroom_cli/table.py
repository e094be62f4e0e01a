"""The table in lines of text, or what has changed of it; and what can be done at it."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from rich.text import Text

from saleroom_cli.telling import Teller

Document = Mapping[str, Any]
STEP = 2  # spaces by which a line is indented below its heading


def table_lines(teller: Teller, document: Document) -> Iterator[Text]:
    """Show the table of a game that has begun; nothing of one this version has no picture of."""
    if document.get("table"):
        lines = list(teller.look.lines(teller, document))
        if lines:
            yield Text("")
            yield from lines


class Block(NamedTuple):
    """Lines of a table that are told together, and the heading they stand under, if any."""

    heading: Text | None
    lines: list[Text]

    @property
    def key(self) -> tuple[str, ...]:
        """What it says; the same at two moments if nothing in it has changed."""
        return tuple(line.plain for line in (self.heading or Text(), *self.lines))


def blocks(lines: Iterable[Text]) -> Iterator[Block]:
    """Take a table apart where a line stands at the margin.

    A part that is indented twice, as several museums under one heading are, is taken apart again.
    """
    for section in _split(lines, 0):
        if any(_indent(line) > STEP for line in section):
            yield from (Block(section[0], part) for part in _split(section[1:], STEP))
        else:
            yield Block(None, section)


def together(parts: Iterable[Block]) -> Iterator[Text]:
    """Return the lines of blocks, what stands under one heading below it."""
    above: Text | None = None
    for heading, lines in parts:
        if heading is not None and heading is not above:
            yield heading
        above = heading
        yield from lines


def _split(lines: Iterable[Text], indent: int) -> list[list[Text]]:
    parts: list[list[Text]] = []
    for line in lines:
        if not parts or _indent(line) <= indent:
            parts.append([])
        parts[-1].append(line)
    return parts


def _indent(line: Text) -> int:
    return len(line.plain) - len(line.plain.lstrip())


def described(teller: Teller, document: Document, entry: Mapping[str, Any]) -> str:
    """Say what an entry of `legal` or `anytime` does, with what the table tells of it."""
    return teller.look.described(teller, document, entry)
