"""Where everything is put together. The one place that names a store."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from random import SystemRandom
from secrets import token_bytes
from socket import gethostname
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
from saleroom_server.clock import Clock, SystemClock
from saleroom_server.gateway.endpoint import play
from saleroom_server.gateway.gateway import Gateway
from saleroom_server.gateway.reading import reading
from saleroom_server.http.budgets import Budgets
from saleroom_server.http.lobby import Lobby, Responder, endpoint
from saleroom_server.http.problems import PROBLEM, Json, problem_of
from saleroom_server.http.readiness import Readiness
from saleroom_server.http.replays import Replays
from saleroom_server.http.routes import ROUTES
from saleroom_server.http.tally import Tally
from saleroom_server.logs import logger
from saleroom_server.metrics import Metrics
from saleroom_server.owner import house
from saleroom_server.owner.hall import Hall
from saleroom_server.owner.surroundings import Surroundings
from saleroom_server.rooms.commands import Refusal
from saleroom_server.settings import Settings
from saleroom_server.store.interface import Store
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
    hall: Hall
    gateway: Gateway
    lobby: Lobby
    metrics: Metrics

    async def open(self) -> None:
        """Learn of the rooms there are, and let their clocks run."""
        await self.hall.open()

    async def close(self) -> None:
        """Send everybody away, and finish what is in hand."""
        self.gateway.drain()
        await self.hall.close()

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


async def service(settings: Settings, store: Store, clock: Clock) -> Service:
    """Put a server together.

    Raises:
        Unavailable: the store does not answer.
    """
    metrics = Metrics()
    store = WatchedStore(store, metrics, clock)
    tokens = Tokens(await store.secret("token", token_bytes(KEY_BYTES)), settings.token_lifetime_ms)
    gateway = Gateway(clock, tokens, settings.message, settings.socket, SystemRandom(), metrics)
    around = Surroundings(
        store=store,
        clock=clock,
        room_limits=settings.room,
        limits=settings.owner,
        think=house.think,
        levels=house.levels(),
        deliver=gateway.deliver,
        metrics=metrics,
    )
    hall = Hall(around)
    gateway.serve(hall.actor, hall.sees)
    lobby = Lobby(
        hall=hall,
        follow=reading(gateway),
        store=store,
        tokens=tokens,
        clock=clock,
        readiness=Readiness(
            store,
            clock,
            lambda: gateway.draining,
            kept_ms=settings.probe_kept_ms,
            retry_ms=settings.lobby.retry_ms,
        ),
        pace=settings.pace,
        limits=settings.lobby,
        budgets=Budgets(clock, settings.lobby, metrics),
        replays=Replays(settings.lobby.replays, settings.lobby.retry_ms),
        message_limits=settings.message,
        in_hand=WeakValueDictionary(),
    )
    return Service(store=store, hall=hall, gateway=gateway, lobby=lobby, metrics=metrics)


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


async def open_store(settings: Settings, clock: Clock, address: str = "") -> Store:
    """Open the store in the data directory; or in a Redis, which tells others our address.

    Raises:
        DirectoryInUse: another server has the directory.
        RedisInUse: another server has the Redis.
        UnfitRedis: it would lose what it is given.
        Unavailable: it cannot be reached.
    """
    if not settings.store:
        return await SqliteStore.open(settings.directory, clock=clock.now)
    from saleroom_server.store.redis import RedisStore  # who has none need not wait for it

    return await RedisStore.open(
        settings.store, node=gethostname(), address=address, alone=True, limits=settings.redis
    )


def system_clock() -> Clock:
    """Return the machine's clock."""
    return SystemClock()


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
