"""The server's API for machines: OpenAPI 3.1 for the lobby, AsyncAPI 3.0 for the sockets.

Both are made from the types the server itself reads and writes, and from one table of operations.
"""

from functools import cache
from importlib.metadata import version
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from saleroom_protocol import http
from saleroom_protocol.codec import CODECS
from saleroom_protocol.errors import Reason
from saleroom_protocol.messages import ClientMessage, ServerMessage
from saleroom_server.http.lobby import Lobby
from saleroom_server.http.operations import OPERATIONS, Operation
from saleroom_server.http.problems import PROBLEM, Json

_LICENSE = {"name": "Apache-2.0"}
_NUMBERS = ("edition", "limit", "seat")  # parameters that are integers
_SECURITY: dict[str, list[dict[str, list[str]]]] = {  # by whether there is a token
    "no": [],
    "may": [{}, {"token": []}],
    "must": [{"token": []}],
}
_HEADERS = {  # that come with a refusal, by status
    "401": {"WWW-Authenticate": "string"},
    "429": {"Retry-After": "integer"},
    "503": {"Retry-After": "integer"},
}


async def show_openapi(lobby: Lobby, request: Request) -> Response:
    """GET /v1/openapi.json."""
    return Json(openapi_document())


async def show_asyncapi(lobby: Lobby, request: Request) -> Response:
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
    document = {
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
    plain: dict[str, Any] = _undiscriminated(document)
    return plain


def _types(operation: Operation) -> list[Any]:
    found = [answer for answer in operation.answers.values() if answer is not None]
    return found if operation.body is None else [operation.body, *found]


def _operation(operation: Operation) -> dict[str, Any]:
    told: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.summary,
        "parameters": _parameters(operation),
        "responses": _answers(operation) | _refusals(operation),
        "security": _SECURITY[operation.token],
    }
    if operation.body is not None:
        content = _content("application/json", operation.body)
        told["requestBody"] = {"required": operation.needs_body, "content": content}
    return told


def _parameters(operation: Operation) -> list[dict[str, Any]]:
    named = [part[1:-1] for part in operation.path.split("/") if part.startswith("{")]
    found = [_parameter(name, "path") for name in named]
    found += [_parameter(name, "query") for name in operation.query]
    kept = ("Idempotency-Key",) if operation.is_kept else ()
    return found + [_parameter(name, "header") for name in (*operation.headers, *kept)]


def _parameter(name: str, place: str) -> dict[str, Any]:
    kind = "integer" if name in _NUMBERS else "string"
    return {"name": name, "in": place, "required": place == "path", "schema": {"type": kind}}


def _answers(operation: Operation) -> dict[str, Any]:
    return {
        str(status): {"description": "Done."}
        | ({} if body is None else {"content": _content(operation.media, body)})
        for status, body in operation.answers.items()
    }


def _refusals(operation: Operation) -> dict[str, Any]:
    """Return the statuses a request may be refused with, each with its reasons."""
    by_status: dict[str, list[Reason]] = {}
    for reason in operation.reasons:
        by_status.setdefault(str(reason.status), []).append(reason)
    return {
        status: {
            "description": ", ".join(reasons),
            "headers": {
                name: {"schema": {"type": kind}} for name, kind in _HEADERS.get(status, {}).items()
            },
            "content": {PROBLEM: {"schema": _problem(reasons)}},
        }
        for status, reasons in by_status.items()
    }


def _problem(reasons: list[Reason]) -> dict[str, Any]:
    return {**_ref(http.Problem), "properties": {"reason": {"enum": [*map(str, reasons)]}}}


def _content(media: str, body: Any) -> dict[str, Any]:
    return {media: {"schema": _ref(body)}}


def _ref(body: Any) -> dict[str, Any]:
    (found,), _ = _components([body])
    return found


def _components(types: list[Any]) -> tuple[tuple[dict[str, Any], ...], dict[str, Any]]:
    return msgspec.json.schema_components(types, ref_template="#/components/schemas/{name}")


def _message(name: str) -> dict[str, str]:
    return {"$ref": f"#/channels/play/messages/{name}"}


def _undiscriminated(node: Any) -> Any:
    """Leave `discriminator` out: what msgspec writes is OpenAPI's, and AsyncAPI has another."""
    match node:
        case dict():
            return {
                name: _undiscriminated(inner)
                for name, inner in node.items()
                if name != "discriminator"
            }
        case list() | tuple():
            return [_undiscriminated(inner) for inner in node]
        case _:
            return node
