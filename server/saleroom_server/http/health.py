"""For whoever runs the server: is it alive, is it ready."""

from starlette.requests import Request
from starlette.responses import Response

from saleroom_server.http.lobby import Lobby
from saleroom_server.http.problems import Json


async def healthz(lobby: Lobby, request: Request) -> Response:
    """GET /healthz: this program runs."""
    return Json({"status": "alive"})


async def readyz(lobby: Lobby, request: Request) -> Response:
    """GET /readyz: it can take on work; that is, the store writes, and it is not about to end."""
    await lobby.readiness.check()
    return Json({"status": "ready"})
