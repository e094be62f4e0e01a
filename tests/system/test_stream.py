"""A game read over HTTP from a real server, by a page that knows nothing but an EventSource."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from saleroom_client import Lobby
from tests.support.event_source import EventSource
from tests.support.servers import ServerProcess
from tests.support.witness import merged

ENV = {
    "SALEROOM_ROOM_HOUSE_BOT_MS": "1",
    "SALEROOM_ROOM_HOUSE_BOT_SPREAD_MS": "1",
    "SALEROOM_SOCKET_COMMENT_MS": "1",
    "SALEROOM_SOCKET_SWEEP_MS": "20",
    "SALEROOM_SOCKET_RETRY_MS": "9000",
}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path / "data", env=ENV) as running:
        yield running


class Page:
    """What a page does with an `EventSource`.

    Attributes:
        document: what it shows.
        source: what it has read over the present connection.
        last_id: of the last event, over all connections.
        lives: whether there was a comment.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.document: Any = {}
        self.epoch, self.seq = "", -1
        self.source = EventSource()
        self.last_id = ""
        self.kinds: list[str] = []
        self.lives = asyncio.Event()

    async def reads(self, client: httpx.AsyncClient, most: float = float("inf")) -> int:
        """Read until the response ends, or the connection breaks behind so many events."""
        self.source, known = EventSource(), 0
        headers = {"Last-Event-ID": self.last_id} if self.last_id else {}
        async with client.stream("GET", self.url, headers=headers) as response:
            async for received in response.aiter_bytes():
                self.source.feed(received)
                for event in self.source.events[known:]:
                    self._takes(event.kind, json.loads(event.data))
                if self.source.comments:
                    self.lives.set()
                known = len(self.source.events)
                self.last_id = self.source.last_id or self.last_id
                if known >= most:
                    break
            return response.status_code

    def _takes(self, kind: str, message: Any) -> None:
        self.kinds.append(kind)
        if kind == "view":
            self.document = message["document"]
        elif kind == "update":
            assert (message["epoch"], message["seq"]) == (self.epoch, self.seq + 1)
            self.document = merged(self.document, message.get("patch", {}))
        if kind != "end":
            self.epoch, self.seq = message["epoch"], message["seq"]


async def test_a_page_follows_a_whole_game_though_its_connection_breaks_again_and_again(
    server: ServerProcess,
) -> None:
    lobby = Lobby(server.url)
    await lobby.register("Ada")
    made = await lobby.create_room("kunstmarkt", 3, take_seat=False, bots=["easy"] * 3)
    page = Page(f"{server.url}/v1/rooms/{made.room}/stream")
    async with asyncio.timeout(60), httpx.AsyncClient(timeout=30) as client:
        while "end" not in page.kinds:
            assert await page.reads(client, most=20) == 200
            assert page.source.retry_ms == 9_000
        assert await page.reads(client) == 204
    assert page.document["status"] == "finished"
    assert page.document["result"]["places"]
    assert page.kinds.count("view") == 1, "each time it went on where it was"
    assert page.kinds[-2:] == ["update", "end"]
    assert (await lobby.room(made.room)).status == "finished"


async def test_who_reads_when_the_server_ends_is_told_when_to_come_back_and_does(
    server: ServerProcess,
) -> None:
    lobby = Lobby(server.url)
    await lobby.register("Ada")
    made = await lobby.create_room("kunstmarkt", 3)
    page = Page(f"{server.url}/v1/rooms/{made.room}/stream")
    async with httpx.AsyncClient(timeout=30) as client:
        reading = asyncio.create_task(page.reads(client))
        await page.lives.wait()
        assert await asyncio.to_thread(server.stop) == 0
        assert await reading == 200
        assert page.source.retry_ms is not None
        assert page.source.retry_ms <= 5_000, "no longer what it was told first"
        assert page.kinds == ["view"]
        await asyncio.to_thread(server.start)
        assert await page.reads(client, most=1) == 200
    assert page.kinds == ["view", "view"], "of a new epoch"
