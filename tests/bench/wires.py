"""WebSockets as thin as they can be: the load must cost less than what it is put on.

Frames are masked with noughts, which is allowed and leaves the payload as it is.
"""

import select
import socket
from collections.abc import Callable, Sequence
from time import monotonic, sleep
from typing import Any, Self
from urllib.parse import urlsplit

import msgspec

SUBPROTOCOL = "saleroom.v1.msgpack"
AT_ONCE = 100  # sockets that are opened side by side
READ_BYTES = 64 * 1024
MOMENT = 0.001  # seconds between two looks
QUIET = 0.3  # seconds without a frame
PATIENCE = 30.0  # seconds until an answer must be there
SHORT, MEDIUM, LONG = 126, 2**16, 127  # RFC 6455, section 5.2

_UPGRADE = (
    "GET /v1/play HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n"
    f"Sec-WebSocket-Protocol: {SUBPROTOCOL}\r\n\r\n"
)
_encode = msgspec.msgpack.Encoder().encode


def framed(payload: bytes) -> bytes:
    """Return a client's frame of at most 65,535 bytes."""
    size = len(payload)
    head = bytes([size | 0x80]) if size < SHORT else b"\xfe" + size.to_bytes(2, "big")
    return b"\x82" + head + bytes(4) + payload


def message(kind: str, **fields: Any) -> bytes:
    """Return a client's message, framed; `as_` is written as `as`."""
    plain = {name.rstrip("_"): value for name, value in fields.items()}
    return framed(_encode({"type": kind, **plain}))


PONG = message("pong")
JOIN = "j"  # the id of every join: a socket follows one room


class Wire:
    """One socket to a server, past its handshake."""

    __slots__ = ("_unread", "socket")

    def __init__(self, opened: socket.socket, unread: bytes = b"") -> None:
        self.socket, self._unread = opened, unread

    def payloads(self) -> list[bytes]:
        """Read what there is, and return the payloads of all frames that are whole.

        Raises:
            ConnectionError: the other side has hung up.
        """
        got = self.socket.recv(READ_BYTES)
        if not got:
            raise ConnectionResetError("the socket was closed")
        unread = self._unread + got
        found, place = [], 0
        while (span := _span(unread, place)) is not None:
            begin, place = span
            found.append(unread[begin:place])
        self._unread = unread[place:]
        return found

    def until(self, kind: str) -> bytes:
        """Wait for a message of a type, and return it; those before it are passed over."""
        self.socket.settimeout(PATIENCE)
        mark = _encode({"type": kind})[1:]
        while True:
            for payload in self.payloads():
                if mark in payload[: len(mark) + 1]:
                    return payload


def _span(data: bytes, place: int) -> tuple[int, int] | None:
    """Return where the payload of the frame at a place begins and ends; None if it is cut off."""
    if len(data) < place + 2:
        return None
    size, begin = data[place + 1], place + 2
    if size >= SHORT:
        begin += 8 if size == LONG else 2
        size = int.from_bytes(data[place + 2 : begin], "big")
    return None if len(data) < begin + size else (begin, begin + size)


def opened(url: str, wires: int) -> list[Wire]:
    """Open WebSockets, some at a time."""
    made: list[Wire] = []
    while len(made) < wires:
        made += _open(url, min(AT_ONCE, wires - len(made)))
    return made


def connected(url: str, count: int) -> list[socket.socket]:
    """Open bare connections."""
    where = urlsplit(url)
    made = [socket.create_connection((where.hostname, where.port), PATIENCE) for _ in range(count)]
    for each in made:
        each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return made


def _open(url: str, count: int) -> list[Wire]:
    made = connected(url, count)
    for each in made:
        each.sendall(upgrade(url))
    return [_upgraded(each) for each in made]


def upgrade(url: str) -> bytes:
    """Return the request that makes a connection a WebSocket."""
    return _UPGRADE.format(host=urlsplit(url).netloc).encode()


def upgraded(opened: socket.socket, answer: bytes) -> Wire | None:
    """Return the WebSocket, given what has been answered so far; None if that is not all.

    Raises:
        ConnectionError: it was refused.
    """
    head, whole, rest = answer.partition(b"\r\n\r\n")
    if not whole:
        return None
    if not head.startswith(b"HTTP/1.1 101"):
        raise ConnectionRefusedError(head)
    return Wire(opened, rest)


