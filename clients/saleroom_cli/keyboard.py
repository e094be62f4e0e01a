"""Lines as they are typed, without stopping the event loop."""

import asyncio
import sys
from asyncio import AbstractEventLoop, Queue
from contextlib import suppress
from threading import Semaphore, Thread
from typing import TextIO


def standard_input() -> TextIO | None:
    """Return where typing comes from; None if the process was started without."""
    return sys.stdin


class Keyboard:
    """Hands out lines one by one; each is read only when the one before it was taken.

    Attributes:
        attended: whether somebody sits at it; else it is a file or a pipe.
    """

    def __init__(self, stream: TextIO) -> None:
        self.attended = stream.isatty()
        self._lines: Queue[str | None] = Queue()
        self._taken = Semaphore()
        loop = asyncio.get_running_loop()
        # A daemon: nothing else can end waiting for a key.
        Thread(target=self._read, args=(stream, loop), daemon=True).start()

    async def line(self) -> str | None:
        """Return the next line without its end; None if there are no more."""
        line = await self._lines.get()
        self._taken.release()
        return line

    def _read(self, stream: TextIO, loop: AbstractEventLoop) -> None:
        line: str | None = ""
        while line is not None:
            self._taken.acquire()
            line = _next(stream)
            with suppress(RuntimeError):  # the program ends
                loop.call_soon_threadsafe(self._lines.put_nowait, line)


def _next(stream: TextIO) -> str | None:
    try:
        line = stream.readline()
    except (OSError, ValueError):  # the terminal is gone
        return None
    return line.strip() if line else None
