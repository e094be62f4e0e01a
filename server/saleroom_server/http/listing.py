"""The lobby: public rooms, page by page.

A room's place is when it was made; so a page that is asked for later begins where the last one
ended, whatever was made or removed meanwhile. Only so many rooms are looked through for one page:
it may be short, and yet not the last.
"""

from starlette.requests import Request
from starlette.responses import Response

from saleroom_protocol.errors import Reason
from saleroom_protocol.http import RoomList, RoomSummary
from saleroom_server.http.lobby import Lobby
from saleroom_server.http.problems import Json
from saleroom_server.owner.hall import Hall
from saleroom_server.owner.roll import place_of
from saleroom_server.rooms.commands import Refusal


async def list_rooms(lobby: Lobby, request: Request) -> Response:
    """GET /v1/rooms: the newest first."""
    query = {name: value for name, value in request.query_params.items() if value}  # no empty ones
    limit, after = _page(lobby, query.get("limit")), query.get("after")
    found: list[RoomSummary] = []
    hall, seen = lobby.hall, ""
    for number, room in enumerate(hall.rooms(after)):
        fits = _fits(hall, room, query)
        if number == lobby.limits.page_searched or (fits and len(found) == limit):
            return Json(RoomList(rooms=tuple(found), next=place_of(hall.head(seen).summary)))
        if fits:
            found.append(hall.summary(room))
        seen = room
    return Json(RoomList(rooms=tuple(found)))


def _fits(hall: Hall, room: str, query: dict[str, str]) -> bool:
    summary = hall.head(room).summary  # of which these two never change
    return (
        summary.visibility == "public"
        and query.get("game", summary.game) == summary.game
        and query.get("status") in (None, hall.status(room))
    )


def _page(lobby: Lobby, given: str | None) -> int:
    if given is None:
        return lobby.limits.page
    readable = given.isascii() and given.isdecimal() and len(given) < 10
    if not readable or not int(given):
        raise Refusal(Reason.MALFORMED, field="limit")
    return min(int(given), lobby.limits.page_most)
