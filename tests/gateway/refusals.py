"""Requests that are refused."""

from typing import Any

from saleroom_protocol.errors import Reason
from tests.support.hand_clock import quiet
from tests.support.sockets import Socket


async def refused(socket: Socket, kind: str, **fields: Any) -> tuple[str, dict[str, Any]]:
    """Send a request and expect a refusal whose facts are those documented."""
    request = socket.asks(kind, **fields)
    await quiet()
    reason, facts = socket.refusal(request)
    assert socket.answer(request)["message"]
    documented = next(one for one in Reason if one == reason)
    if documented is not Reason.ILLEGAL_ACTION:
        assert facts.keys() <= set(documented.facts)
    return reason, facts
