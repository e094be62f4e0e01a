"""A Valkey of our own, kept running: what several workers on one machine share.

It has the directory to itself, under the lock every store has. The lock's file stays open in Valkey
too: when a server is killed, the kernel lets go of the server's files first and kills Valkey next,
and whoever starts in between must wait until the old Valkey writes no more.
"""

import asyncio
import re
import time
from asyncio import StreamReader, Task, create_subprocess_exec
from asyncio.subprocess import DEVNULL, PIPE, STDOUT, Process
from collections import deque
from contextlib import ExitStack, suppress
from errno import errorcode
from pathlib import Path
from typing import Self
from urllib.parse import quote

from msgspec import Struct

from saleroom_server.again import pause_ms
from saleroom_server.leash import leashed
from saleroom_server.logs import logger
from saleroom_server.store.directory import Kind, keep_private, keep_to
from saleroom_server.store.interface import StoreError
from saleroom_server.store.sqlite_lock import DirectoryInUse, DirectoryLock
from saleroom_server.store.valkey_program import command, durable_on, program, socket_path

FREED_MS = 2_000  # within so long of its server's end an old Valkey has ended too
LOOK_MS = 20  # between two looks whether what is waited for has come
LAST_LINES = 3  # of what it said are in the error when it does not start

LINE = re.compile(r"\d+:[A-Z] .{24} (?P<mark>[.*#-]) (?P<text>.*)")  # pid, role, time

log = logger("store")


class ValkeyLimits(Struct, frozen=True, kw_only=True):
    """How long what may take.

    Attributes:
        start_ms: from its start until it has read all it kept, and answers.
        restart_ms: from its end to its start, unless it ended soon before too: then twice the last.
        restart_most_ms: and never longer than this.
        stop_ms: when told to end; then it is killed.
    """

    start_ms: int = 60_000
    restart_ms: int = 100
    restart_most_ms: int = 5_000
    stop_ms: int = 10_000


class ValkeyFailed(StoreError):
    """Valkey did not start, or not in time."""


