"""A subscription to one channel of Redis that lasts, and says when it did not."""

import asyncio
from collections.abc import Callable
from typing import Any, NoReturn

from redis.asyncio import Redis
from redis.asyncio.client import PubSub

from saleroom_server.cluster.bus_limits import BusLimits
from saleroom_server.cluster.trouble import Trouble


class Subscription:
    """Takes what comes on a channel; when the line fails, subscribes again.

    redis-py does that by itself too, and tells nobody. But Redis confirms every subscription, and
    before any but the first something may have been missed.

    Attributes:
        holds: set while it is subscribed, as far as anybody knows.
    """

    def __init__(
        self,
        client: Redis,
        channel: str,
        limits: BusLimits,
        came: Callable[[bytes], None],
        missed: Callable[[], None],
    ) -> None:
        """Nothing is subscribed to until it runs.

        Args:
            client: makes connections.
            channel: its name.
            limits: how long to wait, and how much to take at a stretch.
            came: called with each message; must not raise.
            missed: called when some may have been missed, before the next one; must not raise.
        """
        self.holds = asyncio.Event()
        self._client, self._channel, self._limits = client, channel, limits
        self._came, self._missed = came, missed
        self._confirmations = 0
        self._trouble = Trouble("hearing", limits)

    async def run(self) -> NoReturn:
        """Go on for ever."""
        while True:
            try:
                await self._follow()
            except Exception as error:  # whatever it is: else the node would be deaf for ever
                self.holds.clear()
                await asyncio.sleep(self._trouble.failed(error))

    async def _follow(self) -> NoReturn:
        """Subscribe, and take what comes until the line fails."""
        async with self._client.pubsub(push_handler_func=_as_it_is) as line:
            await line.subscribe(self._channel)
            while True:
                for _ in range(self._limits.messages_per_turn):
                    match await self._next(line):
                        case {"type": "message", "data": data}:
                            self._came(data)
                        case {"type": "subscribe"}:
                            self._confirmed()
                await asyncio.sleep(0)  # what has come already is read without a pause

    async def _next(self, line: PubSub) -> dict[str, Any]:
        """Return what comes next; while nothing does, ask whether anybody is there.

        What counts is how long was waited, not how late it has become: a node that was busy has not
        looked yet at what came meanwhile.

        Raises:
            TimeoutError: nothing has come for too long.
        """
        left_ms = self._limits.silence_ms
        while left_ms > 0:
            wait_ms = min(self._limits.ping_ms, left_ms)
            came: dict[str, Any] | None = await line.get_message(timeout=wait_ms / 1000)
            if came is not None:
                return came
            left_ms -= wait_ms
            await line.ping()
        raise TimeoutError

    def _confirmed(self) -> None:
        self._confirmations += 1
        if self._confirmations > 1:
            self._missed()
        self._trouble.works()
        self.holds.set()


async def _as_it_is(pushed: list[Any]) -> list[Any]:
    """Leave alone what Redis pushes; by default redis-py writes all of it out for a log."""
    return pushed
