"""The words of the console, one file a language; all have the same keys. And games explained."""

from functools import cache
from importlib import resources
from typing import Any

import msgspec

from saleroom_cli.console import Language
from saleroom_protocol.games import VOCABULARIES


@cache
def words(language: Language) -> dict[str, Any]:
    """Return the words of one language: sentences by what they tell, and names of cards."""
    found: dict[str, Any] = msgspec.toml.decode(_file(f"{language}.toml"))
    return found


def explained(game: str, language: Language) -> list[str]:
    """Explain a game to somebody who does not know it, in lines of at most 79 characters.

    Of a game of a later version it says that there is nothing.
    """
    if game not in VOCABULARIES:
        return [words(language)["play"]["unexplained"]]
    return _file("rules", f"{game}.{language}.txt").splitlines()


def _file(*path: str) -> str:
    return resources.files(__package__).joinpath("words", *path).read_text("utf-8")
