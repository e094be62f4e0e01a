"""One socket for as long as it lives: an ordered queue to write from, and its last words."""

import asyncio
from types import TracebackType
from typing import Self

from saleroom_client.websocket import Broken, Socket
from saleroom_protocol.codec import MSGPACK
from saleroom_protocol.messages import ClientMessage, Closing, Error, ServerMessage


class Link:
    """Messages to and from one socket. Used with `async with`, which writes and then closes."""

    def __init__(self, socket: Socket) -> None:
        self._socket = socket
        self._unwritten: asyncio.Queue[bytes] = asyncio.Queue()
        self._closing: Closing | None = None
        self._error: Error | None = None

    async def __aenter__(self) -> Self:
        self._writing = asyncio.create_task(self._write())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._writing.cancel()
        await asyncio.wait([self._writing])
        await self._socket.close()

    def send(self, message: ClientMessage) -> None:
        """Have a message written after all those before it; it may get lost with the socket."""
        self._unwritten.put_nowait(MSGPACK.encode(message))

    async def recv(self) -> ServerMessage | None:
        """Return the next message; None for one of a type this version does not know.

        Raises:
            Broken: the socket is gone; with what `closing` and `error` said about it.
            ProtocolViolation: it is not a message.
        """
        try:
            message = MSGPACK.read_told(await self._socket.recv())
        except Broken as broken:
            raise self._explained(broken) from broken
        if isinstance(message, Closing):
            self._closing = message
        if isinstance(message, Error):
            self._error = message
        return message

    def _explained(self, broken: Broken) -> Broken:
        wait = None if self._closing is None else self._closing.retry_after_ms / 1000
        reason = broken.reason if self._error is None else self._error.message
        return Broken(broken.code, reason, retry=broken.retry, wait=wait)

    async def _write(self) -> None:
        while True:
            frame = await self._unwritten.get()
            try:
                await self._socket.send(frame)
            except Broken:
                return  # who reads learns of it too, and knows what to do
