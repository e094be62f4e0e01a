"""One reader of a room's events. PROTOCOL.md, "Server-sent events"."""

from saleroom_protocol.errors import CloseCode
from saleroom_protocol.messages import Left, ServerMessage
from saleroom_protocol.sse import COMMENT, SSE, retry
from saleroom_server.gateway.follower import Follower, State
from saleroom_server.gateway.outlet import Outlet, Packet
from saleroom_server.gateway.place import Place
from saleroom_server.rooms.commands import Caller, Session


class Reader(Follower):
    """A spectator who reads one room over HTTP, and can ask for nothing but that.

    Its room knows no difference to a socket. Its stream ends as soon as it was sent the event
    `end`, whichever way that came.
    """

    codec = SSE

    def __init__(
        self,
        place: Place,
        session: Session,
        room: str,
        caller: Caller,
        outlet: Outlet,
        address: str,
    ) -> None:
        super().__init__(place, session, outlet, address)
        self.caller, self.state = caller, State.OPEN
        self.rooms.add(room)
        self.since[room] = place.clock.now()
        self._end = SSE.encode(Left(room=room, reason="closed"))
        self._commented_at = place.clock.now()
        self._say(retry(place.gateway_limits.retry_ms))

    def send(self, packet: Packet) -> None:
        """See `Follower`; behind its end the stream ends."""
        if self.state is not State.CLOSED and packet.payload.endswith(self._end):
            self._outlet.send(packet)
            self.close(CloseCode.NORMAL)
        else:
            super().send(packet)

    def tell(self, message: ServerMessage) -> None:
        """Send the one message that is an event by itself: the room lets everybody go."""
        if isinstance(message, Left):
            self._say(self._end)

    def sweep(self, now: int) -> None:
        """Send a comment now and then, so that nothing on the way takes the stream for idle."""
        if now - self._commented_at >= self._place.gateway_limits.comment_ms:
            self._commented_at = now
            self._say(COMMENT)

    def _farewell(self, reason: str, retry_after_ms: int) -> bytes:
        return retry(retry_after_ms)

    def _say(self, event: bytes) -> None:
        self.send(Packet(event, SSE.text))
