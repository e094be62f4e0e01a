"""Which strategies there are, by game and level."""

from collections.abc import Mapping

from saleroom_bots import kunstmarkt, pictura, vernissage
from saleroom_bots.easy import easy
from saleroom_bots.strategy import Strategy

strategies: Mapping[str, Mapping[str, Strategy]] = {
    "kunstmarkt": {"easy": easy, "steady": kunstmarkt.steady},
    "vernissage": {"easy": easy, "steady": vernissage.steady},
    "pictura": {"easy": easy, "steady": pictura.steady},
}


class UnknownStrategy(LookupError):
    """Nothing plays this game at this level."""


def strategy_for(game: str, level: str) -> Strategy:
    """Return what plays a game at a level. A game that is not listed can be played by `easy`.

    Raises:
        UnknownStrategy: the game has no such level.
    """
    levels = strategies.get(game, {"easy": easy})
    if level not in levels:
        known = " and ".join(levels)
        raise UnknownStrategy(f"game {game!r} has no level {level!r}, only {known}")
    return levels[level]
