"""GET /v1/play: from an upgrade to a connection."""

from collections.abc import Awaitable, Callable, Collection
from functools import partial
from typing import TypeAlias

from starlette.websockets import WebSocket

from saleroom_protocol.codec import CODECS
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
        codec = next(
            (CODECS[name] for name in websocket.scope["subprotocols"] if name in CODECS), None
        )
        if codec is None:
            refusal = Refusal(Reason.MALFORMED, field="sec-websocket-protocol")
            await websocket.send_denial_response(problem_of(refusal, 400))
            return
        address = payer_of(websocket.client)
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
            while True:
                event = await websocket.receive()
                if event["type"] == "websocket.disconnect":
                    break
                await gateway.turns.turn(address)
                text = event.get("text")
                if text is None:
                    connection.receive(event["bytes"], False)
                else:
                    connection.receive(text.encode(), True)
        finally:
            gateway.disconnect(connection)

    return endpoint
