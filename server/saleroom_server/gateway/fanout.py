"""uvicorn's sans-I/O WebSocket protocol, with a door past ASGI for frames in both directions.

On the way in that saves a queue, a task to wake and a pause of the transport for every message; on
the way out a frame for a thousand sockets is put together once.

This rests on an internal module of uvicorn, so its minor version is pinned, and
`tests/gateway/test_fanout.py` fails loudly when anything used here moves.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, TypeAlias, cast

from starlette.websockets import WebSocket
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame
from websockets.http11 import Request
from websockets.protocol import OPEN

from saleroom_protocol.errors import CloseCode
from saleroom_server.allowance import Allowance, full
from saleroom_server.gateway.limits import GatewayLimits
from saleroom_server.logs import logger

log = logger("gateway")

SLICE_BYTES = 1024  # parsed in one go: more would hold up everybody else
BAD_TEXT = 1007  # RFC 6455, section 7.4.1

Take: TypeAlias = Callable[[bytes, bool], None]  # a message's payload, and whether it is text
Begin: TypeAlias = Callable[[Callable[[], None]], None]  # does something when it is its turn


def _nothing(transport: asyncio.Transport) -> None:
    """Nobody counts."""


class FanoutProtocol(WebSocketsSansIOProtocol):
    """Puts itself into the scope, so that the application can listen and write past ASGI.

    All frames of a socket must go the same way: who writes here sends nothing through ASGI, and who
    listens gets nothing but the end of the socket from there.
    """

    EXTENSION: ClassVar[str] = "saleroom.fanout"

    limits = GatewayLimits()  # the application sets its own
    on_lost: Callable[[asyncio.Transport], None] = staticmethod(_nothing)

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self._rest = bytearray()  # what is to be parsed when the application has read on
        self._parsing = False
        self._take: Take | None = None
        self._begin: Begin | None = None
        self._untaken = 0  # messages whose turn has not come
        self._idle_frames: Allowance | None = None  # pings and the like; most clients send none

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell whoever counts the connections."""
        self.on_lost(self.transport)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what has come; it is parsed up to the next message, the rest when that is read."""
        self._rest += data
        self._parse()

    def listen(self, take: Take, begin: Begin) -> None:
        """Pass all messages to `take`, each when `begin` says that it is its turn.

        To be called before anything is received: what comes before stays unread.
        """
        self._take, self._begin = take, begin
        self._parse()

    async def receive(self) -> Any:
        """Return the next event."""
        self._parse()
        return await super().receive()

    async def send(self, message: Any) -> None:
        """Send through ASGI."""
        await super().send(message)
        if message["type"] == "websocket.http.response.body":
            self.handshake_complete = True  # uvicorn would call it a fault that it was refused
        elif message["type"] == "websocket.accept":
            self._forget_request()

    def handle_connect(self, event: Request) -> None:
        """Offer the door to the application."""
        super().handle_connect(event)
        scope: Any = getattr(self, "scope", None)  # absent if the handshake was refused
        # With an extension such as compression a frame depends on those before it.
        if scope is not None and not self.config.ws_per_message_deflate:
            scope["extensions"][self.EXTENSION] = self

    def handle_ping(self) -> None:
        """Answer a ping of the WebSocket itself; but not one who does not read the answers."""
        if self.backlog() > self.limits.backlog_bytes:
            self.transport.abort()
        elif self._is_borne():
            super().handle_ping()

    def handle_pong(self, event: Frame) -> None:
        """Take a pong, asked for or not."""
        if self._is_borne():
            super().handle_pong(event)

    def handle_cont(self, event: Frame) -> None:
        """Take a further fragment of a message, if there are not too many."""
        if len(self.frames) < self.limits.fragments:
            super().handle_cont(event)
        elif self.close_sent:
            self.transport.abort()
        else:
            self.frames = []
            self.close(CloseCode.MESSAGE_TOO_BIG, CloseCode.MESSAGE_TOO_BIG.name.lower())

    def send_receive_event_to_app(self) -> None:
        """Pass a message on; behind a close there may be few more."""
        if self.close_sent and not self._is_borne():
            return
        if self._begin is None or self.close_sent:
            super().send_receive_event_to_app()
        else:
            self._pass_on(self._begin)

    def write(self, wire: bytes) -> int:
        """Write a frame as it is, unless the socket is closed or about to be.

        Returns:
            As `backlog`.
        """
        transport = self.transport
        if transport.is_closing():
            return 0
        if not self.close_sent and not self.disconnected:
            transport.write(wire)
        return transport.get_write_buffer_size()

    def close(self, code: int, reason: str) -> None:
        """Send a close frame after everything written; give up if it is not answered."""
        if self.close_sent or self.disconnected or self.transport.is_closing():
            return
        if self.conn.state is not OPEN:  # its own close frame has been read, and comes next
            return
        self.queue.put_nowait({"type": "websocket.disconnect", "code": code, "reason": reason})
        self.conn.send_close(code, reason)
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_sent = True
        if self.read_paused:
            self.read_paused = False
            self.transport.resume_reading()
        self.close_timer = self.loop.call_later(self.close_timeout, self.transport.abort)
        self._parse()

    def backlog(self) -> int:
        """Return how many bytes the transport has not handed to the system yet."""
        return 0 if self.transport.is_closing() else self.transport.get_write_buffer_size()

    def _pass_on(self, begin: Begin) -> None:
        """Pass a message to who listens; read no more until it is taken."""
        payload, self.frames = b"".join(self.frames), []
        text = self.curr_msg_data_type == "text"
        if text and not _is_utf8(payload):
            self.conn.send_close(BAD_TEXT)
            self.handle_parser_exception()
            return
        self._untaken += 1
        begin(partial(self._hand_over, payload, text))
        if self._untaken and not self.read_paused:
            self.read_paused = True
            self.transport.pause_reading()

    def _hand_over(self, payload: bytes, text: bool) -> None:
        assert self._take is not None, "somebody listens"
        self._untaken -= 1
        try:
            self._take(payload, text)
        except Exception:  # a fault of ours: this socket alone bears it
            log.exception("message_fault")
            self.transport.abort()
        if self.read_paused and not self._untaken:
            self.read_paused = False
            self.transport.resume_reading()
        self._parse()

    def _parse(self) -> None:
        if self._parsing:  # a message that is taken may lead here
            return
        self._parsing = True
        while self._rest and self._is_reading():
            part = bytes(self._rest[:SLICE_BYTES])
            del self._rest[:SLICE_BYTES]
            super().data_received(part)
            if not self.handshake_initiated and self.conn.handshake_exc is not None:
                self._refuse()
        self._parsing = False

    def _is_reading(self) -> bool:
        """Whether what comes next is of use; before the upgrade is accepted nothing is."""
        is_upgrading = self.handshake_initiated and not self.handshake_complete
        return not (is_upgrading or self.read_paused or self.transport.is_closing())

    def _forget_request(self) -> None:
        """Let go of what came with the upgrade: a socket lives long, and has no use for it."""
        cast(list[Any], self.scope["headers"]).clear()  # the application may have kept the list
        self.scope["query_string"] = b""
        del self.request

    def _refuse(self) -> None:
        """Answer an upgrade that cannot be read; uvicorn would wait for another, for ever."""
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.transport.close()

    def _is_borne(self) -> bool:
        """Count a frame that asks for nothing; hang up on whoever sends them all the time."""
        limits, now = self.limits, int(self.loop.time() * 1000)
        if self._idle_frames is None:
            self._idle_frames = full(limits.idle_frames_per_second, limits.idle_frames_at_once, now)
        if not self._idle_frames.take(now):
            return True
        self.transport.abort()
        return False


def door_of(websocket: WebSocket) -> FanoutProtocol | None:
    """Return the door of a socket, if the server offers one."""
    door: FanoutProtocol | None = websocket.scope.get("extensions", {}).get(
        FanoutProtocol.EXTENSION
    )
    return door


def _is_utf8(payload: bytes) -> bool:
    try:
        payload.decode()
    except UnicodeDecodeError:
        return False
    return True
