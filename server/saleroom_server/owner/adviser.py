"""A process beside this one that works out advice, one piece after the other.

It is started when there is something for it to do, and again when it has ended. What it is given is
pickled, as `multiprocessing` would; both ends are this program, and nobody else has the pipes.
"""

import sys
from asyncio import IncompleteReadError, create_subprocess_exec
from asyncio.subprocess import DEVNULL, PIPE, Process
from contextlib import suppress
from errno import errorcode

from saleroom_server.leash import leashed
from saleroom_server.logs import logger
from saleroom_server.owner.advising import SIZE_BYTES

log = logger("rooms")


class AdviserGone(Exception):
    """There is no process: it has ended, or could not be started. What it worked on is lost."""


class Adviser:
    """One process, or none at the moment."""

    def __init__(self) -> None:
        self._process: Process | None = None

    @property
    def runs(self) -> bool:
        """Whether there is a process, as far as the system has told."""
        return self._process is not None and self._process.returncode is None

    async def start(self) -> None:
        """Have a process, there being none, or none any more.

        Raises:
            AdviserGone: the system has none to spare.
        """
        if self._process is not None:  # it ended while it had nothing to do
            await self._ended()
        try:
            self._process = await create_subprocess_exec(
                *leashed([sys.executable, "-P", "-m", "saleroom_server.owner.advising"]),
                stdin=PIPE,
                stdout=PIPE,
                stderr=DEVNULL,  # an exception might say what a seat holds
                start_new_session=True,  # Ctrl-C is for the server
            )
        except OSError as error:
            log.error("adviser_not_started", problem=errorcode.get(error.errno or 0, ""))
            raise AdviserGone from error
        log.debug("adviser_started")

    async def solve(self, work: bytes) -> bytes:
        """Return what the process answers to pickled work; `kill` ends the waiting for it.

        Raises:
            AdviserGone: it has ended.
        """
        assert self._process is not None, "it was started"
        try:
            return await _exchange(self._process, work)
        except (OSError, IncompleteReadError) as error:
            await self._ended()
            raise AdviserGone from error

    def kill(self) -> None:
        """End the process in the middle of whatever it does."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                self._process.kill()

    async def close(self) -> None:
        """End the process, and wait until it has."""
        if self._process is not None:
            self.kill()
            await self._process.wait()
            self._process = None

    async def _ended(self) -> None:
        """Wait for the end, and tell how it came: as the system says, a signal below 0."""
        assert self._process is not None, "it was started"
        code, self._process = await self._process.wait(), None
        log.error("adviser_ended", code=code)


async def _exchange(process: Process, work: bytes) -> bytes:
    assert process.stdin is not None
    assert process.stdout is not None
    if process.stdin.is_closing():  # uvloop would raise something of its own
        raise BrokenPipeError
    process.stdin.write(work)
    await process.stdin.drain()
    size = await process.stdout.readexactly(SIZE_BYTES)
    return await process.stdout.readexactly(int.from_bytes(size))
