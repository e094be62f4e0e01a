"""The server's API for machines: OpenAPI 3.1 for the lobby, AsyncAPI 3.0 for the sockets.

Both are made from the types the server itself reads and writes, and from one table of operations.
"""

from functools import cache
from importlib.metadata import version
from typing import Any

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from saleroom_protocol import http
from saleroom_protocol.codec import CODECS
from saleroom_protocol.errors import Reason
from saleroom_protocol.messages import ClientMessage, ServerMessage
from saleroom_server.http.lobby import Lobby
from saleroom_server.http.problems import Json


class Operation(Struct, frozen=True, kw_only=True):
    """One request the lobby answers."""

    method: str
    path: str
    name: str
    summary: str
    answers: dict[int, Any]  # status -> body's type; None if it has no JSON body
    body: Any = None
    token: bool = False
    query: tuple[str, ...] = ()
    refused: tuple[Reason, ...] = ()


_ROOM = (Reason.UNKNOWN_ROOM,)
_HOST = (Reason.BAD_TOKEN, Reason.UNKNOWN_ROOM, Reason.NOT_HOST, Reason.WRONG_STATUS)

OPERATIONS: tuple[Operation, ...] = (
    Operation(
        method="POST",
        path="/v1/players",
        name="make_player",
        summary="Become a guest: a new player and the token that speaks for them.",
        body=http.NewPlayer,
        answers={201: http.Identity},
    ),
    Operation(
        method="POST",
        path="/v1/players/me/token",
        name="renew_token",
        summary="Get a fresh token for the same player.",
        answers={201: http.Token},
        token=True,
        refused=(Reason.BAD_TOKEN,),
    ),
    Operation(
        method="GET",
        path="/v1/games",
        name="list_games",
        summary="List the games, each with its options.",
        answers={200: list[http.GameInfo]},
    ),
    Operation(
        method="GET",
        path="/v1/games/{game}/editions/{edition}/catalogue",
        name="show_catalogue",
        summary="Say what every id of a game is. Never changes within an edition.",
        answers={200: dict[str, Any], 304: None},
        refused=(Reason.UNKNOWN_GAME,),
    ),
    Operation(
        method="POST",
        path="/v1/rooms",
        name="make_room",
        summary="Make a room.",
        body=http.NewRoom,
        answers={201: http.NewRoomInfo},
        token=True,
        refused=(Reason.BAD_TOKEN, Reason.UNKNOWN_GAME, Reason.BAD_OPTIONS, Reason.FULL),
    ),
    Operation(
        method="GET",
        path="/v1/rooms",
        name="list_rooms",
        summary="List public rooms, the newest first.",
        answers={200: http.RoomList},
        query=("game", "status", "limit", "after"),
    ),
    Operation(
        method="GET",
        path="/v1/rooms/{room}",
        name="show_room",
        summary="Show a room's summary.",
        answers={200: http.RoomSummary},
        query=("watch",),
        refused=_ROOM,
    ),
    Operation(
        method="POST",
        path="/v1/rooms/{room}/seats",
        name="take_seat",
        summary="Sit down; or, where one sits already, give entropy.",
        body=http.TakeSeat,
        answers={201: http.SeatHeld, 200: http.SeatHeld},
        token=True,
        refused=(
            Reason.BAD_TOKEN,
            Reason.UNKNOWN_ROOM,
            Reason.NOT_INVITED,
            Reason.WRONG_STATUS,
            Reason.ROOM_FULL,
            Reason.SEAT_TAKEN,
        ),
    ),
    Operation(
        method="DELETE",
        path="/v1/rooms/{room}/seats/{seat}",
        name="give_up_seat",
        summary="Free the own seat; or, as the host, any.",
        answers={204: None},
        token=True,
        refused=_HOST,
    ),
    Operation(
        method="POST",
        path="/v1/rooms/{room}/bots",
        name="add_bot",
        summary="Let a house bot sit down.",
        body=http.HouseBot,
        answers={201: http.SeatHeld},
        token=True,
        refused=(*_HOST, Reason.ROOM_FULL, Reason.SEAT_TAKEN),
    ),
    Operation(
        method="POST",
        path="/v1/rooms/{room}/start",
        name="start",
        summary="Begin the game, every seat being taken.",
        answers={202: dict[str, Any]},
        token=True,
        refused=_HOST,
    ),
    Operation(
        method="POST",
        path="/v1/rooms/{room}/mutes",
        name="mute",
        summary="Let a player be heard no more, or again.",
        body=http.Mute,
        answers={204: None},
        token=True,
        refused=(Reason.BAD_TOKEN, Reason.UNKNOWN_ROOM, Reason.NOT_HOST),
    ),
    Operation(
        method="GET",
        path="/v1/rooms/{room}/record",
        name="show_record",
        summary="Download a finished game's record (application/jsonl).",
        answers={200: None},
        query=("draws", "watch"),
        refused=(Reason.UNKNOWN_ROOM, Reason.NOT_FINISHED),
    ),
)


