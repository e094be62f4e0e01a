"""The lobby: the games there are, and what their ids and messages mean."""

from functools import cache
from typing import Any

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from saleroom_protocol import schema
from saleroom_protocol.errors import Reason
from saleroom_protocol.http import GameInfo
from saleroom_rules.contract import AnyRules
from saleroom_rules.games import GAMES
from saleroom_server.http.lobby import Lobby
from saleroom_server.http.problems import Json
from saleroom_server.rooms.commands import Refusal

FOREVER = "public, max-age=31536000, immutable"
_SCHEMAS = schema.encoded()  # by file name


async def list_games(lobby: Lobby, request: Request) -> Response:
    """GET /v1/games."""
    return Json([_game(rules) for rules in GAMES.values()])


async def catalogue(lobby: Lobby, request: Request) -> Response:
    """GET /v1/games/{game}/editions/{edition}/catalogue: never changes, so it is asked for once."""
    game, edition = request.path_params["game"], request.path_params["edition"]
    if game not in GAMES or edition != str(GAMES[game].edition):
        raise Refusal(Reason.UNKNOWN_GAME, game=game)
    tag = f'"{game}-{edition}"'
    headers = {"ETag": tag, "Cache-Control": FOREVER}
    had = request.headers.get("if-none-match", "")
    if had == "*" or tag in had:
        return Response(status_code=304, headers=headers)
    return Json(_catalogue(game), headers=headers)


async def show_schema(lobby: Lobby, request: Request) -> Response:
    """GET /v1/schemas/{name}.json."""
    body = _SCHEMAS.get(f"{request.path_params['name']}.json")
    if body is None:
        raise HTTPException(404)
    return Response(body, media_type="application/schema+json")


def _game(rules: AnyRules) -> GameInfo:
    options: dict[str, Any] = msgspec.json.schema(rules.options)
    return GameInfo(
        game=rules.key,
        title=rules.title,
        seats=rules.seats,
        edition=rules.edition,
        options=options,
    )


@cache
def _catalogue(game: str) -> bytes:
    return msgspec.json.encode(GAMES[game].catalogue())
