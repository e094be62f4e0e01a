"""Where the commands print, how they fail, and in which language they tell a game.

Text of others (a record's, a file's name) is printed through `shown`, as `Text`, never as markup:
it may hold anything.
"""

import os
import re
import sys
from collections.abc import Mapping
from enum import StrEnum
from io import TextIOWrapper
from typing import NoReturn

import typer
from rich.console import Console
from rich.text import Text

if not re.fullmatch("[1-9][0-9]{0,4}", os.environ.get("COLUMNS", "80")):
    del os.environ["COLUMNS"]  # no width at all: ask the terminal


class _Console(Console):
    """One that ends the command quietly when nobody reads what it prints, as under `head`."""

    def on_broken_pipe(self) -> None:
        """End; by an exception that passes through a running event loop, unlike SystemExit."""
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(1)


INSET = 4  # columns that the rest of a line which is too long is further in

out = _Console(highlight=False, markup=False, emoji=False)
err = _Console(stderr=True, highlight=False, markup=False, emoji=False)


class Language(StrEnum):
    """The languages a game can be told in."""

    EN = "en"
    DE = "de"


def spoken(environment: Mapping[str, str] = os.environ) -> Language:
    """Return the user's language as POSIX has it: LC_ALL, else LC_MESSAGES, else LANG."""
    names = ("LC_ALL", "LC_MESSAGES", "LANG")
    chosen = next((environment[name] for name in names if environment.get(name)), "")
    return Language.DE if chosen.lower().startswith("de") else Language.EN


ERROR = {Language.EN: "error:", Language.DE: "Fehler:"}


def fail(problem: str, code: int = 1, language: Language = Language.EN) -> NoReturn:
    """Say what went wrong, on standard error, and end; code 2 is for words that make no sense."""
    complain(problem, language)
    raise typer.Exit(code)


def tell(line: Text | str, style: str = "") -> None:
    """Print one line; at a terminal one that is too long goes on, further in, below."""
    text = Text(line, style) if isinstance(line, str) else line
    for part in wrapped(text, out.width) if out.is_terminal else [text]:
        out.print(part, soft_wrap=True)


def wrapped(line: Text, width: int) -> list[Text]:
    """Break a line between words."""
    if line.cell_len <= width:
        return [line]
    inset = len(line.plain) - len(line.plain.lstrip()) + INSET
    first, *rest = line.wrap(out, max(width - inset, INSET))
    return [first, *(Text.assemble(" " * inset, part) for part in rest)]


def complain(problem: str, language: Language = Language.EN) -> None:
    """Say in one line what went wrong, on standard error."""
    err.print(Text.assemble((ERROR[language], "bold red"), " ", shown(problem)), soft_wrap=True)


def shown(text: str) -> str:
    """Return text as one line of what can be printed: no control, no line end, no direction."""
    return "".join(char if char.isprintable() else "\ufffd" for char in text)


def print_anything() -> None:
    """Let what a terminal cannot show come out as `?`, and what is no text come in so."""
    for stream in (sys.stdout, sys.stderr, sys.stdin):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
