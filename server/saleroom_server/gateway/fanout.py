"""uvicorn's sans-I/O WebSocket protocol, with a door for frames that are ready.

This rests on an internal module of uvicorn, so its minor version is pinned, and
`tests/gateway/test_fanout.py` fails loudly when anything used here moves.
"""

from typing import Any, ClassVar

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Request


class FanoutProtocol(WebSocketsSansIOProtocol):
    """Puts itself into the scope, so that the application can write past ASGI.

    All frames of a socket must go the same way: who writes here sends nothing through ASGI.
    """

    EXTENSION: ClassVar[str] = "saleroom.fanout"

    unread_bytes: int = 64 * 1024  # a client that leaves more gets no pong; the application sets it

    def handle_connect(self, event: Request) -> None:
        """Offer the door to the application."""
        super().handle_connect(event)
        scope: Any = getattr(self, "scope", None)  # absent if the handshake was refused
        # With an extension such as compression a frame depends on those before it.
        if scope is not None and not self.config.ws_per_message_deflate:
            scope["extensions"][self.EXTENSION] = self

    def handle_ping(self) -> None:
        """Answer a ping of the WebSocket itself; but not one who does not read the answers."""
        if self.backlog() > self.unread_bytes:
            self.transport.abort()
        else:
            super().handle_ping()

    def write(self, wire: bytes) -> None:
        """Write a frame as it is, unless the socket is closed or about to be."""
        if not self.close_sent and not self.disconnected and not self.transport.is_closing():
            self.transport.write(wire)

    def close(self, code: int, reason: str) -> None:
        """Send a close frame after everything written; give up if it is not answered."""
        if self.close_sent or self.disconnected or self.transport.is_closing():
            return
        self.queue.put_nowait({"type": "websocket.disconnect", "code": code, "reason": reason})
        self.conn.send_close(code, reason)
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_sent = True
        if self.read_paused:
            self.read_paused = False
            self.transport.resume_reading()
        self.close_timer = self.loop.call_later(self.close_timeout, self.transport.abort)

    def backlog(self) -> int:
        """Return how many bytes the transport has not handed to the system yet."""
        return 0 if self.transport.is_closing() else self.transport.get_write_buffer_size()
