"""One reader of a room's events. PROTOCOL.md, "Server-sent events"."""

from typing import Any

from saleroom_protocol.errors import CloseCode
from saleroom_protocol.messages import Left, ServerMessage
from saleroom_protocol.sse import COMMENT, SSE, retry
from saleroom_server.gateway.connection import BY_CLIENT, State
from saleroom_server.gateway.outlet import Outlet, Packet
from saleroom_server.gateway.place import Place
from saleroom_server.rooms import commands
from saleroom_server.rooms.commands import Caller, Session


class Reader:
    """A spectator who reads one room over HTTP, and can ask for nothing but that.

    It stands where a `Connection` stands, and its room knows no difference. Its stream ends as soon
    as it was sent the event `end`, whichever way that came.

    Attributes:
        session: its number, never used again.
        address: whose sockets it counts among.
        rooms: the one, until the stream has ended.
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
        self._place, self.session, self.caller, self._outlet = place, session, caller, outlet
        self.address = address
        self.state = State.OPEN
        self.rooms = {room}
        self._end = SSE.encode(Left(room=room, reason="closed"))
        self._commented_at = place.clock.now()
        self._say(retry(place.gateway_limits.retry_ms))

    def send(self, packet: Packet) -> None:
        """Send events; end the stream behind its end, or if its reader does not keep up."""
        if self.state is State.CLOSED:
            return
        self._outlet.send(packet)
        if packet.payload.endswith(self._end):
            self.close(CloseCode.NORMAL)
        elif self._outlet.backlog() > self._place.gateway_limits.backlog_bytes:
            self.close(CloseCode.TOO_SLOW)

    def tell(self, message: ServerMessage) -> None:
        """Send the one message that is an event by itself: the room lets everybody go."""
        if isinstance(message, Left):
            self._say(self._end)

    def backlog(self) -> int:
        """Return how many bytes the reader has not taken yet."""
        return 0 if self.state is State.CLOSED else self._outlet.backlog()

    def close(self, code: CloseCode, retry_after_ms: int | None = None) -> None:
        """End the stream; with a time, say first when to come back."""
        if self.state is State.CLOSED:
            return
        if retry_after_ms is not None:
            self._outlet.send(Packet(retry(retry_after_ms), True))
        self._outlet.close(code, code.name.lower())
        self._place.metrics.sockets_closed[str(int(code))].inc()
        self.state = State.CLOSED
        self.closed()

    def closed(self) -> None:
        """Take note that the stream has ended, by whom ever."""
        if self.state is not State.CLOSED:
            self._place.metrics.sockets_closed[BY_CLIENT].inc()
        self.state = State.CLOSED
        for room in list(self.rooms):
            actor = self._place.actor(room)
            if actor is not None:
                actor.submit(commands.Gone(self.session), _ignore)
        self.rooms.clear()

    def leave(self, room: str, replaced: bool) -> None:
        """Take note that the room lets it go."""
        self.rooms.discard(room)

    def sweep(self, now: int) -> None:
        """Send a comment now and then, so that nothing on the way takes the stream for idle."""
        if now - self._commented_at >= self._place.gateway_limits.comment_ms:
            self._commented_at = now
            self._say(COMMENT)

    def _say(self, event: bytes) -> None:
        self.send(Packet(event, SSE.text))


def _ignore(answer: Any) -> None:
    """A stream that has ended is told nothing."""
