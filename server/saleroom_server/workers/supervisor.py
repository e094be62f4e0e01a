"""Serves by several processes: the one that starts them, and what they share.

It does little, so that it has no reason to fail: it holds the sockets that listen, a Valkey of its
own unless there is a Redis, and starts again whatever ends. Whatever it starts dies with it.
"""

import asyncio
import signal
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from socket import socket

from msgspec.structs import replace

from saleroom_server.clock import Clock, SystemClock
from saleroom_server.gateway.connection import SERVER
from saleroom_server.listening import listen, listen_together, url_of
from saleroom_server.logs import logger
from saleroom_server.serve import SIGNALS, Serving
from saleroom_server.settings import Settings, changed
from saleroom_server.store.valkey import Valkey
from saleroom_server.workers.crew import Crew
from saleroom_server.workers.process import beginning
from saleroom_server.workers.worker import Worker

log = logger("workers")


async def serve_by_workers(settings: Settings, ready: Callable[[Serving], None]) -> None:
    """Serve by as many workers as are set, until told to end (SIGINT, SIGTERM).

    SIGHUP replaces the workers by new ones, one after the other. `ready` is called once all serve.

    Raises:
        NotStarted: a worker cannot be started, or of a bad setting no longer.
        StoreError: there is no store: another server has the directory, say.
        OSError: the address cannot be listened on, or the directory not be written.
    """
    with _Signals() as told:
        serving = asyncio.create_task(_serve(settings, ready, told))
        ending = asyncio.create_task(told.end.wait())
        try:
            await asyncio.wait({serving, ending}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            ending.cancel()
            serving.cancel()
        with suppress(asyncio.CancelledError):
            await serving
    log.info("workers_stopped")


async def _serve(settings: Settings, ready: Callable[[Serving], None], told: "_Signals") -> None:
    clock = SystemClock()
    began = clock.now()
    with listen(settings.host, settings.port):
        pass  # where that cannot be, no store is made
    async with _store(settings) as url:
        with listen_together(
            settings.host, settings.port, settings.workers, backlog=settings.door.backlog
        ) as sockets:
            crew = told.crew = _crew(replace(settings, store=url), sockets, clock)
            try:
                await crew.start()
                serving = Serving(url_of(sockets[0]), told.end.set, settings.workers)
                ready(serving)
                _log(serving, settings, clock.now() - began)
                await crew.keep(told.roll)
            finally:
                await crew.stop()


def _crew(settings: Settings, sockets: Sequence[socket], clock: Clock) -> Crew:
    workers = []
    for number in range(1, len(sockets) + 1):
        own_first = [*sockets[number - 1 :], *sockets[: number - 1]]
        begin = beginning(settings, number, own_first)
        workers.append(Worker(number, begin, clock, settings.worker, settings.drain_ms))
    return Crew(workers)


@asynccontextmanager
async def _store(settings: Settings) -> AsyncIterator[str]:
    """Keep a Valkey in the data directory meanwhile, unless there is a store; yield its URL."""
    if settings.store:
        yield settings.store
    else:
        async with Valkey(settings.directory, settings.valkey) as valkey:
            yield valkey.url


def _log(serving: Serving, settings: Settings, ms: int) -> None:
    log.info(
        "workers_started",
        url=serving.url,
        workers=serving.workers,
        version=SERVER,
        store="redis" if settings.store else "valkey",
        data=settings.place,
        changed=changed(settings),
        ms=ms,
    )


class _Signals:
    """Hears what the process is told, from the first moment on.

    Attributes:
        end: to end.
        roll: to replace the workers.
        crew: as soon as there is one.
    """

    def __init__(self) -> None:
        self.end, self.roll = asyncio.Event(), asyncio.Event()
        self.crew: Crew | None = None

    def __enter__(self) -> "_Signals":
        loop = asyncio.get_running_loop()
        for number in SIGNALS:
            loop.add_signal_handler(number, self._hear_end, number)
        loop.add_signal_handler(signal.SIGHUP, self.roll.set)
        return self

    def __exit__(self, *_: object) -> None:
        loop = asyncio.get_running_loop()
        for number in (*SIGNALS, signal.SIGHUP):
            loop.remove_signal_handler(number)

    def _hear_end(self, number: signal.Signals) -> None:
        """End; who cannot wait says so by a second Ctrl-C, as to a single server."""
        if self.end.is_set() and self.crew is not None:
            self.crew.tell(number)
        self.end.set()
