"""What the tests of the console's commands need: a quick server, a room and a keyboard by hand."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from saleroom_client import SaleroomError, Update
from tests.support.servers import ServerProcess

QUICK = {
    "SALEROOM_ROOM_START_DELAY_MS": "0",
    "SALEROOM_ROOM_HOUSE_BOT_MS": "0",
    "SALEROOM_ROOM_HOUSE_BOT_SPREAD_MS": "0",
    "SALEROOM_ROOM_PRESENCE_MS": "0",
}
Plain = Mapping[str, Any]


def quick_server(folder: Path) -> ServerProcess:
    """Return a server, not started, whose house bots and rooms wait for nothing."""
    return ServerProcess(folder / "data", env=QUICK)


class ScriptedRoom:
    """A followed room, as the SDK has it, whose updates a test hands out.

    Attributes:
        acts: what was done, with the window named.
        said: what was said.
        answers: to come, one for each act and say; an exception refuses. None left: all is well.
    """

    room = "raaaaaaaaaaaa"

    def __init__(self, document: Any) -> None:
        self._unread: asyncio.Queue[Update | SaleroomError | None] = asyncio.Queue()
        self.acts: list[tuple[Plain, int | None]] = []
        self.said: list[str] = []
        self.answers: list[Any] = []
        self._seq = 0
        self.goes_on(document, whole=True)

    @property
    def document(self) -> Any:
        return self.latest.document

    def goes_on(self, document: Any, *events: Plain, whole: bool = False) -> None:
        """Let an update come."""
        self._seq += 1
        told = tuple(map(dict, events))
        self.latest = Update(seq=self._seq, at=0, events=told, document=document, whole=whole)
        self._unread.put_nowait(self.latest)

    def ends(self, error: SaleroomError | None = None) -> None:
        """Let nothing more come."""
        self._unread.put_nowait(error)

    def __aiter__(self) -> "ScriptedRoom":
        return self

    async def __anext__(self) -> Update:
        update = await self._unread.get()
        if update is None:
            raise StopAsyncIteration
        if isinstance(update, SaleroomError):
            raise update
        return update

    async def act(self, action: Plain, *, window: int | None) -> None:
        self.acts.append((action, window))
        await self._answer()

    async def say(self, text: str) -> None:
        self.said.append(text)
        await self._answer()

    async def _answer(self) -> None:
        answer = self.answers.pop(0) if self.answers else None
        if isinstance(answer, Exception):
            raise answer
        if answer is not None:
            await answer


class Typist:
    """A keyboard, and who sits at it."""

    def __init__(self, attended: bool = True) -> None:
        self.attended = attended
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()

    def types(self, *lines: str | None) -> None:
        """Type lines; None is the end of all typing."""
        for line in lines:
            self._lines.put_nowait(line)

    async def line(self) -> str | None:
        return await self._lines.get()
