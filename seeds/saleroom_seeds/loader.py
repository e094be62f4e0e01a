"""Reads one component file into its type and says plainly what is wrong with it."""

from importlib import resources
from itertools import pairwise
from typing import TypeVar

import msgspec

SeedT = TypeVar("SeedT", bound=msgspec.Struct)


class SeedError(ValueError):
    """Component data that cannot be played with.

    Attributes:
        source: the file's name.
        problem: what is wrong, with the place in the file ("pictures[3].year: …").
    """

    def __init__(self, source: str, problem: str) -> None:
        super().__init__(f"{source}: {problem}")
        self.source = source
        self.problem = problem


def packaged(name: str) -> str:
    """Return the text of a component file that comes with the package."""
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def parse(text: str, seed_type: type[SeedT], source: str) -> SeedT:
    """Read TOML text as `seed_type`.

    Raises:
        SeedError: the text is not TOML, a field is missing, unknown or of the wrong type, or the
            type's own `__post_init__` found values that do not fit together.
    """
    try:
        return msgspec.toml.decode(text, type=seed_type)
    except msgspec.ValidationError as error:
        raise SeedError(source, _placed(str(error))) from error
    except msgspec.DecodeError as error:
        raise SeedError(source, f"not TOML: {error}") from error


def check_ascending(place: str, values: tuple[int, ...]) -> None:
    """Check values that are a scale.

    Raises:
        ValueError: there are none, or one is not higher than the one before; `place` names them.
    """
    if not values or any(low >= high for low, high in pairwise(values)):
        raise ValueError(f"{place}: needs at least one value, each higher than the one before")


def _placed(message: str) -> str:
    """Turn msgspec's "… - at `$.pictures[3].year`" into "pictures[3].year: …"."""
    problem, mark, place = message.partition(" - at `$")
    return f"{place.rstrip('`').lstrip('.')}: {problem}" if mark else problem
