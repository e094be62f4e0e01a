"""Where everything is put together, and the one place that chooses a store."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from random import SystemRandom
from secrets import token_bytes
from socket import gethostname
from urllib.parse import urlsplit
from weakref import WeakValueDictionary

from msgspec import Struct
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute

from saleroom_protocol.errors import Reason
from saleroom_server.clock import Clock
from saleroom_server.cluster.bus import Bus
from saleroom_server.cluster.peers import Peers
from saleroom_server.gateway.endpoint import play
from saleroom_server.gateway.gateway import Gateway
from saleroom_server.gateway.reading import reading
from saleroom_server.http.budgets import Budgets
from saleroom_server.http.lobby import Lobby, Responder, endpoint
from saleroom_server.http.problems import PROBLEM, Json, problem_of
from saleroom_server.http.readiness import DOES_NOT_HEAR, DOES_NOT_WRITE, Readiness
from saleroom_server.http.replays import Replays
from saleroom_server.http.routes import ROUTES
from saleroom_server.http.tally import Tally
from saleroom_server.logs import logger
from saleroom_server.metrics import Metrics
from saleroom_server.owner import house
from saleroom_server.owner.advisers import ProcessAdvisers
from saleroom_server.owner.elsewhere import Alone
from saleroom_server.owner.hall import Hall
from saleroom_server.owner.surroundings import Surroundings
from saleroom_server.rooms.commands import Refusal
from saleroom_server.settings import Settings
from saleroom_server.store.interface import Store, StoreError
from saleroom_server.store.shared import SharedStore
from saleroom_server.store.sqlite import SqliteStore
from saleroom_server.store.watched import WatchedStore
from saleroom_server.tokens import Tokens
from saleroom_server.turns import InTurn
from saleroom_server.vitals import collections_timed, pulse

log = logger("server")

KEY_BYTES = 32


class Service(Struct, frozen=True, kw_only=True):
    """A server that runs, but for the sockets it listens on."""

    store: Store
    peers: Peers | None  # where several nodes share the store
    hall: Hall
    advisers: ProcessAdvisers
    gateway: Gateway
    lobby: Lobby
    metrics: Metrics

    async def open(self) -> None:
        """Learn of the rooms there are, and let their clocks run."""
        if self.peers is not None:
            await self.peers.open()
        await self.hall.open()

    async def close(self) -> None:
        """Send everybody away, finish what is in hand, and let other nodes have the rooms."""
        self.gateway.drain()
        if self.peers is not None:
            await self.peers.close()
        await self.hall.close()
        await self.advisers.close()
        with suppress(StoreError):  # else they will notice that this node is gone
            await self.hall.release()

    async def watch(self) -> None:
        """Look after sockets and rooms now and then, for ever."""
        while True:
            await self.lobby.clock.sleep(self.gateway.gateway_limits.sweep_ms)
            try:
                for _ in self.gateway.sweep_in_parts():
                    await asyncio.sleep(0)
                self.hall.sweep()
                self.lobby.budgets.sweep()
            except Exception:  # a fault of ours: without this nobody would be looked after again
                log.exception("sweep_fault")


async def service(
    settings: Settings, store: Store, clock: Clock, bus: Bus | None = None
) -> Service:
    """Put a server together.

    Args:
        settings: how it is run.
        store: alone, or with a bus that of several nodes.
        clock: its own.
        bus: where the other nodes are heard.

    Raises:
        Unavailable: the store does not answer.
    """
    metrics = Metrics()
    peers = None
    if bus is not None:
        assert isinstance(store, SharedStore), "nodes that hear each other share a store"
        peers = Peers(store, bus, clock, settings.peers, settings.room, metrics)
    store = WatchedStore(store, metrics, clock, told_ms=settings.store_told_ms)
    probes = {DOES_NOT_WRITE: store.probe}
    if bus is not None:
        probes[DOES_NOT_HEAR] = bus.probe
    tokens = Tokens(await store.secret("token", token_bytes(KEY_BYTES)), settings.token_lifetime_ms)
    gateway = Gateway(clock, tokens, settings.message, settings.socket, SystemRandom(), metrics)
    advisers = ProcessAdvisers(settings.advice, clock, metrics)
    around = Surroundings(
        store=store,
        clock=clock,
        room_limits=settings.room,
        limits=settings.owner,
        think=house.think,
        levels=house.levels(),
        deliver=gateway.deliver if peers is None else peers.deliver,
        metrics=metrics,
        others=peers or Alone(),
        advisers=advisers,
    )
    hall = Hall(around)
    gateway.serve(hall.actor, hall.sees)
    if peers is not None:
        peers.serve(hall, gateway)
    lobby = Lobby(
        hall=hall,
        follow=reading(gateway),
        store=store,
        tokens=tokens,
        clock=clock,
        readiness=Readiness(
            probes, clock, lambda: gateway.draining, kept_ms=settings.probe_kept_ms
        ),
        pace=settings.pace,
        limits=settings.lobby,
        budgets=Budgets(clock, settings.lobby, metrics),
        replays=Replays(settings.lobby.replays, settings.lobby.retry_ms),
        message_limits=settings.message,
        in_hand=WeakValueDictionary(),
    )
    return Service(
        store=store,
        peers=peers,
        hall=hall,
        advisers=advisers,
        gateway=gateway,
        lobby=lobby,
        metrics=metrics,
    )


def application(served: Service, settings: Settings) -> Starlette:
    """Return the ASGI application of a server."""
    origins = [origin.strip() for origin in settings.origins.split(",")]
    cors = Middleware(
        CORSMiddleware,
        allow_origins=origins,
        allow_methods=["GET", "POST", "DELETE"],
        allow_headers=["Authorization", "Content-Type", "Idempotency-Key", "Last-Event-ID"],
        expose_headers=["Retry-After", "ETag"],
    )
    turns = Middleware(InTurn, per_turn=settings.door.requests_per_turn)
    tally = Middleware(Tally, metrics=served.metrics, clock=served.lobby.clock)
    responders: dict[str, dict[str, Responder]] = {}
    for method, path, responder in ROUTES:
        responders.setdefault(path, {})[method] = responder
    http = [
        Route(path, endpoint(served.lobby, by_method), methods=[*by_method])
        for path, by_method in responders.items()
    ]
    made = Starlette(
        routes=[*http, WebSocketRoute("/v1/play", play(served.gateway, origins))],
        middleware=[turns, tally, cors],
        exception_handlers={HTTPException: _http_error, Exception: _fault},
        lifespan=_lifespan(served, settings.pulse_ms),
    )
    made.router.redirect_slashes = False  # a path has one spelling
    return made


@asynccontextmanager
async def opened(
    settings: Settings, clock: Clock, url: str
) -> AsyncIterator[tuple[Store, Bus | None]]:
    """Open the store: in the data directory; or in a Redis, with a line to the other nodes there.

    Args:
        settings: where it is.
        clock: the server's.
        url: where the other nodes are told that this one is.

    Raises:
        DirectoryInUse: another server has the directory.
        RedisInUse: another node of this name has the Redis.
        UnfitRedis: it would lose what it is given.
        Unavailable: it cannot be reached.
    """
    if not settings.store:
        sqlite = await SqliteStore.open(settings.directory, clock=clock.now)
        async with _closing(sqlite):
            yield sqlite, None
        return
    from saleroom_server.cluster.redis_bus import RedisBus  # who has none need not wait for it
    from saleroom_server.store.redis import RedisStore

    node = settings.node or f"{gethostname()}-{urlsplit(url).port}"
    redis = await RedisStore.open(settings.store, node=node, address=url, limits=settings.redis)
    async with _closing(redis):
        bus = await RedisBus.open(settings.store, redis.node, settings.bus)
        async with _closing(bus):
            yield redis, bus


@asynccontextmanager
async def _closing(opened: Store | Bus) -> AsyncIterator[None]:
    try:
        yield
    finally:
        await opened.close()


def _lifespan(
    served: Service, pulse_ms: int
) -> Callable[[Starlette], AbstractAsyncContextManager[None]]:
    metrics, clock = served.metrics, served.lobby.clock

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        await served.open()
        looking = [
            asyncio.create_task(served.watch()),
            asyncio.create_task(pulse(clock, pulse_ms, metrics.loop_lag)),
        ]
        with collections_timed(metrics.full_collections):
            yield
        for task in looking:
            task.cancel()
        await asyncio.wait(looking)
        await served.close()

    return lifespan


async def _http_error(_: Request, error: Exception) -> Response:
    """What Starlette itself refuses: an unknown path, a method a path does not have."""
    assert isinstance(error, HTTPException)
    problem = {"type": "about:blank", "title": error.detail, "status": error.status_code}
    return Json(problem, error.status_code, error.headers, media_type=PROBLEM)


async def _fault(_: Request, error: Exception) -> Response:
    """A fault of ours: it is logged where it happened; the client learns no more than that."""
    return problem_of(Refusal(Reason.INTERNAL_ERROR))
