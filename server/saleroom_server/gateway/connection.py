"""One socket: what it may ask, what it is answered. PROTOCOL.md, "Frames" and after.

Theory of operation
-------------------
A connection is fed frames and told the time; it never waits. It knows nothing of rooms but which of
them this socket follows. Requests go to the rooms' actors, with a reply that finds its way back
here, so every request gets exactly one answer, in the order the actors give them.

It is in one of three states: before `hello`, open, closed. A frame that cannot be answered, and
nothing else a client does, closes it from open. Once it is closed nothing is written any more, and
every room it followed is told that it is gone.
"""

from collections import Counter
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

from msgspec import UNSET

from saleroom_protocol.codec import Codec, Unacceptable
from saleroom_protocol.errors import CloseCode, ProtocolViolation, Reason
from saleroom_protocol.messages import (
    Accepted,
    Act,
    ClientMessage,
    ClientPing,
    ClientPong,
    Closing,
    Error,
    Hello,
    Join,
    Joined,
    Leave,
    Refused,
    Say,
    ServerMessage,
    ServerPing,
    ServerPong,
    Welcome,
)
from saleroom_server.allowance import full
from saleroom_server.gateway.follower import Follower, State
from saleroom_server.gateway.outlet import Outlet, Packet
from saleroom_server.gateway.place import Place
from saleroom_server.logs import logger
from saleroom_server.owner.actor import Actor
from saleroom_server.rooms import commands
from saleroom_server.rooms.commands import Caller, Refusal, Session

log = logger("gateway")

SERVER = f"saleroom/{version('saleroom')}"


