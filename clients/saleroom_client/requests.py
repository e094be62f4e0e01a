"""Requests that have no receipt yet; no socket, no clock. PROTOCOL.md, "Receipts".

A request keeps its id for as long as it takes: over a broken connection and over `unavailable`.
That is what makes an act happen once.
"""

import secrets
from asyncio import Future
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from saleroom_client.errors import Refused, SaleroomError
from saleroom_protocol import messages
from saleroom_protocol.errors import Reason
from saleroom_protocol.messages import Accepted, Act, Leave, Say

Asked: TypeAlias = Act | Say | Leave

REPEATS = 8  # of one request that meets a passing trouble
PASSING = frozenset({Reason.UNAVAILABLE, Reason.BUSY})


@dataclass(slots=True)
class Pending:
    """One request without a receipt.

    Attributes:
        message: as it is sent, each time the same.
        receipt: what its sender waits for.
        sent_on: the link it was last written to; None if it must be written (again).
        repeats: how often it has met a passing trouble.
    """

    message: Asked
    receipt: "Future[Accepted]"
    sent_on: object | None = None
    repeats: int = field(default=0)


class Requests:
    """All requests of one connection that wait for a receipt, in the order they were made."""

    def __init__(self) -> None:
        self._pending: dict[str, Pending] = {}
        self._prefix = secrets.token_hex(5)  # two programs of one player must never collide
        self._count = 0

    def next_id(self) -> str:
        """Return an id no program has used."""
        self._count += 1
        return f"{self._prefix}-{self._count}"

    def add(self, message: Asked, receipt: "Future[Accepted]") -> None:
        """Keep a request until its receipt comes."""
        self._pending[message.id] = Pending(message, receipt)

    def drop(self, id_: str) -> None:
        """Forget a request whose sender waits no longer."""
        self._pending.pop(id_, None)

    def unsent(self, room: str, link: object) -> Iterator[Asked]:
        """Yield what a room's requests need to have written to a link; count it as written."""
        for pending in self._pending.values():
            if pending.message.room == room and pending.sent_on is not link:
                pending.sent_on = link
                yield pending.message

    def accepted(self, message: Accepted) -> str | None:
        """Take a receipt; return the room it concerns, None if nobody waits for it."""
        pending = self._pending.pop(message.id, None)
        if pending is None:
            return None
        _settle(pending, message)
        return pending.message.room

    def refused(self, message: messages.Refused) -> Pending | None:
        """Take a refusal; return the request if it is to be sent again after a while."""
        pending = self._pending.get(message.id)
        if pending is None:
            return None
        if message.reason in PASSING and pending.repeats < REPEATS:
            pending.repeats += 1
            return pending
        del self._pending[message.id]
        _settle(pending, Refused(message.reason, message.facts, message.message))
        return None

    def fail(self, error: SaleroomError, room: str | None = None) -> None:
        """Give up the requests of one room, or all."""
        for id_, pending in list(self._pending.items()):
            if room is None or pending.message.room == room:
                del self._pending[id_]
                _settle(pending, error)


def _settle(pending: Pending, outcome: Accepted | SaleroomError) -> None:
    if pending.receipt.done():  # its sender has been cancelled
        return
    if isinstance(outcome, Accepted):
        pending.receipt.set_result(outcome)
    else:
        pending.receipt.set_exception(outcome)
