"""Where the commands print, how they fail, and in which language they tell a game."""

import os
from collections.abc import Mapping
from enum import StrEnum
from typing import NoReturn

import typer
from rich.console import Console

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)


class Language(StrEnum):
    """The languages a game can be told in."""

    EN = "en"
    DE = "de"


def spoken(environment: Mapping[str, str] = os.environ) -> Language:
    """Return the user's language as POSIX has it: LC_ALL, else LC_MESSAGES, else LANG."""
    names = ("LC_ALL", "LC_MESSAGES", "LANG")
    chosen = next((environment[name] for name in names if environment.get(name)), "")
    return Language.DE if chosen.lower().startswith("de") else Language.EN


def fail(problem: str) -> NoReturn:
    """Say what went wrong, on standard error, and end with exit code 1."""
    err.print(f"[bold red]error:[/] {escape(problem)}", soft_wrap=True)
    raise typer.Exit(1)


def escape(text: str) -> str:
    """Return text that prints as it is, whatever brackets and control characters are in it."""
    shown = "".join(char if char.isprintable() or char == "\n" else "\ufffd" for char in text)
    return shown.replace("[", r"\[")
