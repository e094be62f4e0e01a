"""What the lobby knows of a room without loading it."""

import msgspec
from msgspec import Struct

from saleroom_protocol.http import RoomSummary
from saleroom_server.logs import logger
from saleroom_server.rooms.commands import Caller
from saleroom_server.rooms.front import summary_of
from saleroom_server.rooms.presence import Presence
from saleroom_server.rooms.seating import may_see
from saleroom_server.rooms.standing import Standing

log = logger("rooms")


class Head(Struct, frozen=True):
    """A room's summary, with nobody connected, and who may see the room."""

    summary: RoomSummary
    creator: str
    players: tuple[str, ...]
    watch: str

    def sees(self, caller: Caller, watch: str) -> bool:
        """Tell whether somebody may know that the room exists."""
        people = (self.creator, *self.players)
        return may_see(self.summary.visibility, self.watch, people, caller, watch)

    def __repr__(self) -> str:
        """Name the room only: the secret to look on must not get into a log."""
        return f"<Head {self.summary.room}>"


def head_of(standing: Standing) -> Head:
    """Return a room's head."""
    nobody = Presence(standing.founding.seats, 0)
    players = tuple(sitter.player for sitter in standing.sitters.values())
    founding = standing.founding
    return Head(summary_of(standing, nobody, 0), founding.creator, players, founding.watch)


def head_from(room: str, body: bytes) -> Head | None:
    """Return a room's head as it was stored; None if it cannot be read."""
    try:
        return msgspec.msgpack.decode(body, type=Head)
    except (msgspec.DecodeError, UnicodeDecodeError):
        log.error("head_unreadable", room=room)
        return None
