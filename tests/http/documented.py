"""What a client was promised: every answer is held to the OpenAPI document and to http.json."""

import re
from functools import cache
from typing import Any

import msgspec
from httpx import Response
from jsonschema import Draft202012Validator

from saleroom_protocol.errors import Reason
from saleroom_server.http.openapi import openapi_document
from saleroom_server.http.readiness import DOES_NOT_HEAR, DOES_NOT_WRITE, ENDS
from tests.golden.files import ROOT

PROBLEM = "application/problem+json"

# By method and path: the name of the answer in schemas/http.json. PROTOCOL.md, "HTTP".
NAMES = {
    ("post", "/v1/players"): "Identity",
    ("post", "/v1/players/me/token"): "Token",
    ("post", "/v1/rooms"): "NewRoomInfo",
    ("get", "/v1/rooms"): "RoomList",
    ("get", "/v1/rooms/{room}"): "RoomSummary",
    ("post", "/v1/rooms/{room}/seats"): "SeatHeld",
    ("post", "/v1/rooms/{room}/bots"): "SeatHeld",
}

# What /readyz says instead of what its reason means everywhere. OBSERVING.md, "Is it well".
NOT_READY = {(Reason.UNAVAILABLE, why) for why in (ENDS, DOES_NOT_WRITE, DOES_NOT_HEAR)}


@cache
def document() -> dict[str, Any]:
    """Return the OpenAPI document as it is served."""
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(openapi_document()))
    return plain


@cache
def http_schema() -> dict[str, Any]:
    """Return protocol/schemas/http.json."""
    plain: dict[str, Any] = msgspec.json.decode((ROOT / "protocol/schemas/http.json").read_bytes())
    return plain


def template_of(path: str) -> str | None:
    """Return the path of the OpenAPI document that a path is an instance of."""
    found = [known for known in document()["paths"] if _pattern(known).fullmatch(path)]
    return min(found, key=lambda known: known.count("{"), default=None)


def check(method: str, path: str, response: Response) -> None:
    """Hold an answer to what is documented; an unknown path is one of HTTP itself."""
    template = template_of(path)
    told = document()["paths"].get(template, {}).get(method.lower())
    if told is None:
        check_of_http_itself(response)
        return
    status = str(response.status_code)
    assert status in told["responses"], f"{method} {template} may not answer {status}"
    promised = told["responses"][status].get("content")
    if promised is None:
        assert response.content == b""
        return
    (media,) = promised
    assert response.headers["content-type"] == media
    if media in ("application/jsonl", "text/event-stream"):
        return
    body = msgspec.json.decode(response.content)
    _openapi_validator(method.lower(), str(template), status, media).validate(body)
    if media == PROBLEM:
        check_problem(response)
    elif (method.lower(), str(template)) in NAMES:
        named_validator(NAMES[method.lower(), str(template)]).validate(body)


def check_problem(response: Response) -> Reason:
    """Hold a refusal to the table of reasons; return its reason."""
    body = msgspec.json.decode(response.content)
    named_validator("Problem").validate(body)
    reason = Reason[body["reason"].upper()]
    assert response.headers["content-type"] == PROBLEM
    assert (response.status_code, body["status"]) == (reason.status, reason.status)
    assert body["type"] == "about:blank"
    assert body["detail"] == reason.meaning or (reason, body["detail"]) in NOT_READY
    facts = body["facts"].keys()
    # What cannot be read as a whole has no field to blame.
    may_lack = {"field"} if reason is Reason.MALFORMED else set()
    assert set(reason.facts) - may_lack <= facts <= set(reason.facts)
    assert ("retry-after" in response.headers) == ("retry_after_ms" in reason.facts)
    assert ("www-authenticate" in response.headers) == (reason is Reason.BAD_TOKEN)
    return reason


def check_of_http_itself(response: Response) -> None:
    """Hold the refusal of an unknown path or method to RFC 9457; it has no reason of ours."""
    assert response.status_code in (404, 405)
    assert response.headers["content-type"] == PROBLEM
    body = msgspec.json.decode(response.content)
    assert body.keys() == {"type", "title", "status"}
    assert (body["type"], body["status"]) == ("about:blank", response.status_code)


@cache
def named_validator(name: str) -> Draft202012Validator:
    """Return what validates a body of schemas/http.json, no field more."""
    schema = http_schema()
    return _validator({**schema, "$ref": f"#/$defs/{name}"})


@cache
def _openapi_validator(method: str, template: str, status: str, media: str) -> Draft202012Validator:
    told = document()["paths"][template][method]["responses"][status]
    schema = told["content"][media]["schema"]
    return _validator({**schema, "components": document()["components"]})


def _validator(schema: dict[str, Any]) -> Draft202012Validator:
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(_closed(schema))


def _closed(node: Any) -> Any:
    """Refuse fields that are not documented, which a client would have to ignore."""
    if isinstance(node, list):
        return [_closed(inner) for inner in node]
    if not isinstance(node, dict):
        return node
    closed = {name: _closed(inner) for name, inner in node.items()}
    if closed.get("type") == "object" and isinstance(closed.get("properties"), dict):
        closed.setdefault("additionalProperties", False)
    return closed


@cache
def _pattern(template: str) -> re.Pattern[str]:
    parts = re.split(r"\{\w+\}", template)
    # To Starlette a line may end behind the path.
    return re.compile("[^/]+".join(map(re.escape, parts)) + r"\n?")
