"""Records are replayed to work out their draws: one at a time, beside the loop.

A replay takes as long as a hundred other requests. Were many at it at once, they would take turns
with the loop, and every room would feel it.
"""

import asyncio

from saleroom_protocol.errors import Reason
from saleroom_rules.record import RecordError, read
from saleroom_rules.replay import rules_of, with_draws
from saleroom_server.rooms.commands import Refusal


class Replays:
    """The one replay under way, and those that wait for it."""

    def __init__(self, most: int, retry_ms: int) -> None:
        self._most, self._retry_ms = most, retry_ms
        self._turn = asyncio.Lock()
        self._asked = 0

    async def with_draws(self, body: bytes) -> bytes:
        """Return a record with its draws.

        Raises:
            Refusal: `busy`; `unknown_game`: its edition is no longer at hand.
        """
        if self._asked > self._most:
            raise Refusal(Reason.BUSY, retry_after_ms=self._retry_ms)
        self._asked += 1
        try:
            async with self._turn:
                return await asyncio.to_thread(_with_draws, body)
        finally:
            self._asked -= 1


def _with_draws(body: bytes) -> bytes:
    record = read(body)
    try:
        rules_of(record.header)
    except RecordError as error:
        raise Refusal(Reason.UNKNOWN_GAME, game=record.header.game) from error
    return with_draws(record)
