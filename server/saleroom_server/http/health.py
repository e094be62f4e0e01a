"""For whoever runs the server: is it alive, is it ready."""

from starlette.requests import Request
from starlette.responses import Response

from saleroom_protocol.errors import Reason
from saleroom_server.http.lobby import Lobby
from saleroom_server.http.problems import Json, problem_of
from saleroom_server.rooms.commands import Refusal


async def healthz(lobby: Lobby, request: Request) -> Response:
    """GET /healthz: this program runs."""
    return Json({"status": "alive"})


async def readyz(lobby: Lobby, request: Request) -> Response:
    """GET /readyz: it can take on work, or why it cannot."""
    why_not = await lobby.readiness.why_not()
    if why_not:
        refusal = Refusal(Reason.UNAVAILABLE, retry_after_ms=lobby.limits.retry_ms)
        return problem_of(refusal, detail=why_not)
    return Json({"status": "ready"})
