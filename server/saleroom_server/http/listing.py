"""The lobby: public rooms, page by page.

A room's place is when it was made; so a page that is asked for later begins where the last one
ended, whatever was made or removed meanwhile.
"""

from collections.abc import Iterator

from msgspec import UNSET
from starlette.requests import Request
from starlette.responses import Response

from saleroom_protocol.errors import Reason
from saleroom_protocol.http import RoomList, RoomSummary
from saleroom_server.http.lobby import Lobby
from saleroom_server.http.problems import Json
from saleroom_server.rooms.commands import Refusal


async def list_rooms(lobby: Lobby, request: Request) -> Response:
    """GET /v1/rooms: the newest first."""
    query = {name: value for name, value in request.query_params.items() if value}  # no empty ones
    limit, after = _page(lobby, query.get("limit")), query.get("after")
    wanted = {name: value for name, value in query.items() if name in ("game", "status")}
    found: list[RoomSummary] = []
    for summary in _listed(lobby, wanted, after):
        found.append(summary)
        if len(found) > limit:
            break
    more = len(found) > limit
    page = tuple(found[:limit])
    return Json(RoomList(rooms=page, next=_mark(page[-1]) if more else UNSET))


def _listed(lobby: Lobby, wanted: dict[str, str], after: str | None) -> Iterator[RoomSummary]:
    for summary in lobby.hall.summaries():
        if summary.visibility != "public" or (after is not None and _mark(summary) >= after):
            continue
        if all(getattr(summary, name) == value for name, value in wanted.items()):
            yield summary


def _mark(summary: RoomSummary) -> str:
    """Return a room's place in the list; the newest is the greatest."""
    return f"{summary.created_at:015}-{summary.room}"


def _page(lobby: Lobby, given: str | None) -> int:
    if given is None:
        return lobby.limits.page
    readable = given.isascii() and given.isdecimal() and len(given) < 10
    if not readable or not int(given):
        raise Refusal(Reason.MALFORMED, field="limit")
    return min(int(given), lobby.limits.page_most)
