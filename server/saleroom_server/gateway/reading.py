"""GET /v1/rooms/{room}/stream: from a request to a reader."""

import asyncio
from collections import deque

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from saleroom_protocol.messages import Join
from saleroom_protocol.sse import SSE
from saleroom_server.gateway.gateway import Gateway
from saleroom_server.gateway.outlet import Outlet, Packet
from saleroom_server.gateway.reader import Reader
from saleroom_server.http.lobby import Follow
from saleroom_server.http.streams import EventStream
from saleroom_server.owner.actor import Actor
from saleroom_server.rooms import commands
from saleroom_server.rooms.commands import Caller


class BodyOutlet(Outlet):
    """The body of a response, through ASGI: a task sends what stands in a queue.

    What is sent before there is a response waits for it. ASGI cannot end a response nobody reads:
    the door hangs up then (`door.py`).
    """

    def __init__(self) -> None:
        self._queue: deque[bytes] = deque()
        self._bytes = 0
        self._closed = False
        self._send: Send | None = None
        self._task: asyncio.Task[None] | None = None

    def open(self, send: Send) -> None:
        """Begin to send."""
        self._send = send
        self._go_on()

    def send(self, packet: Packet) -> None:
        """See `Outlet`."""
        if not self._closed:
            self._bytes += len(packet.payload)
            self._queue.append(packet.payload)
            self._go_on()

    def close(self, code: int, reason: str) -> None:
        """See `Outlet`; a response has nowhere to say why it ends."""
        if not self._closed:
            self._closed = True
            self._go_on()

    def backlog(self) -> int:
        """See `Outlet`."""
        return self._bytes

    def drop(self) -> None:
        """Send nothing more: nobody reads it."""
        self._closed = True
        self._queue.clear()
        if self._task is not None:
            self._task.cancel()

    def _go_on(self) -> None:
        if self._send is not None and self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._work(self._send))

    async def _work(self, send: Send) -> None:
        try:
            while self._queue:
                body = self._queue.popleft()
                await send({"type": "http.response.body", "body": body, "more_body": True})
                self._bytes -= len(body)
            if self._closed:
                await send({"type": "http.response.body"})
        except OSError:  # the other side has gone
            self._closed = True
            self._queue.clear()
        self._task = None


class _Reading(EventStream):
    """A response that lasts until the reader is at its end, or gone."""

    def __init__(self, gateway: Gateway, reader: Reader, outlet: BodyOutlet) -> None:
        super().__init__()
        self._gateway, self._reader, self._outlet = gateway, reader, outlet

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer."""
        head = {"status": self.status_code, "headers": self.raw_headers}
        try:
            await send({"type": "http.response.start", **head})
            self._outlet.open(send)
            while (await receive())["type"] != "http.disconnect":
                pass  # a body, which nobody asked for
        finally:
            self._gateway.disconnect(self._reader)
            self._outlet.drop()


def reading(gateway: Gateway) -> Follow:
    """Return what lets somebody follow a room by a response."""

    async def follow(actor: Actor, caller: Caller, asked: Join, address: str) -> Response:
        gateway.admit(address)
        outlet = BodyOutlet()
        reader = gateway.connect_reader(actor.name, caller, outlet, address)
        try:
            await actor.ask(commands.Join(reader.session, caller, asked, SSE.subprotocol, False))
        except BaseException:
            gateway.disconnect(reader)
            raise
        return _Reading(gateway, reader, outlet)

    return follow
