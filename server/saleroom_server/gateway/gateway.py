"""All sockets of this node: who gets what a room has to tell, and a look at each now and then."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from random import Random
from typing import TypeAlias

from saleroom_protocol.codec import CODECS, Codec
from saleroom_protocol.errors import CloseCode, Reason
from saleroom_protocol.limits import Limits
from saleroom_protocol.messages import Left, ServerMessage
from saleroom_protocol.sse import ENCODERS
from saleroom_server.clock import Clock
from saleroom_server.gateway.connection import Connection
from saleroom_server.gateway.crowds import Crowds, Member
from saleroom_server.gateway.follower import Follower, State
from saleroom_server.gateway.limits import GatewayLimits
from saleroom_server.gateway.outlet import Outlet, Packet
from saleroom_server.gateway.rates import Rates
from saleroom_server.gateway.reader import Reader
from saleroom_server.metrics import Metrics
from saleroom_server.owner.actor import Actor
from saleroom_server.owner.elsewhere import Sees
from saleroom_server.owner.inbox import unheard
from saleroom_server.rooms import commands
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
    Refresh,
    Refusal,
    Session,
    Tell,
)
from saleroom_server.rooms.views import Viewer
from saleroom_server.tokens import Tokens
from saleroom_server.turns import Turns

FAREWELL_LOOK_MS = 20  # between two looks whether all have answered the close

Find: TypeAlias = Callable[[str], Actor | None]


class Gateway:
    """The sockets of one node, and its readers of events, by session and by what they follow."""

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
        self._connections: dict[Session, Follower] = {}
        self._addresses: Counter[str] = Counter()  # how many sockets each has
        self._crowds = Crowds(clock, gateway_limits, metrics)
        self.rates = Rates(gateway_limits)
        self.turns = Turns(gateway_limits.frames_per_turn)
        self.draining = False

    def serve(self, find: Find, sees: Sees) -> None:
        """Say where the rooms are: they and the sockets know of each other."""
        self._find, self._sees = find, sees

    def __len__(self) -> int:
        """Count the sockets."""
        return len(self._connections)

    def admit(self, address: str) -> None:
        """Count a socket that an address is about to open.

        Raises:
            Refusal: `full`, `rate_limited`.
        """
        limits = self.gateway_limits
        if self.draining or len(self._connections) >= limits.sockets:
            raise Refusal(Reason.FULL, retry_after_ms=limits.closing_spread_ms)
        wait_ms = self.rates.open(address, self.clock.now())
        if self._addresses[address] >= limits.sockets_per_address:
            wait_ms = max(wait_ms, limits.closing_spread_ms)
        if wait_ms:
            self.metrics.rate_limited["sockets"].inc()
            raise Refusal(Reason.RATE_LIMITED, retry_after_ms=wait_ms)

    def connect(self, codec: Codec, outlet: Outlet, address: str) -> Connection:
        """Take a socket in."""
        connection = Connection(self, next(self._numbers), codec, outlet, address)
        self._take_in(connection)
        return connection

    def connect_reader(self, room: str, caller: Caller, outlet: Outlet, address: str) -> Reader:
        """Take a reader of a room's events in, which counts as a socket."""
        reader = Reader(self, next(self._numbers), room, caller, outlet, address)
        self._take_in(reader)
        return reader

    def _take_in(self, connection: Follower) -> None:
        self._connections[connection.session] = connection
        self._addresses[connection.address] += 1

    def disconnect(self, connection: Follower) -> None:
        """Let go of a socket that is closed."""
        if self._connections.pop(connection.session, None) is None:
            return
        connection.closed()
        self._addresses[connection.address] -= 1
        if not self._addresses[connection.address]:
            del self._addresses[connection.address]

    # What a connection asks of its node

    def actor(self, room: str) -> Actor | None:
        """See `Place`."""
        return self._find(room)

    def sees(self, room: str, caller: Caller, watch: str) -> bool:
        """See `Place`."""
        return self._sees(room, caller, watch)

    def unjoined(self, connection: Connection, room: str) -> None:
        """See `Place`."""
        if self._crowds.group(room, connection.session) is None:
            connection.rooms.discard(room)

    # What rooms tell

    def deliver(self, room: str, effects: Sequence[Effect]) -> None:
        """Carry out a room's effects, in order."""
        for effect in effects:
            match effect:
                case Publish(frames):
                    for group, frame in frames:
                        self._crowds.send(room, group, _packet(group, frame))
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

    def followed(self) -> list[str]:
        """List the rooms that some socket follows."""
        return self._crowds.rooms()

    def members(self, room: str) -> tuple[commands.Member, ...]:
        """List the sockets that follow a room."""
        return tuple(
            commands.Member(
                member.session,
                group,
                member.follower.caller.player,
                member.follower.since.get(room, 0),
            )
            for group, member in self._crowds.members(room)
            if member.follower.state is State.OPEN
        )

    def group(self, room: str, session: Session) -> Group | None:
        """Return as part of which group a socket follows a room; None if it does not."""
        return self._crowds.group(room, session)

    def watched(self, room: str) -> list[Group]:
        """List the groups of spectators of a room that have a socket."""
        return [group for group in self._crowds.groups(room) if group[0] is None]

    def spectators(self, room: str) -> int:
        """Count the sockets that look on at a room."""
        return self._crowds.spectators(room)

    def renew(self, room: str, group: Group, frame: bytes) -> None:
        """Let a group of spectators go on from a view, suspended or not."""
        self._crowds.renew(room, group, _packet(group, frame))

    def suspend(self, room: str) -> bool:
        """Send who follows a room nothing until they enter anew; return whether there are any."""
        followed = self._crowds.members(room)
        for _, member in followed:
            member.suspended = True
        return bool(followed)

    def sweep_in_parts(self) -> Iterator[None]:
        """Look after all sockets, part by part: in between others are to have their turn."""
        now = self.clock.now()
        self.rates.sweep(now)
        yield from self._catch_up(now)
        unread: dict[Follower, int] = {}
        for number, connection in enumerate([*self._connections.values()], 1):
            connection.sweep(now)
            if backlog := connection.backlog():
                unread[connection] = backlog
            if not number % self.gateway_limits.sockets_per_turn:
                yield
        self._relieve(unread)

    def drain(self) -> None:
        """Send everybody away, to come back spread over a while. No more are taken."""
        self.draining = True
        for connection in list(self._connections.values()):
            wait_ms = self._luck.randrange(self.gateway_limits.closing_spread_ms + 1)
            connection.close(CloseCode.RESTART, wait_ms)

    async def farewell(self) -> None:
        """Send everybody away, and give them time to answer the close."""
        self.drain()
        until = self.clock.now() + self.gateway_limits.farewell_ms
        while self._connections and self.clock.now() < until:
            await self.clock.sleep(FAREWELL_LOOK_MS)

    def _catch_up(self, now: int) -> Iterator[None]:
        """Show spectators who fell behind, and have read everything since, how things stand."""
        for number, member in enumerate(self._crowds.behind(), 1):
            if now - (member.behind_since or now) >= self.gateway_limits.behind_ms:
                member.follower.close(CloseCode.TOO_SLOW)
            elif not member.follower.backlog():
                self._show(member)
            if not number % self.gateway_limits.sockets_per_turn:
                yield

    def _show(self, member: Member) -> None:
        """Have a room that is at hand show a spectator its present view."""
        actor = self._find(member.room)
        if actor is not None and actor.is_at_hand:
            actor.submit(Refresh(member.session), unheard)

    def _relieve(self, unread: dict[Follower, int]) -> None:
        """Close those who leave most unread, until all that lies unread is within bounds."""
        over = sum(unread.values()) - self.gateway_limits.backlogs_bytes
        for connection in sorted(unread, key=unread.__getitem__, reverse=True):
            if over <= 0:
                break
            connection.close(CloseCode.TOO_SLOW)
            over -= unread[connection]

    def _tell(self, room: str, session: Session, message: ServerMessage) -> None:
        connection = self._connections.get(session)
        if connection is not None and connection.awaits(message):
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
            self._crowds.enter(room, group, session, connection)
            connection.rooms.add(room)
            return
        actor = self._find(room)
        if actor is not None:  # the socket was closed while its join was waiting
            actor.submit(Gone(session), unheard)

    def _exit(self, room: str, session: Session) -> None:
        self._crowds.exit(room, session)
        connection = self._connections.get(session)
        if connection is not None:
            connection.rooms.discard(room)

    def _broadcast(self, room: str, viewer: Viewer, message: ServerMessage) -> None:
        packets: dict[str, Packet] = {}
        for group in self._crowds.groups(room):
            one, name, _ = group
            if one == viewer and name in CODECS:  # readers of events hear nobody talk
                if name not in packets:
                    packets[name] = Packet(CODECS[name].encode(message), CODECS[name].text)
                self._crowds.send(room, group, packets[name])


def _packet(group: Group, frame: bytes) -> Packet:
    return Packet(frame, ENCODERS[group[1]].text)
