"""Errors over HTTP: problem details (RFC 9457) with a reason of the one list."""

from typing import Any

import msgspec
from starlette.responses import Response

from saleroom_protocol.errors import Reason
from saleroom_protocol.http import Problem
from saleroom_server.rooms.commands import Refusal

PROBLEM = "application/problem+json"


class Json(Response):
    """A response whose body is a struct, or anything else msgspec can write."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """Write the body."""
        return content if isinstance(content, bytes) else msgspec.json.encode(content)


def problem_of(refusal: Refusal, status: int | None = None, detail: str = "") -> Response:
    """Return the response that says why something was refused, in words of its own if given."""
    reason = refusal.reason
    answered = status or reason.status or 409  # a reason that only sockets know cannot come here
    problem = Problem(
        type="about:blank",
        title=reason.replace("_", " "),
        status=answered,
        reason=reason,
        detail=detail or reason.meaning,
        facts=refusal.facts,
    )
    return Json(problem, answered, _headers(refusal), media_type=PROBLEM)


def _headers(refusal: Refusal) -> dict[str, str]:
    if refusal.reason is Reason.BAD_TOKEN:
        return {"WWW-Authenticate": "Bearer"}
    if "retry_after_ms" in refusal.facts:
        return {"Retry-After": str(-(-refusal.facts["retry_after_ms"] // 1000))}
    return {}
