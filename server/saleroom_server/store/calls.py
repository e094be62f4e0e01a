"""Calls of a store that are under way: its end waits for them, and refuses those that come then."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from saleroom_server.store.interface import Unavailable


class Calls:
    """Those of one store.

    Attributes:
        underway: how many there are.
        refused: whether there may be no more.
    """

    def __init__(self) -> None:
        self.refused = False
        self.underway = 0
        self._idle = asyncio.Event()
        self._idle.set()

    @contextmanager
    def call(self) -> Iterator[None]:
        """Count one, from beginning to end.

        Raises:
            Unavailable: calls are refused.
        """
        if self.refused:
            raise closed()
        self.underway += 1
        self._idle.clear()
        try:
            yield
        finally:
            self.underway -= 1
            if self.underway == 0:
                self._idle.set()

    async def ended(self) -> None:
        """Wait until none is under way."""
        await self._idle.wait()


def closed() -> Unavailable:
    """Return what a store that is closed answers with."""
    return Unavailable("the store is closed")
