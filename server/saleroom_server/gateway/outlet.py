"""The way out to one socket. Nothing here ever waits: who is too slow is somebody else's business.

`DirectOutlet` writes to the transport of uvicorn's WebSocket protocol, so that a frame for a
thousand sockets is put together once; a `QueuedOutlet` goes through ASGI and works with any server.
"""

import asyncio
from abc import ABC, abstractmethod
from collections import deque
from typing import ClassVar

from starlette.websockets import WebSocket, WebSocketDisconnect

from saleroom_server.gateway.fanout import FanoutProtocol, door_of
from saleroom_server.gateway.limits import GatewayLimits


class Packet:
    """A frame's payload, and the bytes it is on the wire, worked out once for all sockets."""

    __slots__ = ("_wire", "payload", "text")

    def __init__(self, payload: bytes, text: bool) -> None:
        self.payload, self.text = payload, text
        self._wire = b""

    @property
    def wire(self) -> bytes:
        """RFC 6455, section 5: one unmasked frame, no extension."""
        if not self._wire:
            self._wire = _head(len(self.payload), self.text) + self.payload
        return self._wire


def _head(size: int, text: bool) -> bytes:
    """Return what stands before a payload. A library's way does more, and takes ten times as long.

    See section 5.2: lengths up to 125 stand in the second byte, others in two or eight more.
    """
    opcode = 0x81 if text else 0x82
    if size < 126:
        return bytes((opcode, size))
    if size < 2**16:
        return bytes((opcode, 126)) + size.to_bytes(2, "big")
    return bytes((opcode, 127)) + size.to_bytes(8, "big")


class Outlet(ABC):
    """Where packets go, in order."""

    @abstractmethod
    def send(self, packet: Packet) -> int:
        """Send a packet, unless the socket is closed or about to be; return the backlog."""

    @abstractmethod
    def close(self, code: int, reason: str) -> None:
        """Close the socket after everything that was sent."""

    @abstractmethod
    def backlog(self) -> int:
        """Return how many bytes the network has not taken yet."""


class DirectOutlet(Outlet):
    """Straight to the transport."""

    def __init__(self, protocol: FanoutProtocol) -> None:
        self._protocol = protocol

    def send(self, packet: Packet) -> int:
        """See `Outlet`."""
        return self._protocol.write(packet.wire)

    def close(self, code: int, reason: str) -> None:
        """See `Outlet`."""
        self._protocol.close(code, reason)

    def backlog(self) -> int:
        """See `Outlet`."""
        return self._protocol.backlog()


class QueuedOutlet(Outlet):
    """Through ASGI: a task sends what stands in a queue."""

    GONE: ClassVar[tuple[type[Exception], ...]]  # how it shows that the other side has gone

    def __init__(self) -> None:
        self._queue: deque[Packet] = deque()
        self._bytes = 0
        self._closed = False
        self._end: tuple[int, str] | None = None  # to be sent behind the queue
        self._task: asyncio.Task[None] | None = None

    @abstractmethod
    async def _write(self, packet: Packet) -> None:
        """Send a packet."""

    @abstractmethod
    async def _finish(self, code: int, reason: str) -> None:
        """Send the end."""

    def send(self, packet: Packet) -> int:
        """See `Outlet`."""
        if not self._closed:
            self._bytes += len(packet.payload)
            self._queue.append(packet)
            self._go_on()
        return self._bytes

    def close(self, code: int, reason: str) -> None:
        """See `Outlet`."""
        if not self._closed:
            self._closed, self._end = True, (code, reason)
            self._go_on()

    def backlog(self) -> int:
        """See `Outlet`."""
        return self._bytes

    def _go_on(self) -> None:
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._work())

    async def _work(self) -> None:
        try:
            while self._queue:
                packet = self._queue.popleft()
                await self._write(packet)
                self._bytes -= len(packet.payload)
            if self._end is not None:
                await self._finish(*self._end)
        except self.GONE:
            self._closed = True
            self._queue.clear()
        self._task = None


class SocketOutlet(QueuedOutlet):
    """A WebSocket, as Starlette has it."""

    GONE = (WebSocketDisconnect, RuntimeError)

    def __init__(self, websocket: WebSocket) -> None:
        super().__init__()
        self._websocket = websocket

    async def _write(self, packet: Packet) -> None:
        if packet.text:
            await self._websocket.send_text(packet.payload.decode())
        else:
            await self._websocket.send_bytes(packet.payload)

    async def _finish(self, code: int, reason: str) -> None:
        await self._websocket.close(code, reason)


def outlet_for(websocket: WebSocket, limits: GatewayLimits) -> Outlet:
    """Return the shortest way out to a socket that was accepted, and bind its client to limits."""
    protocol = door_of(websocket)
    if protocol is None:
        return SocketOutlet(websocket)
    protocol.limits = limits
    return DirectOutlet(protocol)
