"""Museum Pictura with some paintings hung and few left: over soon, and yet all of it happens.

The tests of rooms and sockets play it instead of the whole game. Those of its rules do not.
"""

from typing import Any

from msgspec.structs import replace

from saleroom_rules.contract import Step
from saleroom_rules.pictura.board import PLACES
from saleroom_rules.pictura.game import MuseumPictura
from saleroom_rules.rng import Rng

HUNG, LEFT = 12, 18


class ShortPictura(MuseumPictura):
    """See the module's docstring."""

    def setup(self, seats: int, options: Any, rng: Rng) -> Step[Any, Any]:
        step = super().setup(seats, options, rng)
        state, deck = step.state, step.state.deck
        for seat, player in enumerate(state.players):
            hung = deck[seat * HUNG : (seat + 1) * HUNG]
            museum = dict(zip(hung, PLACES, strict=False))
            state = state.with_player(seat, replace(player, museum=museum))
        left = deck[seats * HUNG : seats * HUNG + LEFT]
        return Step(replace(state, deck=left), step.events)


SHORT = ShortPictura()