class Connection(Follower):
    """One socket of this node.

    Attributes:
        codec: its subprotocol.
    """

    codec: Codec

    def __init__(
        self, place: Place, session: Session, codec: Codec, outlet: Outlet, address: str
    ) -> None:
        super().__init__(place, session, outlet, address)
        self.codec, self.caller, self.state = codec, Caller(), State.GREETING
        self._checks = False
        self._owed: Counter[str] = Counter()  # joins and says that rooms will answer, by id
        now = place.clock.now()
        self._opened_at = self._heard_at = self._pinged_at = now
        limits = place.gateway_limits  # with requests that come though there were too many:
        self._patience = full(limits.requests_per_second, limits.requests_refused, now)

    # Frames of the client

    def receive(self, frame: bytes, text: bool) -> None:
        """Take a frame of the client."""
        if self.state is State.CLOSED:
            return
        self._heard_at = self._place.clock.now()
        try:
            self._take(self._read(frame, text))
        except ProtocolViolation as violation:
            self.violate(violation.code, violation.message)

    def sweep(self, now: int) -> None:
        """Ping, or close a socket that is silent or too slow."""
        limits = self._place.gateway_limits
        if self.state is State.GREETING:
            if now - self._opened_at >= self._place.limits.hello_ms:
                self.close(CloseCode.IDLE)
        elif now - self._heard_at >= limits.silence_ms:
            self.close(CloseCode.IDLE)
        elif now - self._pinged_at >= limits.heartbeat_ms:
            self._pinged_at = now
            self.tell(ServerPing(now=now))

    # Frames for the client

    def tell(self, message: ServerMessage) -> None:
        """Send a message."""
        self.send(Packet(self.codec.encode(message), self.codec.text))

    def violate(self, code: CloseCode, message: str) -> None:
        """Say what was wrong with a frame, and close."""
        if self.state is not State.CLOSED:
            self.tell(Error(reason=code.name.lower(), message=message))
            self.close(code)

    def leave(self, room: str, replaced: bool) -> None:
        """See `Follower`; a socket that has lost its last room to another is closed."""
        super().leave(room, replaced)
        if replaced and not self.rooms:
            self.close(CloseCode.REPLACED)

    def _farewell(self, reason: str, retry_after_ms: int) -> bytes:
        return self.codec.encode(Closing(reason=reason, retry_after_ms=retry_after_ms))

    def awaits(self, message: ServerMessage) -> bool:
        """See `Follower`. A room on another node may do twice what was asked once."""
        if not isinstance(message, Joined | Accepted):
            return True
        if not self._owed[message.id]:
            return False
        self._paid(message.id)
        return True

    def _paid(self, request: str) -> None:
        self._owed[request] -= 1
        if self._owed[request] <= 0:
            del self._owed[request]

    # Reading

    def _read(self, frame: bytes, text: bool) -> ClientMessage | Refused:
        if text != self.codec.text:
            wanted = "text" if self.codec.text else "binary"
            message = f"{self.codec.subprotocol} wants {wanted} frames"
            raise ProtocolViolation(CloseCode.PROTOCOL_VIOLATION, message)
        return self.codec.read_request(frame, self._place.limits)

    def _take(self, message: ClientMessage | Refused) -> None:
        if (self.state is State.GREETING) != isinstance(message, Hello):
            problem = "`hello` comes first, and once"
            raise ProtocolViolation(CloseCode.PROTOCOL_VIOLATION, problem)
        if isinstance(message, Hello):
            self._greet(message)
        elif isinstance(message, Refused):
            self.tell(message)
        elif isinstance(message, ClientPong):
            pass
        else:
            self._limit(message)

    def _greet(self, hello: Hello) -> None:
        place = self._place
        if hello.token is not UNSET:
            try:
                self.caller = place.tokens.read(hello.token, self._heard_at).caller
            except Refusal:
                self.violate(CloseCode.BAD_TOKEN, "the token is wrong or too old")
                return
        self.state, self._checks = State.OPEN, hello.checks
        known = self.caller.player is not None
        self.tell(
            Welcome(
                player=self.caller.player or UNSET,
                name=self.caller.name if known else UNSET,
                protocol=1,
                server=SERVER,
                now=self._heard_at,
                features=(),
                heartbeat_ms=place.gateway_limits.heartbeat_ms,
                silence_ms=place.gateway_limits.silence_ms,
                limits=place.limits,
            )
        )

    # Requests

    def _limit(self, message: Any) -> None:
        """Count the request; refuse it if there were too many."""
        budget, wait_ms = self._counted(message)
        if not wait_ms or self._is_awaited(message):
            self._ask(message, wait_ms)
            return
        self._place.metrics.rate_limited[budget].inc()
        self._refuse(message, Refusal(Reason.RATE_LIMITED, retry_after_ms=wait_ms))
        self._lose_patience(wait_ms)

    def _counted(self, message: Any) -> tuple[str, int]:
        """Count a request; return out of which budget, and after how many ms it has something."""
        rates, player = self._place.rates, self.caller.player
        wait_ms = rates.ask(self.caller, self.address, self._heard_at)
        if wait_ms or player is None or not isinstance(message, Say):
            return "socket", wait_ms
        return "says", rates.say(player, self._heard_at)

    def _lose_patience(self, wait_ms: int) -> None:
        """Send away for a while who goes on asking in vain though there was too much already."""
        if self._patience.take(self._heard_at):
            self.close(CloseCode.RATE_LIMITED, self._place.rates.refilled_ms(self.caller))

    def _is_awaited(self, message: Any) -> bool:
        """Whether it is an act the room waits for, or repeats what was accepted.

        It is asked out of turn, and so costs patience whatever is answered: who repeats without end
        what was accepted gets a receipt each time.
        """
        actor = self._place.actor(message.room) if isinstance(message, Act | Say) else None
        if actor is None or actor.room is None:
            return False
        if isinstance(message, Say):
            return actor.room.remembers(self.caller.player, message.id)
        return actor.room.awaits(self.caller.player, message.id, message.window)

    def _ask(self, message: Any, wait_ms: int) -> None:
        """Pass a request on; with `wait_ms` it should really have waited so long."""
        if isinstance(message, ClientPing):
            self.tell(ServerPong(id=message.id, now=self._place.clock.now()))
            return
        try:
            command = self._command(message)  # what cannot be read closes, whatever room it is for
            actor = self._reached(message)
            if isinstance(message, Join):
                self.rooms.add(message.room)
                self.since[message.room] = self._heard_at
            if isinstance(message, Join | Say):
                self._owed[message.id] += 1
            actor.submit(command, self._answering(message, wait_ms))
        except Refusal as refusal:
            self._refuse(message, refusal)
        except ProtocolViolation:
            raise
        except Exception:  # a fault of ours: this request alone bears it
            log.exception("request_fault", request=type(message).__name__)
            self._refuse(message, Refusal(Reason.INTERNAL_ERROR))

    def _reached(self, message: Any) -> Actor:
        """Return the actor of a request's room, if this socket may ask anything of it.

        Who may not know of a room must not find out by what else would be wrong with the request;
        and who does not follow it takes no place in its inbox.
        """
        actor = self._place.actor(message.room)
        if actor is not None and message.room in self.rooms:
            return actor
        joins = isinstance(message, Join)
        watch = message.watch or "" if joins else ""
        if actor is None or not self._place.sees(message.room, self.caller, watch):
            raise Refusal(Reason.UNKNOWN_ROOM)
        if joins and len(self.rooms) >= self._place.gateway_limits.rooms_per_socket:
            raise Refusal(Reason.FULL, retry_after_ms=0)
        if not joins and actor.room is not None and not self._is_awaited(message):
            raise Refusal(Reason.NOT_JOINED)
        return actor

    def _command(self, message: Any) -> Any:
        """Return what a request asks of its room."""
        session, caller = self.session, self.caller
        match message:
            case Join():
                name = self.codec.subprotocol
                return commands.Join(session, caller, message, name, self._checks, self._heard_at)
            case Leave():
                return commands.Leave(session, caller)
            case Say():
                return commands.Say(session, caller, message)
            case Act():
                return commands.act_of(session, caller, message, self._action(message))

    def _action(self, act: Act) -> Any:
        """Return the action, whatever it is: only the room knows what it should be.

        Raises:
            ProtocolViolation: it has a string that is not UTF-8.
        """
        try:
            return self.codec.read_action(act.action, Any)
        except Unacceptable:  # an extension, say, that looks like a time and is none
            return None  # no action either

    def _answering(self, message: Any, wait_ms: int) -> Callable[[Any], None]:
        """Return the way back for an answer. What a room tells the socket itself is not said."""

        def reply(answer: Any) -> None:
            if isinstance(answer, Refusal):
                if isinstance(message, Join | Say):
                    self._paid(message.id)
                if isinstance(message, Join):
                    self._place.unjoined(self, message.room)
                    if message.room not in self.rooms:
                        self.since.pop(message.room, None)
                self._refuse(message, answer)
            elif isinstance(answer, Accepted):
                self.tell(answer)
            elif isinstance(message, Leave):
                self.since.pop(message.room, None)
                self.tell(Accepted(id=message.id))
            if wait_ms:
                self._lose_patience(wait_ms)

        return reply

    def _refuse(self, request: Any, refusal: Refusal) -> None:
        reason = refusal.reason
        if isinstance(request, Act):
            self._place.metrics.acts_refused[reason].inc()
        told = Refused(id=request.id, reason=reason, facts=refusal.facts, message=reason.meaning)
        self.tell(told)
