"""One server for very many rooms: its clock moved by hand, its store on a disk that may fail."""

import asyncio
from asyncio import Future
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any, TypeVar
from unittest.mock import patch

import msgspec
from httpx import Response

from saleroom_protocol.codec import JSON, MSGPACK
from saleroom_rules.games import GAMES
from saleroom_server.gateway.limits import GatewayLimits
from saleroom_server.owner import founding
from saleroom_server.owner.advisers import AdviceLimits
from saleroom_server.rooms.commands import Caller
from saleroom_server.settings import Settings
from saleroom_server.store.interface import Unavailable
from saleroom_server.store.sqlite import SqliteStore
from saleroom_server.store.sqlite_ledger import Ledger
from tests.http.served import Guest, Served
from tests.support.games import TOY
from tests.support.hand_clock import HandClock, quiet
from tests.support.inventory import inventory
from tests.support.logged import complaints
from tests.support.memory_store import Fault, Kept
from tests.support.sockets import Socket

T = TypeVar("T")
SWEEP_MS = 5_000  # the hours in which nothing happens but that all is put away go by faster


class FickleStore(SqliteStore):
    """SQLite on a disk; what is asked for can be waited for, and an append may fail."""

    fault: Fault | None = None  # of the next append

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._waited_for: set[Future[Any]] = set()

    def append(self, *arguments: Any, **more: Any) -> "Future[None]":
        fault, self.fault = self.fault, None
        if fault is Fault.NOT_WRITTEN:
            return _failing(None)
        future = super().append(*arguments, **more)
        return future if fault is None else _failing(future)

    def _ask(self, work: Callable[[Ledger], T]) -> "Future[T]":
        future = super()._ask(work)
        self._waited_for.add(future)
        future.add_done_callback(self._waited_for.discard)
        return future

    async def quiet(self) -> None:
        """Run the loop until nothing moves by itself, here or in the store's threads."""
        await quiet()
        while self._waited_for or self._calls.underway:
            await (asyncio.wait(self._waited_for) if self._waited_for else self._calls.ended())
            await quiet()


def _failing(written: "Future[None] | None") -> "Future[None]":
    """Return a future that is `Unavailable`, once something is written that nobody hears of."""
    failing: Future[None] = asyncio.get_running_loop().create_future()

    def fail(_: object = None) -> None:
        failing.set_exception(Unavailable("fickle"))

    if written is None:
        asyncio.get_running_loop().call_soon(fail)
    else:
        written.add_done_callback(fail)
    return failing


class Lobby(Served):
    """A server that is asked while time passes; what it answers is held to nothing here."""

    async def ask(self, method: str, path: str, body: Any = None, **how: Any) -> Response:
        by, key = how.get("by"), how.get("key")
        headers = {} if by is None else {"Authorization": f"Bearer {by.token}"}
        headers |= {} if key is None else {"Idempotency-Key": key}
        content = msgspec.json.encode(body)
        request = self.client.request(method, path, content=content, headers=headers)
        asking = asyncio.create_task(request)
        await self.clock.quiet()
        while not asking.done():  # the store has failed, and is tried again in a while
            await self.clock.passes(self.settings.owner.retry_ms)
        return await asking


class World:
    """A server with its lobby, as `tests.http` asks it; and sockets to its gateway.

    Attributes:
        complaints: what it has logged as an error.
    """

    def __init__(self, served: Served, store: FickleStore, complaints: list[str]) -> None:
        self.served, self.store, self.clock = served, store, served.clock
        self.gateway = served.service.gateway
        self.complaints = complaints

    def held(self) -> Counter[str]:
        """Count what the server holds in memory."""
        return inventory({"service": self.served.service, "app": self.served.app}, self.clock)

    def status(self, room: str) -> str:
        return self.served.service.hall.summary(room).status

    def token(self, caller: Caller) -> str:
        return self.served.service.lobby.tokens.issue(caller, self.clock.now()).token

    def socket(self, guest: Guest | None, *, text: bool, checks: bool) -> Socket:
        """Open a socket and say hello."""
        socket = Socket(self, JSON if text else MSGPACK)
        caller = None if guest is None else Caller(guest.player, guest.name, "person")
        socket.greets(caller, checks=checks)
        return socket


@asynccontextmanager
async def world(luck: Random) -> AsyncIterator[World]:
    """A server that looks after its sockets and rooms, and may play the toy game too."""
    clock, drawn = HandClock(), SimpleNamespace(token_bytes=luck.randbytes)
    with (
        TemporaryDirectory() as folder,
        patch.dict(GAMES, toy=TOY),
        patch.object(founding, "secrets", drawn),
        complaints() as heard,
    ):
        store = await FickleStore.open(Path(folder), clock=clock.now)
        clock.quiet = store.quiet
        settings = Settings(
            socket=GatewayLimits(sweep_ms=SWEEP_MS),
            advice=AdviceLimits(processes=0),  # by this clock each would be hours late
        )
        served = Lobby(settings, Kept(), clock)
        await served.start(store)
        watching = asyncio.create_task(served.service.watch())
        await served.get("/v1/games")  # some of the application is made when it is first asked
        await clock.quiet()
        try:
            yield World(served, store, heard)
        finally:
            watching.cancel()
            await asyncio.wait([watching])
            closing = asyncio.create_task(served.close())
            while not closing.done():  # the store has failed, and is tried again in a while
                await clock.passes(settings.owner.retry_ms)
            await closing
