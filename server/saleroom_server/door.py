"""The outermost door: who may connect, and how long a connection may keep the server waiting.

Whatever has been let in is counted by its transport until that is lost, as a WebSocket too; so the
count cannot drift. Nothing here has a timer of its own: what a connection owes is looked at now and
then, those that have owed it longest first.

The protocol rests on an internal module of uvicorn, as `gateway/fanout.py` does, and
`tests/test_door.py` fails loudly when anything used here moves.
"""

import asyncio
from collections import Counter
from ipaddress import ip_address, ip_network
from itertools import takewhile
from typing import Any

from msgspec import Struct
from prometheus_client import Counter as Metric
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from saleroom_server.addresses import payer, payer_of
from saleroom_server.clock import Clock
from saleroom_server.gateway.fanout import FanoutProtocol
from saleroom_server.logs import logger
from saleroom_server.metrics import Family
from saleroom_server.turns import Turns

log = logger("door")

SLICE_BYTES = 1024  # read at once: what is wrong with a request is seen before the next slice


class DoorLimits(Struct, frozen=True, kw_only=True):
    """How many may connect, and what a connection may cost of which nothing is known yet."""

    connections_per_address: int = 2_500  # at once, sockets too
    connections_beside: int = 1_000  # at once, besides the sockets there may be
    request_ms: int = 10_000  # until a request has come whole
    unread_ms: int = 20_000  # that a response may lie unread
    head_bytes: int = 32 * 1024  # of a request, and of whatever else is not its body
    headers: int = 100  # of a request, trailers too
    requests_per_turn: int = 8  # that begin, sockets too; then others have their turn
    pipelined: int = 16  # requests that wait for the response to one before
    backlog: int = 2_048  # connections that wait before the door; the system may allow fewer


class Door:
    """All connections of a server.

    Attributes:
        limits: what a connection may cost.
        turns: in which sockets are handed over.
    """

    def __init__(
        self,
        clock: Clock,
        limits: DoorLimits,
        connections: int,
        proxies: str,
        turned_away: Family[Metric],
    ) -> None:
        """Nobody is connected yet.

        Args:
            clock: tells the time.
            limits: what a connection may cost.
            connections: how many there may be at once.
            proxies: addresses and networks, by commas, that may have any number; `*`: all.
            turned_away: counts those hung up on, by reason.
        """
        self.limits, self.turns = limits, Turns(limits.requests_per_turn)
        self._clock, self._connections = clock, connections
        self._proxies = _Proxies(proxies)
        self._held: dict[asyncio.Transport, str] = {}  # and to whose address it is charged
        self._by_address: Counter[str] = Counter()
        self._asking = _Owing(limits.request_ms)  # a whole request
        self._unread = _Owing(limits.unread_ms)
        self._leaving = _Owing(limits.unread_ms)  # closed, but for what lies unread
        self._turned_away: Counter[str] = Counter()  # since the log was told
        self._counted = turned_away

    def __len__(self) -> int:
        """Count the connections."""
        return len(self._held)

    def admit(self, transport: asyncio.Transport, host: str) -> None:
        """Let a connection in, unless there are too many: then hang up."""
        address = "" if host in self._proxies else payer(host)
        if len(self._held) >= self._connections:
            self.hang_up(transport, "too_many")
        elif address and self._by_address[address] >= self.limits.connections_per_address:
            self.hang_up(transport, "too_many_of_address")
        else:
            self._held[transport] = address
            self._by_address[address] += 1
            self.awaits_request(transport)

    def release(self, transport: asyncio.Transport) -> None:
        """Forget a connection that is lost, if it had been let in."""
        address = self._held.pop(transport, None)
        if address is not None:
            self._by_address[address] -= 1
            if not self._by_address[address]:
                del self._by_address[address]
        for owing in (self._asking, self._unread, self._leaving):
            owing.end(transport)

    def awaits_request(self, transport: asyncio.Transport) -> None:
        """Take note that a request has begun, or should."""
        self._asking.begin(transport, self._clock.now())

    def has_request(self, transport: asyncio.Transport) -> None:
        """Take note that a request has come whole."""
        self._asking.end(transport)

    def awaits_reader(self, transport: asyncio.Transport) -> None:
        """Take note that a client does not take what it is sent."""
        self._unread.begin(transport, self._clock.now())

    def has_read(self, transport: asyncio.Transport) -> None:
        """Take note that it has taken most of it."""
        self._unread.end(transport)

    async def sweep(self) -> None:
        """Hang up on whoever keeps the server waiting for too long."""
        now = self._clock.now()
        for transport in self._held:
            if transport.is_closing():
                self._leaving.begin(transport, now)
        self._give_up(self._asking, now, "request_late")
        self._give_up(self._unread, now, "response_unread")
        self._give_up(self._leaving, now, "close_unread")
        if self._turned_away:
            reasons = " ".join(f"{why}={times}" for why, times in self._turned_away.items())
            log.warning("connections_turned_away", reasons=reasons)
            self._turned_away.clear()

    def hang_up(self, transport: asyncio.Transport, why: str) -> None:
        """End a connection at once, and count it for the log."""
        transport.abort()
        self._turned_away[why] += 1
        self._counted[why].inc()

    def _give_up(self, owing: "_Owing", now: int, why: str) -> None:
        for transport in owing.too_long(now):
            self.hang_up(transport, why)


