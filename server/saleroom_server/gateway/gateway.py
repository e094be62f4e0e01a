"""All sockets of this node: who gets what a room has to tell, and a look at each now and then."""

from collections.abc import Callable, Sequence
from itertools import count
from random import Random
from typing import TypeAlias

from saleroom_protocol.codec import CODECS, Codec
from saleroom_protocol.errors import CloseCode
from saleroom_protocol.limits import Limits
from saleroom_protocol.messages import Left, ServerMessage
from saleroom_server.allowance import Allowance, full
from saleroom_server.clock import Clock
from saleroom_server.gateway.connection import Connection, State
from saleroom_server.gateway.limits import GatewayLimits
from saleroom_server.gateway.outlet import Outlet, Packet
from saleroom_server.metrics import Metrics
from saleroom_server.owner.actor import Actor
from saleroom_server.rooms.commands import (
    Broadcast,
    Caller,
    Deliver,
    Effect,
    Enter,
    Exit,
    Gone,
    Group,
    Publish,
    Session,
    Tell,
)
from saleroom_server.rooms.views import Viewer
from saleroom_server.tokens import Tokens

Find: TypeAlias = Callable[[str], Actor | None]
Sees: TypeAlias = Callable[[str, Caller, str], bool]  # room, who, the secret to look on


class Gateway:
    """The sockets of one node, by session and by what they follow."""

    def __init__(
        self,
        clock: Clock,
        tokens: Tokens,
        limits: Limits,
        gateway_limits: GatewayLimits,
        luck: Random,
        metrics: Metrics,
    ) -> None:
        self.clock, self.tokens = clock, tokens
        self.limits, self.gateway_limits = limits, gateway_limits
        self.metrics = metrics
        metrics.sockets.set_function(self.__len__)
        self._luck = luck
        self._find: Find = lambda room: None
        self._sees: Sees = lambda room, caller, watch: False
        self._numbers = count(1)
        self._connections: dict[Session, Connection] = {}
        self._groups: dict[str, dict[Group, dict[Session, Connection]]] = {}  # by room
        self._allowances: dict[str, Allowance] = {}  # by player
        self.draining = False

    def serve(self, find: Find, sees: Sees) -> None:
        """Say where the rooms are: they and the sockets know of each other."""
        self._find, self._sees = find, sees

    def __len__(self) -> int:
        """Count the sockets."""
        return len(self._connections)

    @property
    def is_full(self) -> bool:
        """Whether no more sockets are taken."""
        return self.draining or len(self._connections) >= self.gateway_limits.sockets

    def connect(self, codec: Codec, outlet: Outlet) -> Connection:
        """Take a socket in."""
        connection = Connection(self, next(self._numbers), codec, outlet)
        self._connections[connection.session] = connection
        return connection

    def disconnect(self, connection: Connection) -> None:
        """Let go of a socket that is closed."""
        if connection.session in self._connections:
            connection.closed()
            del self._connections[connection.session]

    # What a connection asks of its node

    def actor(self, room: str) -> Actor | None:
        """See `Place`."""
        return self._find(room)

    def sees(self, room: str, caller: Caller, watch: str) -> bool:
        """See `Place`."""
        return self._sees(room, caller, watch)

    def allowance(self, caller: Caller, session: Session) -> Allowance:
        """See `Place`."""
        limits, now = self.gateway_limits, self.clock.now()
        fresh = full(limits.requests_per_second, limits.requests_at_once, now)
        if caller.player is None:
            return fresh
        return self._allowances.setdefault(caller.player, fresh)

    def unjoined(self, connection: Connection, room: str) -> None:
        """See `Place`."""
        groups = self._groups.get(room, {})
        if not any(connection.session in group for group in groups.values()):
            connection.rooms.discard(room)

    # What rooms tell

    def deliver(self, room: str, effects: Sequence[Effect]) -> None:
        """Carry out a room's effects, in order."""
        for effect in effects:
            match effect:
                case Publish(frames):
                    for group, frame in frames:
                        self._publish(room, group, frame)
                case Tell(session, message):
                    self._tell(room, session, message)
                case Deliver(session, frame):
                    self._deliver(session, frame)
                case Enter(session, group):
                    self._enter(room, session, group)
                case Exit(session):
                    self._exit(room, session)
                case Broadcast(viewer, message):
                    self._broadcast(room, viewer, message)

    def sweep(self) -> None:
        """Ping, close what is silent, forget allowances that are full again."""
        now = self.clock.now()
        for connection in list(self._connections.values()):
            connection.sweep(now)
        refilled_ms = 1000 * self.gateway_limits.requests_at_once
        refilled_ms //= self.gateway_limits.requests_per_second
        connected = {connection.caller.player for connection in self._connections.values()}
        for player, allowance in list(self._allowances.items()):
            if now - allowance.at > refilled_ms and player not in connected:
                del self._allowances[player]

    def drain(self) -> None:
        """Send everybody away, to come back spread over a while. No more are taken."""
        self.draining = True
        for connection in list(self._connections.values()):
            wait_ms = self._luck.randrange(self.gateway_limits.closing_spread_ms + 1)
            connection.close(CloseCode.RESTART, wait_ms)

    def _publish(self, room: str, group: Group, frame: bytes) -> None:
        members = self._groups.get(room, {}).get(group)
        if members:
            packet = Packet(frame, CODECS[group[1]].text)
            for connection in list(members.values()):
                connection.send(packet)

    def _tell(self, room: str, session: Session, message: ServerMessage) -> None:
        connection = self._connections.get(session)
        if connection is not None:
            connection.tell(message)
            if isinstance(message, Left):
                connection.leave(room, replaced=message.reason == "replaced")

    def _deliver(self, session: Session, frame: bytes) -> None:
        connection = self._connections.get(session)
        if connection is not None:
            connection.send(Packet(frame, connection.codec.text))

    def _enter(self, room: str, session: Session, group: Group) -> None:
        connection = self._connections.get(session)
        if connection is not None and connection.state is State.OPEN:
            self._groups.setdefault(room, {}).setdefault(group, {})[session] = connection
            connection.rooms.add(room)
            return
        actor = self._find(room)
        if actor is not None:  # the socket was closed while its join was waiting
            actor.submit(Gone(session), lambda answer: None)

    def _exit(self, room: str, session: Session) -> None:
        groups = self._groups.get(room, {})
        for group, members in list(groups.items()):
            members.pop(session, None)
            if not members:
                del groups[group]
        if not groups:
            self._groups.pop(room, None)
        connection = self._connections.get(session)
        if connection is not None:
            connection.rooms.discard(room)

    def _broadcast(self, room: str, viewer: Viewer, message: ServerMessage) -> None:
        for (one, name, _), members in list(self._groups.get(room, {}).items()):
            if one == viewer:
                codec = CODECS[name]
                packet = Packet(codec.encode(message), codec.text)
                for connection in list(members.values()):
                    connection.send(packet)
