"""What waits to be sent."""

import asyncio
from collections import deque
from collections.abc import Iterator
from typing import TypeAlias

from saleroom_server.cluster.bus_limits import BusLimits

Message: TypeAlias = tuple[str, bytes]  # to which node, what


class Outgoing:
    """Messages in the order they are sent in; when too much waits, the oldest are lost."""

    def __init__(self, limits: BusLimits) -> None:
        self._limits = limits
        self._waiting: deque[Message] = deque()
        self._bytes = 0
        self._changed = asyncio.Event()
        self._closed = False

    def put(self, node: str, body: bytes) -> None:
        """Let something wait; nothing does after the end."""
        if self._closed:
            return
        self._waiting.append((node, body))
        self._bytes += len(body)
        while self._too_much():
            self._next()
        self._changed.set()

    def close(self) -> None:
        """Let nothing more come."""
        self._closed = True
        self._changed.set()

    async def group(self) -> list[Message]:
        """Wait until there is something, and take what may go together; nothing: it is the end."""
        while not self._waiting and not self._closed:
            self._changed.clear()
            await self._changed.wait()
        return [*self._group()]

    def _group(self) -> Iterator[Message]:
        """Yield at least one message, however large it is."""
        messages, left = self._limits.group_messages, self._limits.group_bytes
        while self._waiting and messages > 0 and left > 0:
            node, body = self._next()
            messages, left = messages - 1, left - len(body)
            yield node, body

    def _too_much(self) -> bool:
        limits = self._limits
        return len(self._waiting) > limits.waiting_messages or self._bytes > limits.waiting_bytes

    def _next(self) -> Message:
        node, body = self._waiting.popleft()
        self._bytes -= len(body)
        return node, body
