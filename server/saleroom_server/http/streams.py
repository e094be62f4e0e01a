"""The lobby: a room for whoever only reads. PROTOCOL.md, "Server-sent events"."""

from msgspec import UNSET
from starlette.requests import Request
from starlette.responses import Response

from saleroom_protocol.messages import Join
from saleroom_protocol.sse import cursor_of
from saleroom_server.http.lobby import Lobby, address_of


class EventStream(Response):
    """The head of a response that is a stream of events; alone it answers HEAD."""

    def __init__(self) -> None:
        self.status_code, self.background = 200, None
        self.init_headers(
            {
                "Content-Type": "text/event-stream",
                "Cache-Control": "no-store",
                "X-Accel-Buffering": "no",  # nginx would keep events until it has some kilobytes
            }
        )
        self.body = b""  # not before: a stream has no Content-Length


async def stream(lobby: Lobby, request: Request) -> Response:
    """GET /v1/rooms/{room}/stream."""
    caller, actor = lobby.anybody(request), lobby.visible(request)
    cursor = cursor_of(request.headers.get("last-event-id", ""))
    if cursor is not UNSET and await actor.has_told_the_end(cursor):
        return Response(status_code=204)  # it makes an EventSource come back no more
    if request.method == "HEAD":
        return EventStream()
    watch = request.query_params.get("watch") or UNSET
    asked = Join(id="stream", room=actor.name, as_="spectator", cursor=cursor, watch=watch)
    return await lobby.follow(actor, caller, asked, address_of(request))
