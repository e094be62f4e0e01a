"""What a program can work out for its player, from what the player sees. A hint is only that."""

from collections.abc import Collection, Mapping
from typing import Any

import msgspec

from saleroom_protocol.games.pictura import Catalogue
from saleroom_solver.pictura import arranged


def arrangement(
    document: Mapping[str, Any], catalogue: Mapping[str, Any], together: Collection[str] = ()
) -> dict[str, Any]:
    """Return the `arrange` that is worth most at the end of Museum Pictura, as far as can be found.

    It is worth no less than how the player's museum hangs now. This takes up to some 50 ms of one
    core; a program that has better to do meanwhile hands it to `asyncio.to_thread`.

    Args:
        document: a player's.
        catalogue: the game's.
        together: periods and themes that should hang in one group each, before all else.

    Raises:
        ValueError: there is no such period or theme.
    """
    museum = document["table"]["players"][str(document["you"]["seat"])]["museum"]
    known = msgspec.convert(catalogue, Catalogue)
    return {"do": "arrange", "places": arranged(known, museum, together)}