class _Owing:
    """Connections that owe something, the longest first, and for how long they may."""

    def __init__(self, ms: int) -> None:
        self._ms = ms
        self._since: dict[asyncio.Transport, int] = {}

    def begin(self, transport: asyncio.Transport, now: int) -> None:
        self._since.setdefault(transport, now)

    def end(self, transport: asyncio.Transport) -> None:
        self._since.pop(transport, None)

    def too_long(self, now: int) -> list[asyncio.Transport]:
        late = takewhile(lambda owed: now - owed[1] >= self._ms, self._since.items())
        return [transport for transport, _ in late]


class _Proxies:
    """Networks behind whose addresses there are many clients."""

    def __init__(self, listed: str) -> None:
        named = [proxy.strip() for proxy in listed.split(",") if proxy.strip()]
        self._all = "*" in named
        self._networks = [ip_network(proxy) for proxy in named if proxy != "*"]

    def __contains__(self, host: str) -> bool:
        if self._all or not self._networks:
            return self._all
        try:
            address = ip_address(host)
        except ValueError:  # a socket file
            return False
        address = getattr(address, "ipv4_mapped", None) or address
        return any(address in network for network in self._networks)


class GuardedProtocol(HttpToolsProtocol):
    """uvicorn's protocol of HTTP, for clients nobody knows."""

    def __init__(self, door: Door, **of_uvicorn: Any) -> None:
        super().__init__(**of_uvicorn)
        self._door = door
        self._bare_bytes = 0  # of this request, that are none of its body
        self._upgrading = False  # to a WebSocket, or it has been
        self._answering: Any = None  # the request that is, or was last; others may have come since

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Let the client in, or hang up at once."""
        super().connection_made(transport)
        self._door.admit(transport, self.client[0] if self.client else "")

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the client; uvicorn tells the request that came last, which may not be the one."""
        self._door.release(self.transport)
        if self._answering is not None and not self._answering.response_complete:
            self._answering.disconnected = True
            self._answering.message_event.set()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read what has come, until something is wrong with it."""
        for begin in range(0, len(data), SLICE_BYTES):
            if self.transport.is_closing() or self._upgrading:
                return
            self._read(data[begin : begin + SLICE_BYTES])

    def _read(self, part: bytes) -> None:
        self._door.awaits_request(self.transport)
        super().data_received(part)
        self._bare_bytes += len(part)
        if self._bare_bytes > self._door.limits.head_bytes:
            self.send_400_response("The head of the request is too large.")
        elif len(self.pipeline) > self._door.limits.pipelined:
            self._door.hang_up(self.transport, "pipelined")

    def _start_asgi_task(self, cycle: Any, app: Any) -> None:
        self._answering = cycle
        super()._start_asgi_task(cycle, app)

    def on_message_begin(self) -> None:
        """A request begins, perhaps right behind another."""
        self._bare_bytes = 0
        self._door.awaits_request(self.transport)
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header, if there are not too many; uvicorn answers an exception with 400."""
        super().on_header(name, value)
        if len(self.headers) > self._door.limits.headers:
            raise ValueError("too many headers")

    def on_body(self, body: bytes) -> None:
        """Take a part of the body."""
        self._bare_bytes -= len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """The client owes nothing more until the next request."""
        self._door.has_request(self.transport)
        super().on_message_complete()

    def handle_websocket_upgrade(self) -> None:
        """Have the connection handed over when it is its turn: that takes as long as a request."""
        self._upgrading = True
        self.transport.pause_reading()
        self._door.turns.begin(payer_of(self.client), self._hand_over)

    def _hand_over(self) -> None:
        """Its gateway and its own protocol look after the connection from now on."""
        if self.transport.is_closing():
            return
        super().handle_websocket_upgrade()
        upgraded = self.transport.get_protocol()
        assert isinstance(upgraded, FanoutProtocol), "sockets are counted until they are lost"
        upgraded.on_lost = self._door.release
        self._door.has_request(self.transport)
        self._door.has_read(self.transport)
        self.transport.resume_reading()

    def pause_writing(self) -> None:
        """The client does not take what it is sent."""
        self._door.awaits_reader(self.transport)
        super().pause_writing()

    def resume_writing(self) -> None:
        """It has."""
        self._door.has_read(self.transport)
        super().resume_writing()
