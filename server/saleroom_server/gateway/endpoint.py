"""GET /v1/play: from an upgrade to a connection."""

from collections.abc import Awaitable, Callable, Collection
from functools import partial
from typing import TypeAlias

from starlette.types import Message
from starlette.websockets import WebSocket

from saleroom_protocol.codec import CODECS, Codec
from saleroom_protocol.errors import Reason
from saleroom_server.addresses import payer_of
from saleroom_server.gateway.fanout import door_of
from saleroom_server.gateway.gateway import Gateway
from saleroom_server.gateway.outlet import outlet_for
from saleroom_server.http.problems import problem_of
from saleroom_server.rooms.commands import Refusal

Endpoint: TypeAlias = Callable[[WebSocket], Awaitable[None]]


def play(gateway: Gateway, origins: Collection[str] = ("*",)) -> Endpoint:
    """Return the endpoint that takes sockets in.

    Args:
        gateway: whose sockets they are.
        origins: whose pages a browser may open one for; `*`: anybody's.
    """

    async def endpoint(websocket: WebSocket) -> None:
        origin = websocket.headers.get("origin")  # of a browser; who has none is no page
        if origin is not None and not {"*", origin} & {*origins}:
            refusal = Refusal(Reason.MALFORMED, field="origin")
            await websocket.send_denial_response(problem_of(refusal, 403))
            return
        codec, address = _codec_of(websocket), payer_of(websocket.client)
        if codec is None:
            refusal = Refusal(Reason.MALFORMED, field="sec-websocket-protocol")
            await websocket.send_denial_response(problem_of(refusal, 400))
            return
        try:
            gateway.admit(address)
        except Refusal as refusal:
            await websocket.send_denial_response(problem_of(refusal))
            return
        await websocket.accept(codec.subprotocol)
        outlet = outlet_for(websocket, gateway.gateway_limits)
        connection = gateway.connect(codec, outlet, address)
        door = door_of(websocket)
        if door is not None:
            door.listen(connection.receive, partial(gateway.turns.begin, address))
        try:
            while (event := await websocket.receive())["type"] != "websocket.disconnect":
                await gateway.turns.turn(address)
                connection.receive(*_frame(event))
        finally:
            gateway.disconnect(connection)

    return endpoint


def _codec_of(websocket: WebSocket) -> Codec | None:
    """Return the codec of the first subprotocol the client offers that is one of ours."""
    offered: list[str] = websocket.scope["subprotocols"]
    return next((CODECS[name] for name in offered if name in CODECS), None)


def _frame(event: Message) -> tuple[bytes, bool]:
    """Return a message's payload, and whether it is text."""
    text = event.get("text")
    return (event["bytes"], False) if text is None else (text.encode(), True)
