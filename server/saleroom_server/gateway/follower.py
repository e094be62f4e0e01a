"""What follows rooms: whatever a room's frames can be sent to."""

from typing import TYPE_CHECKING, Protocol

from saleroom_protocol.codec import Encoder
from saleroom_protocol.errors import CloseCode
from saleroom_protocol.messages import ServerMessage
from saleroom_server.gateway.outlet import Packet
from saleroom_server.rooms.commands import Caller, Session

if TYPE_CHECKING:
    from saleroom_server.gateway.connection import State


class Follower(Protocol):
    """A socket, or a reader of events, as the gateway sees it.

    Attributes:
        session: its number, never used again.
        address: whose sockets it counts among.
        rooms: those it follows, or has asked to.
    """

    session: Session
    address: str
    caller: Caller
    state: "State"
    rooms: set[str]

    @property
    def codec(self) -> Encoder:
        """Return what writes its messages."""

    def send(self, packet: Packet) -> None:
        """Send a packet; who does not keep up is closed."""

    def tell(self, message: ServerMessage) -> None:
        """Send a message, if it is one that stands in such a stream."""

    def close(self, code: CloseCode, retry_after_ms: int | None = None) -> None:
        """End it; with a time, say first when to come back."""

    def backlog(self) -> int:
        """Return how many bytes were sent and not taken yet."""

    def closed(self) -> None:
        """Take note that it is closed, by whom ever."""

    def leave(self, room: str, replaced: bool) -> None:
        """Take note that it no longer follows a room."""

    def sweep(self, now: int) -> None:
        """Show that it lives, or close it."""
