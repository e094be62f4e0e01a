"""The house bots: strategies of `saleroom_bots`, given what their seat sees and nothing else."""

from functools import cache
from random import SystemRandom
from typing import Any, get_args

import msgspec

from saleroom_bots.registry import strategy_for
from saleroom_protocol.http import Level
from saleroom_rules.games import GAMES
from saleroom_server.logs import logger

log = logger("house")
_pick = SystemRandom().choice


def think(game: str, level: str, document: dict[str, Any]) -> dict[str, Any]:
    """Return the action a house bot of a level chooses, plain as a client would send it."""
    try:
        return strategy_for(game, level)(document, _catalogue(game), _pick)
    except Exception:  # a fault of a strategy must not hold up the table
        log.exception("house_bot_cannot_decide", game=game, strength=level)
        return strategy_for(game, "easy")(document, _catalogue(game), _pick)


def levels() -> frozenset[str]:
    """Return the levels a house bot may have."""
    return frozenset(get_args(Level))


@cache
def _catalogue(game: str) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(GAMES[game].catalogue())
    return plain
