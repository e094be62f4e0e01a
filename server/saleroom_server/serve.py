"""Runs a server: its address, its signals, and a clean end."""

import asyncio
import errno
import gc
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from typing import Any, cast

import uvicorn
from msgspec import Struct
from msgspec.structs import replace

from saleroom_server.app import Service, application, opened, service
from saleroom_server.clock import SystemClock
from saleroom_server.door import Door, GuardedProtocol
from saleroom_server.gateway.connection import SERVER
from saleroom_server.gateway.fanout import FanoutProtocol
from saleroom_server.listening import listen, url_of
from saleroom_server.logs import logger
from saleroom_server.metrics_listener import metrics_listening
from saleroom_server.settings import Settings, changed
from saleroom_server.store.shared import SharedStore

log = logger("server")

# A busy loop lets go of the interpreter only for moments; with the usual 5 ms the store's thread
# may wait for whole seconds until it gets a turn.
SWITCH_SECONDS = 0.0002
SIGNALS = (signal.SIGINT, signal.SIGTERM)
# The collector looks when so many objects more were made than let go of. Play lets go of what it
# makes, so the many objects that sockets are made of are not walked through again and again.
YOUNG_OBJECTS = 50_000
SPARE_FILES = 64  # descriptors that are not sockets of clients
LEAST_CONNECTIONS = 64  # with fewer it would listen and turn everybody away
GIVEN_TO_WORKERS = ("SALEROOM_STORE", "SALEROOM_NODE")  # by whoever starts them, set or not


class Serving(Struct, frozen=True):
    """A server that listens: where, how to end it as SIGTERM would, and by how many workers."""

    url: str
    stop: Callable[[], None]
    workers: int = 0


def run(served: Coroutine[Any, Any, None]) -> None:
    """Run on uvloop where there is one."""
    try:
        import uvloop
    except ImportError:  # it was not built for this system
        asyncio.run(served)
    else:
        uvloop.run(served)


async def serve(
    settings: Settings,
    ready: Callable[[Serving], None],
    listening: Sequence[socket.socket] = (),
) -> None:
    """Serve until the process is told to end (SIGINT, SIGTERM).

    Args:
        settings: how.
        ready: called once the server listens.
        listening: of a worker: its own socket, then the others', all to be closed; else one is
            made.

    Raises:
        StoreError: the store cannot be opened: another server has it, say.
        OSError: the address cannot be listened on, the directory not be written, or too few files
            be opened.
    """
    settings = _within_open_files(settings)
    sys.setswitchinterval(SWITCH_SECONDS)
    with _Ending() as ending, ExitStack() as held:
        sockets = listening or [listen(settings.host, settings.port)]
        own, *others = map(held.enter_context, sockets)
        clock, url = SystemClock(), url_of(own)
        async with opened(settings, clock, url) as (store, bus):
            served = await service(settings, store, clock, bus)
            registry = served.metrics.registry
            async with metrics_listening(
                settings.metrics_host, settings.metrics_port, registry
            ) as metrics_url:
                server = _Server(settings, served, others, outlived=bool(listening))
                ending.concerns(server)
                if isinstance(store, SharedStore):
                    store.when_drained(server.stop)
                serving = Serving(url, server.stop)
                given = GIVEN_TO_WORKERS if listening else ()
                server.ready = lambda: _tell(serving, settings, given, metrics_url, ready)
                await server.serve(sockets=[own])
    log.info("server_stopped")


def _tell(
    serving: Serving,
    settings: Settings,
    given: Sequence[str],
    metrics: str,
    ready: Callable[[Serving], None],
) -> None:
    ready(serving)
    log.info(
        "server_started",
        url=serving.url,
        metrics=metrics,
        version=SERVER,
        store="redis" if settings.store else "sqlite",
        data=settings.place,
        changed=[name for name in changed(settings) if name not in given],
    )