def _upgraded(opened: socket.socket) -> Wire:
    answer = b""
    while (wire := upgraded(opened, answer)) is None:
        part = opened.recv(READ_BYTES)
        assert part, f"the socket was closed: {answer!r}"
        answer += part
    return wire


def greeting(room: str, token: str | None) -> bytes:
    """Return what follows a room, framed: as whose token it is; without one, as a spectator."""
    known = {} if token is None else {"token": token}
    return message("hello", client="bench/1", **known) + joining(room, token)


def joining(room: str, token: str | None) -> bytes:
    """Return what follows a room where `hello` has been said."""
    as_ = "spectator" if token is None else "player"
    return message("join", id=JOIN, room=room, as_=as_)


def joined(url: str, room: str, tokens: Sequence[str | None]) -> list[Wire]:
    """Open sockets that follow a room: one for each token, a spectator where there is none."""
    wires = opened(url, len(tokens))
    for wire, token in zip(wires, tokens, strict=True):
        wire.socket.sendall(greeting(room, token))
    return wires


class Waiter:
    """Sockets that are looked at together, again and again, each with what is to be done with it.

    Nobody sleeps until a frame comes: the server would have to wake him, which costs it more than
    to write the frame, and which it need not do for clients that are elsewhere.
    """

    def __init__(self, *, prompt: bool = False) -> None:
        """Look at nothing yet.

        Args:
            prompt: sleep until a frame comes all the same: few are timed, to less than `MOMENT`.
        """
        self._prompt = prompt
        self._poll = select.epoll()
        self._takes: dict[int, Callable[[], None]] = {}

    def add(self, waited: socket.socket, take: Callable[[], None]) -> None:
        """Call `take` whenever there is something to read."""
        self._takes[waited.fileno()] = take
        self._poll.register(waited.fileno(), select.EPOLLIN)

    def remove(self, waited: socket.socket) -> None:
        """Look at it no more."""
        self._poll.unregister(waited.fileno())
        del self._takes[waited.fileno()]

    def look(self) -> int:
        """Take from all that have something, after a moment; return how many had."""
        if not self._prompt:
            sleep(MOMENT)
        ready = self._poll.poll(MOMENT * self._prompt, len(self._takes) + 1)
        for number, _ in ready:
            self._takes[number]()
        return len(ready)

    def settle(self) -> None:
        """Take until nothing more has come for a while."""
        quiet_since = monotonic()
        while monotonic() - quiet_since < QUIET:
            if self.look():
                quiet_since = monotonic()

    def close(self) -> None:
        """Look at none of them any more."""
        self._poll.close()


class Drain:
    """Sockets of which nothing but the number of bytes is of interest.

    Attributes:
        closed: how many were closed by the other side.
    """

    def __init__(self) -> None:
        self.closed = 0
        self._waiter, self._sockets, self._bytes = Waiter(), list[socket.socket](), 0
        self._room = bytearray(READ_BYTES)

    def add(self, drained: socket.socket) -> None:
        """Read from one more socket."""

        def take() -> None:
            got = drained.recv_into(self._room)
            self._bytes += got
            if not got:
                self.closed += 1
                self._waiter.remove(drained)

        self._sockets.append(drained)
        self._waiter.add(drained, take)

    def take(self, wanted: int) -> None:
        """Read until so many bytes have come, and wait for no more of them."""
        until = monotonic() + PATIENCE
        while self._bytes < wanted:
            self._waiter.look()
            assert monotonic() < until, f"{self._bytes} bytes of {wanted} have come"
        self._bytes -= wanted

    def look(self) -> None:
        """Read what there is."""
        self._waiter.look()

    def taken(self) -> int:
        """Read until nothing more comes; return how many bytes have since the last time."""
        self._waiter.settle()
        taken, self._bytes = self._bytes, 0
        return taken

    def settle(self) -> None:
        """Read what there is until nothing more comes, and forget how much it was."""
        self._waiter.settle()
        self._bytes = 0

    def close(self) -> None:
        """Hang up."""
        self._waiter.close()
        for drained in self._sockets:
            drained.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
