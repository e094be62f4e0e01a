"""A worker's process, as the one that starts it sees it."""

import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process, create_subprocess_exec
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from signal import Signals
from socket import gethostname, socket
from typing import Protocol, TypeAlias

from msgspec.structs import replace

from saleroom_server.leash import leashed
from saleroom_server.settings import Settings, environment, known

READY = "ready"


class Life(Protocol):
    """One life of a worker."""

    async def told(self) -> str:
        """Wait for what it says of itself: `READY`, or why it cannot; "" if it ends without."""

    async def ended(self) -> int:
        """Wait for its end; return its exit code, or of the signal that killed it less than 0."""

    def tell(self, number: Signals) -> None:
        """Send it a signal, unless it has ended."""


Begin: TypeAlias = Callable[[], Awaitable[Life]]


class WorkerProcess:
    """See `Life`. It dies with this process, however that ends."""

    def __init__(self, process: Process) -> None:
        self._process = process

    async def told(self) -> str:
        """See `Life.told`."""
        assert self._process.stdout is not None
        return (await self._process.stdout.readline()).decode(errors="replace").strip()

    async def ended(self) -> int:
        """See `Life.ended`."""
        return await self._process.wait()

    def tell(self, number: Signals) -> None:
        """See `Life.tell`."""
        with suppress(ProcessLookupError):
            self._process.send_signal(number)


def beginning(settings: Settings, number: int, listening: Sequence[socket]) -> Begin:
    """Return what begins a life of a worker. To be called in the main thread.

    Args:
        settings: the server's, its store being the one the workers share.
        number: of the worker, from 1 on.
        listening: sockets, the worker's own first.
    """
    descriptors = [each.fileno() for each in listening]
    port = listening[0].getsockname()[1]
    words = [sys.executable, "-P", "-m", "saleroom_server.workers.main", str(number)]
    command = leashed([*words, *map(str, descriptors)])
    variables = _variables(_of_worker(settings, number, port))

    async def begin() -> Life:
        return WorkerProcess(
            await create_subprocess_exec(
                *command,
                stdin=DEVNULL,
                stdout=PIPE,
                pass_fds=descriptors,
                env=variables,
                start_new_session=True,  # Ctrl-C is for the one that ends it properly
            )
        )

    return begin


def _of_worker(settings: Settings, number: int, port: int) -> Settings:
    """Return the settings of a worker: a node and, if there are metrics, a port of its own."""
    first = settings.metrics_port
    return replace(
        settings,
        workers=0,
        node=f"{settings.node or f'{gethostname()}-{port}'}-{number}",
        metrics_port=first and first + number - 1,
    )


def _variables(settings: Settings) -> dict[str, str]:
    ours = {setting.variable for setting in known()}
    others = {name: value for name, value in os.environ.items() if name not in ours}
    return {**others, **environment(settings)}
