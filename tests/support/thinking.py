"""What a strategy answers at a position, seeing what its seat sees."""

from collections.abc import Mapping
from random import Random
from typing import Any

import msgspec

from saleroom_bots.strategy import Strategy
from saleroom_rules.contract import AnyRules
from saleroom_server.rooms.views import Clock, document, look
from tests.soak.strength import catalogue_of
from tests.support.hand_game import HandGame

CLOCK = Clock(opened_at=0)


class Thinking:
    """A strategy at a game."""

    def __init__(self, rules: AnyRules, strategy: Strategy) -> None:
        self._rules, self._strategy = rules, strategy

    def answer(self, position: Any, seat: int | None = None) -> dict[str, Any]:
        """Return what a player does who is asked, or another seat; at a game or a state."""
        state = position.state if isinstance(position, HandGame) else position
        window = self._rules.window(state)
        assert window is not None, "the game is over"
        seen = look(self._rules, state, len(state.players), CLOCK)
        shown = document(seen, window.owing[0] if seat is None else seat)
        return self._strategy(shown, catalogue_of(self._rules), Random(1).choice)

    def acted(self, action: Mapping[str, Any]) -> Any:
        """Return an action as the rules take it."""
        return msgspec.convert(action, self._rules.action_type)
