"""The words of the console, one file a language; all have the same keys."""

from functools import cache
from importlib import resources
from typing import Any

import msgspec

from saleroom_cli.console import Language


@cache
def words(language: Language) -> dict[str, Any]:
    """Return the words of one language: sentences by what they tell, and names of cards."""
    text = resources.files(__package__).joinpath("words", f"{language}.toml").read_text("utf-8")
    found: dict[str, Any] = msgspec.toml.decode(text)
    return found