class Valkey:
    """One Valkey on a directory of its own, started again whenever it ends; all it kept is there.

    To be started in the main thread, and stopped in the same event loop.

    Attributes:
        url: where it is, over all its lives; for this user's processes only.
    """

    url = ""

    def __init__(self, directory: Path, limits: ValkeyLimits | None = None) -> None:
        self._directory, self._limits = directory.absolute(), limits or ValkeyLimits()
        self._held = ExitStack()  # what is let go of at the end
        self._ending = False
        self._said: deque[str] = deque(maxlen=LAST_LINES)
        self._process: Process | None = None
        self._listening: Task[None] | None = None
        self._keeping: Task[None] | None = None

    async def start(self) -> None:
        """Start it, and wait until it answers. The directory is made if there is none.

        Raises:
            NoValkey: there is no program to be run on this machine.
            DirectoryInUse: another process has the directory.
            HoldsOther: it holds the rooms of a server without workers.
            ValkeyFailed: it ended at once, what it keeps is damaged say; or did not answer in time.
            OSError: the directory cannot be made, or no process.
        """
        try:
            await self._prepare()
            await self._begin()
        except BaseException:
            await self.stop()
            raise
        self._keeping = asyncio.create_task(self._keep())

    async def stop(self) -> None:
        """End it, and leave the directory to others."""
        self._ending = True
        try:
            if self._keeping is not None:
                self._keeping.cancel()
                await asyncio.wait([self._keeping])
            if self._process is not None:
                await self._end(self._process)
            if self._listening is not None:
                await self._listening
        finally:
            self._held.close()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def _prepare(self) -> None:
        found = program()
        self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._lock = await _locked(self._directory)
        self._held.callback(self._lock.release)
        keep_to(Kind.VALKEY, self._directory)
        keep_private(self._directory)
        self._socket = self._held.enter_context(socket_path(self._directory))
        self.url = f"unix://{quote(str(self._socket))}"
        self._command = leashed(command(found, durable_on(self._directory, self._socket)))

    async def _begin(self) -> None:
        try:
            async with asyncio.timeout(self._limits.start_ms / 1000):
                answers = await self._live()
        except TimeoutError:
            late = f"Valkey does not answer after {self._limits.start_ms} ms"
            raise ValkeyFailed(f"{late}: {self._last_words()}") from None
        if not answers:
            assert self._listening is not None
            await self._listening
            raise ValkeyFailed(f"Valkey ended at its start: {self._last_words()}")

    async def _live(self) -> bool:
        """Start a process, and wait until it answers; or has ended, then return False."""
        began = time.monotonic()
        process = await self._spawn()
        while process.returncode is None:
            if await answers(self._socket):
                log.info("valkey_started", ms=_ms_since(began))
                return True
            await asyncio.sleep(LOOK_MS / 1000)
        return False

    async def _spawn(self) -> Process:
        self._process = await create_subprocess_exec(
            *self._command,
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=STDOUT,
            pass_fds=(self._lock.fileno(),),
            start_new_session=True,  # Ctrl-C is for the server, which still writes while it ends
        )
        assert self._process.stdout is not None
        self._listening = asyncio.create_task(self._listen(self._process.stdout))
        return self._process

    async def _keep(self) -> None:
        """Start it again for ever. On a full disk it ends at each write, until there is room."""
        waited_ms = 0
        while True:
            began = time.monotonic()
            assert self._process is not None
            code = await self._process.wait()
            waited_ms = pause_ms(self._limits, waited_ms, _ms_since(began))
            log.error("valkey_ended", code=code, ms=waited_ms)
            while not await self._started_after(waited_ms):
                waited_ms = self._limits.restart_most_ms

    async def _started_after(self, ms: int) -> bool:
        await asyncio.sleep(ms / 1000)
        try:
            await self._live()
        except OSError as error:
            log.error("valkey_not_started", problem=errorcode.get(error.errno or 0, ""))
            return False
        return True

    async def _listen(self, told: StreamReader) -> None:
        while not told.at_eof():
            with suppress(ValueError):  # too long a line is left out; unread, it would wait for us
                self._hear((await told.readline()).decode(errors="replace").strip())

    def _hear(self, line: str) -> None:
        """Pass on what it says. What has not its usual form is what it says before it gives up."""
        usual = LINE.fullmatch(line)
        text = usual["text"] if usual else line
        if not text:
            return
        self._said.append(text)
        if self._ending or (usual and usual["mark"] != "#"):
            log.debug("valkey_says", line=text)
        else:
            log.warning("valkey_warns", line=text)

    def _last_words(self) -> str:
        return " / ".join(self._said) or "it said nothing"

    async def _end(self, process: Process) -> None:
        with suppress(ProcessLookupError):
            process.terminate()
        try:
            async with asyncio.timeout(self._limits.stop_ms / 1000):
                await process.wait()
        except TimeoutError:
            log.warning("valkey_killed", ms=self._limits.stop_ms)
        finally:
            with suppress(ProcessLookupError):
                process.kill()
        await process.wait()


async def _locked(directory: Path) -> DirectoryLock:
    """Lock a directory; the Valkey of a server that was killed a moment ago may still be in it.

    Raises:
        DirectoryInUse: somebody has it, and keeps it.
    """
    began = time.monotonic()
    while True:
        try:
            return DirectoryLock(directory)
        except DirectoryInUse:
            if _ms_since(began) > FREED_MS:
                raise
        await asyncio.sleep(LOOK_MS / 1000)


async def answers(path: Path) -> bool:
    """Tell whether somebody at a socket is ready; a Valkey that still reads says so and is not."""
    try:
        reader, writer = await asyncio.open_unix_connection(path)
    except OSError:
        return False
    try:
        writer.write(b"PING\r\n")
        return await reader.readline() == b"+PONG\r\n"
    except OSError:
        return False
    finally:
        writer.close()


def _ms_since(moment: float) -> int:
    return round((time.monotonic() - moment) * 1000)
