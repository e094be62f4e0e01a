"""A server in this process, asked over ASGI; every answer is held to what is documented."""

from copy import deepcopy
from typing import Any, Self
from urllib.parse import unquote, urlsplit

import msgspec
from httpx import ASGITransport, AsyncClient, Response
from msgspec import Struct

from saleroom_protocol.errors import Reason
from saleroom_server.app import Service, application, service
from saleroom_server.cluster.bus import Bus
from saleroom_server.settings import Settings
from saleroom_server.store.interface import Store
from tests.http.documented import check, check_problem
from tests.support.hand_clock import HandClock, quiet
from tests.support.memory_store import Kept, MemoryStore


class Guest(Struct, frozen=True):
    """Somebody with a token."""

    player: str
    name: str
    token: str


class Served:
    """One server, its clock moved by hand; what it has stored outlives it."""

    clock: HandClock
    store: MemoryStore  # whose failures are the test's
    service: Service

    def __init__(self, settings: Settings, kept: Kept, clock: HandClock) -> None:
        self.settings, self.kept, self.clock = settings, kept, clock

    @classmethod
    async def open(
        cls,
        settings: Settings | None = None,
        kept: Kept | None = None,
        now: int | None = None,
    ) -> Self:
        """Start a server; on a copy of what another one has stored, if need be."""
        clock = HandClock() if now is None else HandClock(now)
        served = cls(settings or Settings(), deepcopy(kept or Kept()), clock)
        await served.start()
        return served

    async def start(self, store: Store | None = None, bus: Bus | None = None) -> None:
        """Start the server, on a store of its own if need be; with a bus it is one of several."""
        self.store = MemoryStore(self.kept, self.clock.now)
        self._on = store or self.store
        self.service = await service(self.settings, self._on, self.clock, bus)
        await self.service.open()
        await quiet()
        # A fault of the server is answered 500, which no test of this package expects.
        self.app = application(self.service, self.settings)
        transport = ASGITransport(self.app)
        self.client = AsyncClient(transport=transport, base_url="http://saleroom.example")

    async def close(self) -> None:
        await self.client.aclose()
        await self.service.close()
        await self._on.close()

    async def restart(self) -> None:
        """End the server, and start another on the same store."""
        await self.close()
        await self.start()

    # Asking

    async def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        by: Guest | None = None,
        key: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> Response:
        """Ask for something; a body that is not bytes is written as JSON."""
        sent = dict(headers or {})
        if by is not None:
            sent["Authorization"] = f"Bearer {by.token}"
        if key is not None:
            sent["Idempotency-Key"] = key
        content = body if isinstance(body, bytes | None) else msgspec.json.encode(body)
        raw = {name.encode(): value.encode("latin-1") for name, value in sent.items()}
        response = await self.client.request(method, path, content=content, headers=raw)
        check(method, unquote(urlsplit(path).path), response)
        return response

    async def get(self, path: str, **how: Any) -> Response:
        return await self.ask("GET", path, **how)

    async def post(self, path: str, body: Any = None, **how: Any) -> Response:
        return await self.ask("POST", path, body, **how)

    async def delete(self, path: str, **how: Any) -> Response:
        return await self.ask("DELETE", path, **how)

    # Doing

    async def guest(self, name: str = "Ada") -> Guest:
        """Become somebody."""
        made = told(await self.post("/v1/players", {"name": name, "kind": "person"}), 201)
        return Guest(made["player"], made["name"], made["token"])

    async def guests(self, count: int) -> list[Guest]:
        return [await self.guest(f"Guest {number}") for number in range(count)]

    async def room(self, by: Guest, **fields: Any) -> Any:
        """Make a room; return what its creator is told."""
        asked = {"game": "kunstmarkt", "seats": 3, **fields}
        return told(await self.post("/v1/rooms", asked, by=by), 201)

    async def summary(self, room: str) -> Any:
        return told(await self.get(f"/v1/rooms/{room}"), 200)

    async def sits(self, by: Guest, room: str, **fields: Any) -> int:
        """Sit down; return the seat."""
        seat: int = told(await self.post(f"/v1/rooms/{room}/seats", fields, by=by), 201)["seat"]
        return seat

    async def status(self, room: str, by: Guest | None = None) -> str:
        status: str = told(await self.get(f"/v1/rooms/{room}", by=by), 200)["status"]
        return status

    async def standing(self, room: str) -> Any:
        """Return what the journal of a room says."""
        actor = self.service.hall.actor(room)
        assert actor is not None
        loaded = await actor.loaded()
        assert loaded is not None
        return loaded.standing

    async def plays_out(self, room: str, by: Guest | None = None) -> None:
        """Let the house bots play a game to its end."""
        for _ in range(60):
            if await self.status(room, by) == "finished":
                return
            await self.clock.passes(30_000)
        raise AssertionError("the bots do not come to an end")


def told(response: Response, status: int) -> Any:
    """Expect an answer; return its body."""
    assert response.status_code == status, response.text
    return msgspec.json.decode(response.content) if response.content else None


def refused(response: Response, reason: Reason, **facts: Any) -> None:
    """Expect a refusal with exactly these facts."""
    assert check_problem(response) is reason, response.text
    assert msgspec.json.decode(response.content)["facts"] == facts, response.text
