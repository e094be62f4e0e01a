"""The world outside: sockets, time and chance, each a function that tests replace."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from saleroom_client.websocket import Dial, dial

LONGEST_WAIT = 30.0  # seconds


@dataclass(frozen=True, slots=True)
class Outside:
    """What of the world the SDK uses.

    Attributes:
        dial: opens a WebSocket.
        sleep: waits so many seconds.
        clock: seconds that only ever grow.
        random: a number from 0 up to 1.
    """

    dial: Dial = dial
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    clock: Callable[[], float] = time.monotonic
    random: Callable[[], float] = random.random

    def backoff(self, failures: int) -> float:
        """Return the seconds to wait after a failure that came after so many others.

        0.5 · 2^n with full jitter, 30 at most: PROTOCOL.md, "Close codes".
        """
        return self.random() * min(LONGEST_WAIT, 0.5 * 2.0 ** min(failures, 10))
