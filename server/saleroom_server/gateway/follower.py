"""What follows rooms: a socket, or a reader of events; and what is the same about both."""

from abc import ABC, abstractmethod
from enum import Enum, auto

from saleroom_protocol.codec import Encoder
from saleroom_protocol.errors import CloseCode
from saleroom_protocol.messages import ServerMessage
from saleroom_server.gateway.outlet import Outlet, Packet
from saleroom_server.gateway.place import Place
from saleroom_server.logs import logger
from saleroom_server.owner.inbox import unheard
from saleroom_server.rooms.commands import Caller, Gone, Session

log = logger("gateway")

BY_CLIENT = "client"  # beside the close codes


class State(Enum):
    """How far a connection has come."""

    GREETING = auto()
    OPEN = auto()
    CLOSED = auto()


class Follower(ABC):
    """A socket, or a reader of events, as the gateway sees it.

    Once it is closed nothing is written any more, and every room it followed is told that it is
    gone.

    Attributes:
        session: its number, never used again.
        codec: what writes its messages.
        caller: whose it is.
        state: how far it has come.
        address: whose sockets it counts among.
        rooms: those it follows, or has asked to.
        since: by room, when it asked to, in server milliseconds.
    """

    codec: Encoder
    caller: Caller
    state: State

    def __init__(self, place: Place, session: Session, outlet: Outlet, address: str) -> None:
        self._place, self._outlet = place, outlet
        self.session, self.address = session, address
        self.rooms: set[str] = set()
        self.since: dict[str, int] = {}

    @abstractmethod
    def tell(self, message: ServerMessage) -> None:
        """Send a message, if it is one that stands in such a stream."""

    @abstractmethod
    def sweep(self, now: int) -> None:
        """Show that it lives, or close it."""

    @abstractmethod
    def _farewell(self, reason: str, retry_after_ms: int) -> bytes:
        """Return what tells it when to come back."""

    def awaits(self, message: ServerMessage) -> bool:
        """Whether a message is still to be sent: no second answer to what was answered."""
        return True

    def send(self, packet: Packet) -> None:
        """Send a packet made for its codec; close it if it does not keep up."""
        if self.state is State.CLOSED:
            return
        if self._outlet.send(packet) > self._place.gateway_limits.backlog_bytes:
            self.close(CloseCode.TOO_SLOW)

    def backlog(self) -> int:
        """Return how many bytes were sent and not taken yet."""
        return 0 if self.state is State.CLOSED else self._outlet.backlog()

    def close(self, code: CloseCode, retry_after_ms: int | None = None) -> None:
        """Close it; with a time, first say after how many ms to come back."""
        if self.state is State.CLOSED:
            return
        reason = code.name.lower()
        if retry_after_ms is not None:
            self._outlet.send(Packet(self._farewell(reason, retry_after_ms), self.codec.text))
        self._outlet.close(code, reason)
        self._ended(str(int(code)), reason=reason)

    def closed(self) -> None:
        """Take note that it is closed, whoever closed it."""
        if self.state is not State.CLOSED:
            self._ended(BY_CLIENT)

    def leave(self, room: str, replaced: bool) -> None:
        """Take note that it no longer follows a room."""
        self.rooms.discard(room)
        self.since.pop(room, None)

    def _ended(self, code: str, **told: str) -> None:
        self.state = State.CLOSED
        self._place.metrics.sockets_closed[code].inc()
        log.debug("socket_closed", socket=self.session, code=code, **told)
        for room in list(self.rooms):
            actor = self._place.actor(room)
            if actor is not None:
                actor.submit(Gone(self.session), unheard)
        self.rooms.clear()
