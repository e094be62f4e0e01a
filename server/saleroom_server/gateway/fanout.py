"""uvicorn's sans-I/O WebSocket protocol, with a door for frames that are ready.

This rests on an internal module of uvicorn, so its minor version is pinned, and
`tests/gateway/test_fanout.py` fails loudly when anything used here moves.
"""

import asyncio
from collections.abc import Callable
from typing import Any, ClassVar, cast

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame
from websockets.http11 import Request
from websockets.protocol import OPEN

from saleroom_protocol.errors import CloseCode
from saleroom_server.allowance import Allowance, full
from saleroom_server.gateway.limits import GatewayLimits

SLICE_BYTES = 1024  # parsed in one go: more would hold up everybody else


def _nothing(transport: asyncio.Transport) -> None:
    """Nobody counts."""


class FanoutProtocol(WebSocketsSansIOProtocol):
    """Puts itself into the scope, so that the application can write past ASGI.

    All frames of a socket must go the same way: who writes here sends nothing through ASGI.
    """

    EXTENSION: ClassVar[str] = "saleroom.fanout"

    limits = GatewayLimits()  # the application sets its own
    on_lost: Callable[[asyncio.Transport], None] = staticmethod(_nothing)

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self._rest = bytearray()  # what is to be parsed when the application has read on
        self._idle_frames: Allowance | None = None  # pings and the like; most clients send none

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell whoever counts the connections."""
        self.on_lost(self.transport)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what has come; it is parsed up to the next message, the rest when that is read."""
        self._rest += data
        self._parse()

    async def receive(self) -> Any:
        """Return the next event."""
        event = await super().receive()
        self._parse()
        return event

    async def send(self, message: Any) -> None:
        """Send through ASGI."""
        await super().send(message)
        if message["type"] == "websocket.http.response.body":
            self.handshake_complete = True  # uvicorn would call it a fault that it was refused
        elif message["type"] == "websocket.accept":
            self._forget_request()
            self._parse()

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
        if not self.close_sent or self._is_borne():
            super().send_receive_event_to_app()

    def write(self, wire: bytes) -> None:
        """Write a frame as it is, unless the socket is closed or about to be."""
        if not self.close_sent and not self.disconnected and not self.transport.is_closing():
            self.transport.write(wire)

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

    def _parse(self) -> None:
        while self._rest and self._is_reading():
            part = bytes(self._rest[:SLICE_BYTES])
            del self._rest[:SLICE_BYTES]
            super().data_received(part)
            if not self.handshake_initiated and self.conn.handshake_exc is not None:
                self._refuse()

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
