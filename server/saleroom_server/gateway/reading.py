"""GET /v1/rooms/{room}/stream: from a request to a reader."""

from typing import Any

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from saleroom_protocol.messages import Join
from saleroom_protocol.sse import SSE
from saleroom_server.gateway.gateway import Gateway
from saleroom_server.gateway.outlet import Packet, QueuedOutlet
from saleroom_server.gateway.reader import Reader
from saleroom_server.http.lobby import Follow
from saleroom_server.http.streams import EventStream
from saleroom_server.owner.actor import Actor
from saleroom_server.rooms import commands
from saleroom_server.rooms.commands import Caller


class BodyOutlet(QueuedOutlet):
    """The body of a response.

    What is sent before there is a response waits for it. ASGI cannot end a response nobody reads:
    the door hangs up then (`door.py`).
    """

    GONE = (OSError,)

    def __init__(self) -> None:
        super().__init__()
        self._asgi: Send | None = None

    def open(self, send: Send) -> None:
        """Begin to send."""
        self._asgi = send
        self._go_on()

    def drop(self) -> None:
        """Send nothing more: nobody reads it."""
        self._closed = True
        self._queue.clear()
        if self._task is not None:
            self._task.cancel()

    def _go_on(self) -> None:
        if self._asgi is not None:
            super()._go_on()

    async def _write(self, packet: Packet) -> None:
        await self._told({"body": packet.payload, "more_body": True})

    async def _finish(self, code: int, reason: str) -> None:
        """A response has nowhere to say why it ends."""
        await self._told({})

    async def _told(self, fields: dict[str, Any]) -> None:
        assert self._asgi is not None, "there is a response"
        await self._asgi({"type": "http.response.body", **fields})


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
