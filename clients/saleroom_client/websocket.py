"""Opening, reading, writing and losing a WebSocket; all that is known of `websockets` is here."""

from collections.abc import Awaitable, Callable
from typing import Protocol, TypeAlias
from urllib.parse import urlsplit, urlunsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import (
    ConnectionClosed,
    InvalidHandshake,
    InvalidMessage,
    InvalidStatus,
    NegotiationError,
)
from websockets.typing import Subprotocol

from saleroom_client.errors import ConnectionLost, VersionMismatch
from saleroom_protocol.codec import MSGPACK
from saleroom_protocol.errors import CloseCode

PATH = "/v1/play"
SCHEMES = {"http": "ws", "https": "wss", "ws": "ws", "wss": "wss"}
SUBPROTOCOL = Subprotocol(MSGPACK.subprotocol)
GREATEST_FRAME = 4 * 1024 * 1024  # bytes; generous: a server may raise `server_message_bytes`
OPENING = 10.0  # seconds a handshake may take
HEARTBEAT = 20.0  # seconds; a dead line is noticed after two of them
FAREWELL = 2.0  # seconds to wait for the other side's half of a close

CODES = {int(code): code for code in CloseCode}
# Codes of RFC 6455 that are not in the protocol's table and tell of a passing trouble: closed
# without a code, a fault of the server or of a proxy before it, try again later.
PASSING = frozenset({1005, 1011, 1013, 1014})


class Broken(Exception):
    """A socket is gone, or was never there.

    Attributes:
        code: the close code; 1006 if there was none.
        reason: what the other side said about it.
        retry: whether coming back may help.
        wait: seconds to wait before, if the other side told.
    """

    def __init__(
        self, code: int, reason: str = "", *, retry: bool = True, wait: float | None = None
    ) -> None:
        super().__init__(f"{code} {reason}".rstrip())
        self.code = code
        self.reason = reason
        self.retry = retry
        self.wait = wait

    def final(self) -> ConnectionLost | VersionMismatch:
        """Return what to raise when nobody comes back."""
        if self.code == CloseCode.UNSUPPORTED_VERSION:
            return VersionMismatch("the server no longer serves this version of the protocol")
        known = CODES.get(self.code)
        name = known.name.lower() if known else f"close_{self.code}"
        return ConnectionLost(str(self), reason=name, code=self.code)


class Socket(Protocol):
    """A WebSocket that speaks `saleroom.v1.msgpack`. All but `close` raise `Broken`."""

    async def send(self, frame: bytes) -> None:
        """Write one frame."""

    async def recv(self) -> bytes:
        """Return the next frame."""

    async def close(self) -> None:
        """Close it as one who is done (1000)."""


Dial: TypeAlias = Callable[[str], Awaitable[Socket]]


def comes_back(code: int) -> bool:
    """Tell whether a client closed with this code should connect again and resume.

    PROTOCOL.md, "Close codes"; codes it does not know by their range.
    """
    if code in CODES:
        return CODES[code].retry
    return 4100 <= code <= 4199 or code in PASSING


def socket_url(url: str) -> str:
    """Return the WebSocket's address on a server.

    Args:
        url: the server's root, as `https://example.org`, or already the WebSocket's address.

    Raises:
        ValueError: it is no address of a server.
    """
    parts = urlsplit(url)
    if parts.scheme not in SCHEMES or not parts.hostname:
        raise ValueError(f"not the address of a server: {url!r}")
    path = parts.path.rstrip("/")
    path = path if path.endswith(PATH) else path + PATH
    return urlunsplit((SCHEMES[parts.scheme], parts.netloc, path, "", ""))


async def dial(url: str) -> Socket:
    """Open a WebSocket.

    Raises:
        Broken: it cannot be opened.
        VersionMismatch: the server does not offer the subprotocol.
    """
    try:
        socket = await connect(
            url,
            subprotocols=[SUBPROTOCOL],
            max_size=GREATEST_FRAME,
            open_timeout=OPENING,
            ping_interval=HEARTBEAT,
            ping_timeout=HEARTBEAT,
            close_timeout=FAREWELL,
        )
    except NegotiationError as error:
        raise VersionMismatch(str(error)) from error
    except InvalidStatus as error:
        raise _turned_away(error) from error
    except InvalidMessage as error:
        raise Broken(CloseCode.CONNECTION_LOST, str(error)) from error
    except InvalidHandshake as error:
        raise Broken(CloseCode.CONNECTION_LOST, str(error), retry=False) from error
    except OSError as error:
        raise Broken(CloseCode.CONNECTION_LOST, str(error)) from error
    if socket.subprotocol != SUBPROTOCOL:
        await socket.close()
        raise VersionMismatch(f"the server does not offer {SUBPROTOCOL}")
    return _WebSocket(socket)


def _turned_away(error: InvalidStatus) -> Broken | VersionMismatch:
    status, headers = error.response.status_code, error.response.headers
    if status == 400:  # PROTOCOL.md, "Frames": no subprotocol in common
        return VersionMismatch("the server does not offer this subprotocol (HTTP 400)")
    retry = status == 429 or status >= 500
    wait = headers.get("Retry-After", "")
    return Broken(
        CloseCode.CONNECTION_LOST,
        f"HTTP {status}",
        retry=retry,
        wait=float(wait) if wait.isdecimal() else None,
    )


class _WebSocket:
    """A `Socket` over the network."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket

    async def send(self, frame: bytes) -> None:
        try:
            await self._socket.send(frame)
        except ConnectionClosed as error:
            raise _broken(error) from error

    async def recv(self) -> bytes:
        try:
            return await self._socket.recv(decode=False)
        except ConnectionClosed as error:
            raise _broken(error) from error

    async def close(self) -> None:
        await self._socket.close()


def _broken(error: ConnectionClosed) -> Broken:
    close = error.rcvd or error.sent  # sent alone: the library found the line dead or the frame bad
    code, reason = (close.code, close.reason) if close else (CloseCode.CONNECTION_LOST.value, "")
    return Broken(code, reason, retry=comes_back(code))
