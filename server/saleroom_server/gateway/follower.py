"""What follows rooms: whatever a room's frames can be sent to."""

from typing import Protocol

from saleroom_protocol.errors import CloseCode
from saleroom_server.gateway.outlet import Packet


class Follower(Protocol):
    """The far end of a stream, as crowds see it."""

    def send(self, packet: Packet) -> None:
        """Send a packet; who must not miss any and does not keep up is closed."""

    def backlog(self) -> int:
        """Return how many bytes were sent and not taken yet."""

    def close(self, code: CloseCode) -> None:
        """End it."""
