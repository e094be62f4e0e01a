"""An adviser without a process: it answers when a test lets it, or goes wrong as it is told."""

import asyncio
import pickle

from saleroom_server.owner.adviser import AdviserGone
from saleroom_server.owner.advising import answer_to


class HandAdviser:
    """See `saleroom_server.owner.adviser.Adviser`.

    Attributes:
        asked: how often something was to be solved.
        starts: how often a process was wanted where there was none.
        spare: whether the system has a process to spare.
    """

    def __init__(self) -> None:
        self.asked = self.starts = 0
        self.runs, self.spare = False, True
        self._held: asyncio.Event | None = None

    async def start(self) -> None:
        if self.runs:
            return
        self.starts += 1
        if not self.spare:
            raise AdviserGone
        self.runs = True

    async def solve(self, work: bytes) -> bytes:
        self.asked += 1
        if self._held is not None:
            await self._held.wait()
        if not self.runs:
            raise AdviserGone
        return answer_to(pickle.loads(work))

    def kill(self) -> None:
        self.runs = False
        self.goes_on()

    async def close(self) -> None:
        self.kill()

    # What a test does to it.

    def holds(self) -> None:
        """Answer nothing until it `goes_on`."""
        self._held = asyncio.Event()

    def goes_on(self) -> None:
        """Answer what it was asked, and at once again."""
        if self._held is not None:
            self._held.set()
            self._held = None
