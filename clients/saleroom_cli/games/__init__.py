"""How each game is shown, by key. What can be said in words alone is in `words/`.

A game that is not listed is told by the names on the wire, and has no table.
"""

from saleroom_cli.games import kunstmarkt, pictura, vernissage
from saleroom_cli.games.look import PLAIN, Look

LOOKS: dict[str, Look] = {
    "kunstmarkt": kunstmarkt.LOOK,
    "vernissage": vernissage.LOOK,
    "pictura": pictura.LOOK,
}


def look_of(game: str) -> Look:
    """Return how a game is shown."""
    return LOOKS.get(game, PLAIN)


__all__ = ["LOOKS", "Look", "look_of"]