class _Ending:
    """Hears the signals to end from the first moment on, also before there is a server."""

    def __init__(self) -> None:
        self._told = False
        self._server: _Server | None = None

    def __enter__(self) -> "_Ending":
        loop = asyncio.get_running_loop()
        for number in SIGNALS:
            loop.add_signal_handler(number, self._hear, number)
        if not os.isatty(0):  # else it is said by the terminal, which is gone
            loop.add_signal_handler(signal.SIGHUP, self._hear_reload)
        return self

    def __exit__(self, *_: object) -> None:
        loop = asyncio.get_running_loop()
        for number in (*SIGNALS, signal.SIGHUP):
            loop.remove_signal_handler(number)

    def concerns(self, server: "_Server") -> None:
        """Say which server is to end: at once, if that has been told already."""
        self._server, server.should_exit = server, self._told

    def _hear(self, number: int) -> None:
        self._told = True
        if self._server is not None:
            self._server.handle_exit(number, None)

    def _hear_reload(self) -> None:
        log.warning("no_workers_to_roll")


class _Server(uvicorn.Server):
    """uvicorn, sending everybody away properly before it closes what is left."""

    ready: Callable[[], None]

    def __init__(
        self,
        settings: Settings,
        served: Service,
        others: Sequence[socket.socket],
        *,
        outlived: bool,
    ) -> None:
        most = settings.socket.sockets + settings.door.connections_beside
        turned_away = served.metrics.connections_turned_away
        door = Door(served.lobby.clock, settings.door, most, settings.trust_proxy, turned_away)
        self._guarded = partial(GuardedProtocol, door)
        super().__init__(
            uvicorn.Config(
                application(served, settings),
                ws=FanoutProtocol,
                # Up to this our own answer says what was wrong; beyond it uvicorn just closes.
                ws_max_size=4 * settings.message.client_message_bytes,
                ws_ping_interval=None,  # PROTOCOL.md has a ping of its own
                ws_per_message_deflate=False,
                http=cast(Any, self._guarded),
                callback_notify=door.sweep,
                timeout_notify=0,  # whenever uvicorn looks after itself: every second
                proxy_headers=bool(settings.trust_proxy),
                forwarded_allow_ips=settings.trust_proxy or None,
                access_log=False,
                log_config=None,
                server_header=False,
                timeout_graceful_shutdown=settings.drain_ms // 1000,
                backlog=settings.door.backlog,
            )
        )
        self._served, self._others, self._limits = served, others, settings.worker
        self._outlived = outlived  # by its socket: who comes now may wait there for others

    def stop(self) -> None:
        """End as SIGTERM would."""
        self.should_exit = True

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        gc.freeze()  # what is there now stays: full collections need not look at it
        gc.set_threshold(YOUNG_OBJECTS)
        self._helping = asyncio.create_task(self._help())
        self.ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._helping.cancel()
        if self._outlived:
            for server in self.servers:
                server.close()
        gateway = self._served.gateway
        log.info("server_stopping", sockets=len(gateway))
        await gateway.farewell()
        await super().shutdown(sockets)

    async def _help(self) -> None:
        """Take what waits at other workers' sockets: they are busy, or no more."""
        while self._others:
            await asyncio.sleep(self._limits.help_ms / 1000)
            for other in self._others:
                try:
                    await self._accept(other)
                except Exception:  # a fault of ours: without this nobody would be helped again
                    log.exception("help_fault")

    async def _accept(self, other: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        with suppress(OSError):  # nobody waits any more, or no more files can be opened
            for _ in range(self._limits.helped_at_once):
                connection = other.accept()[0]
                try:
                    connection.setblocking(False)
                    await loop.connect_accepted_socket(self._protocol, connection)
                except BaseException:  # nobody else has it yet
                    connection.close()
                    raise

    def _protocol(self) -> asyncio.Protocol:
        return self._guarded(
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals to `_Ending`; uvicorn would raise them again and die of it."""
        yield


def _within_open_files(settings: Settings) -> Settings:
    """Raise the limit of open files as far as it goes, and take no more connections than fit.

    Raises:
        OSError: hardly any would fit.
    """
    sockets, beside = settings.socket.sockets, settings.door.connections_beside
    wanted = sockets + beside + SPARE_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    open_files = max(soft, most)
    fitting = open_files - SPARE_FILES
    if fitting < LEAST_CONNECTIONS:
        least = SPARE_FILES + LEAST_CONNECTIONS
        problem = f"the limit of open files is {open_files}, and a server needs {least} at least"
        raise OSError(errno.EMFILE, problem)
    beside = min(beside, fitting // 4)
    return replace(
        settings,
        socket=replace(settings.socket, sockets=min(sockets, fitting - beside)),
        door=replace(settings.door, connections_beside=beside),
    )
