"""A real server whose disk is full: its files may grow no more, until they may again.

The limit is the process's own (RLIMIT_FSIZE): a write beyond it fails as on a disk without room,
and no privileges are needed. What the server has read into memory it goes on telling.
"""

import asyncio
import json
import resource
import sqlite3
import urllib.request
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from saleroom_client import Lobby
from tests.support.commands import QUICK
from tests.support.samples import scraped
from tests.support.servers import ServerProcess, free_port
from tests.support.sockets import plain_entry

pytestmark = pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="Linux only")

JSON = [Subprotocol("saleroom.v1.json")]
PATIENCE_MS = 1_500
SETTINGS = QUICK | {
    "SALEROOM_LOG_FORMAT": "json",
    "SALEROOM_OWNER_PATIENCE_MS": str(PATIENCE_MS),
    "SALEROOM_OWNER_RETRY_MS": "50",
    "SALEROOM_PROBE_KEPT_MS": "0",
}


class Client:
    """A socket that follows one room, and what it has been told."""

    def __init__(self, socket: ClientConnection, room: str) -> None:
        self._socket, self._room = socket, room
        self.told: list[dict[str, Any]] = []
        self.document: dict[str, Any] = {}

    async def sends(self, kind: str, **fields: Any) -> None:
        await self._socket.send(json.dumps({"type": kind, **fields}))

    async def hears(self, *kinds: str) -> dict[str, Any]:
        """Wait for a message of one of these types."""
        while True:
            message = json.loads(await asyncio.wait_for(self._socket.recv(), 10))
            self.told.append(message)
            if message["type"] == "view":
                self.document = message["document"]
            if message["type"] in kinds:
                return dict(message)

    async def hears_all(self, seconds: float) -> list[dict[str, Any]]:
        """Listen until nothing has come for a while; return what did."""
        heard = []
        with suppress(TimeoutError):
            while True:
                heard.append(json.loads(await asyncio.wait_for(self._socket.recv(), seconds)))
        return heard

    async def looks(self) -> dict[str, Any]:
        """Join anew, and return the document."""
        await self.sends("join", id="look", room=self._room, **{"as": "player"})
        await self.hears("view")
        return self.document

    async def acts(self, request: str) -> None:
        """Take the first action listed."""
        action, window = plain_entry(self.document["legal"]), self.document["window"]["number"]
        await self.sends("act", id=request, room=self._room, window=window, action=action)


@asynccontextmanager
async def following(server: ServerProcess, room: str, token: str | None) -> AsyncIterator[Client]:
    async with connect(server.url.replace("http", "ws") + "/v1/play", subprotocols=JSON) as socket:
        client = Client(socket, room)
        await client.sends("hello", client="test/1", token=token)
        await client.looks()
        yield client


def status(url: str) -> int:
    try:
        with urllib.request.urlopen(url + "/readyz", timeout=10) as answer:
            return int(answer.status)
    except HTTPError as error:
        return error.code


def entries(data: Path) -> int:
    """Count what is on disk."""
    with closing(sqlite3.connect(data / "saleroom.sqlite3")) as database:
        count: int = database.execute("SELECT count(*) FROM journal").fetchone()[0]
        return count


def fill(server: ServerProcess, data: Path) -> None:
    """Let no file of the server grow beyond what the store's log has now."""
    size = (data / "saleroom.sqlite3-wal").stat().st_size
    resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def clear(server: ServerProcess) -> None:
    unlimited = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    resource.prlimit(server.pid, resource.RLIMIT_FSIZE, unlimited)


async def test_on_a_full_disk_rooms_wait_and_then_go_on(tmp_path: Path) -> None:
    data, port = tmp_path / "data", free_port()
    with ServerProcess(data, env=SETTINGS | {"SALEROOM_METRICS_PORT": str(port)}) as server:
        lobby, other = Lobby(server.url), Lobby(server.url)
        await lobby.register("Ada")
        await other.register("Bo")
        made = await lobby.create_room("kunstmarkt", 3, bots=["easy"])
        await other.take_seat(made.room)
        async with (
            following(server, made.room, lobby.token) as ada,
            following(server, made.room, other.token) as bo,
        ):
            asked = await turn(ada, bo)
            waiting, before = bo if asked is ada else ada, entries(data)
            await waiting.hears_all(0.2)
            fill(server, data)
            await asked.acts("act-1")
            assert await waiting.hears_all(PATIENCE_MS / 3_000) == []
            assert await asyncio.to_thread(status, server.url) == 503
            refused = await asked.hears("accepted", "refused")
            assert (refused["id"], refused["reason"]) == ("act-1", "unavailable")
            assert await waiting.hears_all(0.1) == []
            assert entries(data) == before

            clear(server)
            for client in (ada, bo):
                await client.hears("view")
                restarted = await client.hears("update")
                assert [event["event"] for event in restarted["events"]] == ["clock_restarted"]
            assert await asyncio.to_thread(status, server.url) == 200
            assert entries(data) == before
            await asked.acts("act-2")
            assert (await asked.hears("accepted", "refused"))["id"] == "act-2"
            assert asked.told[-1]["type"] == "accepted"
            assert entries(data) > before
        read = await asyncio.to_thread(scraped, f"http://127.0.0.1:{port}/metrics")
        assert read.value("store_failures_total", reason="unavailable") > 3
        assert read.value("acts_accepted_total") == 1
        assert read.value("acts_refused_total", reason="unavailable") == 1
        log = [json.loads(line) for line in server.log().splitlines()]
        assert [line["event"] for line in log if line["logger"] == "saleroom.store"] == [
            "store_failed",
            "store_works_again",
        ]


async def test_killed_while_its_disk_is_full_a_server_has_all_it_ever_acknowledged(
    tmp_path: Path,
) -> None:
    data = tmp_path / "data"
    with ServerProcess(data, env=SETTINGS) as server:
        lobby = Lobby(server.url)
        await lobby.register("Ada")
        made = await lobby.create_room("kunstmarkt", 3, bots=["easy", "easy"])
        async with following(server, made.room, lobby.token) as ada:
            await turn(ada)
            await ada.acts("act-1")
            assert (await ada.hears("accepted", "refused"))["type"] == "accepted"
            await turn(ada)
            kept, table = entries(data), ada.document["table"]
            fill(server, data)
            await ada.acts("act-2")
            assert await ada.hears_all(0.3) == []
            server.kill()
        server.start()
        async with following(server, made.room, lobby.token) as ada:
            assert entries(data) == kept
            assert ada.document["table"] == table


async def turn(*clients: Client) -> Client:
    """Return who of them is asked; the house bot may be first."""
    for _ in range(100):
        for client in clients:
            if "legal" in await client.looks():
                return client
    raise AssertionError("nobody is asked")
