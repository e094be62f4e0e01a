"""What the store keeps of a POST, in the same write as what the POST caused.

It is a plain value, so that it can be sent along to the node that owns the room.
"""

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import Struct

from saleroom_protocol.http import SeatHeld
from saleroom_server.rooms.seating import Seated
from saleroom_server.store.interface import Answer

Rendered: TypeAlias = tuple[int, Any]  # status and body
Kind: TypeAlias = Literal["room", "seat", "accepted"]  # of a POST, by what it answers


def _seated(seated: Seated) -> Rendered:
    return 201 if seated.new else 200, SeatHeld(seat=seated.seat)


RENDERERS: dict[Kind, Callable[[Any], Rendered]] = {
    "room": lambda info: (201, info),
    "seat": _seated,
    "accepted": lambda _: (202, {}),
}


class Keep(Struct):
    """An answer to be kept, but for what it will say.

    Attributes:
        player: as `Answer` has it; `key`, `request` and `until` likewise.
        kind: how a result is told.
        used: whether an answer was made of it.
    """

    player: str
    key: str
    request: bytes
    until: int
    kind: Kind
    used: bool = False

    def answer(self, result: Any) -> Answer:
        """Return what is to be kept, now that the result is known."""
        self.used = True
        status, body = RENDERERS[self.kind](result)
        encoded = msgspec.json.encode(body)
        return Answer(self.player, self.key, self.request, status, encoded, self.until)