async def openapi(lobby: Lobby, request: Request) -> Response:
    """GET /v1/openapi.json."""
    return Json(openapi_document())


async def asyncapi(lobby: Lobby, request: Request) -> Response:
    """GET /v1/asyncapi.json."""
    return Json(asyncapi_document())


@cache
def openapi_document() -> dict[str, Any]:
    """Return the lobby's OpenAPI 3.1 document."""
    types = [http.Problem, *(t for operation in OPERATIONS for t in _types(operation))]
    _, components = _components(types)
    paths: dict[str, dict[str, Any]] = {}
    for operation in OPERATIONS:
        told = paths.setdefault(operation.path, {})
        told[operation.method.lower()] = _operation(operation)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Saleroom", "version": version("saleroom"), "license": _LICENSE},
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


@cache
def asyncapi_document() -> dict[str, Any]:
    """Return the sockets' AsyncAPI 3.0 document: one channel, both directions."""
    (asked, told), components = _components([ClientMessage, ServerMessage])
    channel = {"$ref": "#/channels/play"}
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Saleroom",
            "version": version("saleroom"),
            "license": _LICENSE,
            "description": f"Subprotocols: {', '.join(CODECS)}.",
        },
        "channels": {
            "play": {
                "address": "/v1/play",
                "messages": {"asked": {"payload": asked}, "told": {"payload": told}},
            }
        },
        "operations": {
            "ask": {"action": "receive", "channel": channel, "messages": [_message("asked")]},
            "tell": {"action": "send", "channel": channel, "messages": [_message("told")]},
        },
        "components": {"schemas": components},
    }


_LICENSE = {"name": "Apache-2.0"}


def _types(operation: Operation) -> list[Any]:
    found = [answer for answer in operation.answers.values() if answer is not None]
    return found if operation.body is None else [operation.body, *found]


def _operation(operation: Operation) -> dict[str, Any]:
    told: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.summary,
        "parameters": _parameters(operation),
        "responses": {str(status): _answer(t) for status, t in operation.answers.items()}
        | _refusals(operation),
    }
    if operation.body is not None:
        told["requestBody"] = {"required": True, "content": _content(operation.body)}
    if operation.token:
        told["security"] = [{"token": []}]
    return told


def _parameters(operation: Operation) -> list[dict[str, Any]]:
    named = [part[1:-1] for part in operation.path.split("/") if part.startswith("{")]
    found = [_parameter(name, "path") for name in named]
    found += [_parameter(name, "query") for name in operation.query]
    if operation.token and operation.method == "POST":
        found.append(_parameter("Idempotency-Key", "header"))
    return found


def _parameter(name: str, place: str) -> dict[str, Any]:
    kind = "integer" if name in ("seat", "limit", "edition") else "string"
    return {"name": name, "in": place, "required": place == "path", "schema": {"type": kind}}


def _answer(body: Any) -> dict[str, Any]:
    if body is None:
        return {"description": "Done."}
    return {"description": "Done.", "content": _content(body)}


def _refusals(operation: Operation) -> dict[str, Any]:
    """Return the statuses a request may be refused with, each naming its reasons."""
    reasons = (*operation.refused, *((Reason.MALFORMED,) if operation.body else ()))
    by_status: dict[str, list[str]] = {}
    for reason in (*reasons, Reason.RATE_LIMITED, Reason.UNAVAILABLE, Reason.INTERNAL_ERROR):
        by_status.setdefault(str(reason.status), []).append(reason)
    content = {"application/problem+json": {"schema": _ref(http.Problem)}}
    return {
        status: {"description": ", ".join(names), "content": content}
        for status, names in by_status.items()
    }


def _content(body: Any) -> dict[str, Any]:
    return {"application/json": {"schema": _ref(body)}}


def _ref(body: Any) -> dict[str, Any]:
    (found,), _ = _components([body])
    return found


def _components(types: list[Any]) -> tuple[tuple[dict[str, Any], ...], dict[str, Any]]:
    return msgspec.json.schema_components(types, ref_template="#/components/schemas/{name}")


def _message(name: str) -> dict[str, str]:
    return {"$ref": f"#/channels/play/messages/{name}"}
