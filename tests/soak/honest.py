"""Honest people at a server that may have others: tables that play, each with two who look on.

One of these has a socket, the other reads events; both must arrive at the same document. Every game
must end, and its record verify.
"""

import asyncio
import json
import random
from collections.abc import Mapping, Sequence
from itertools import count
from time import monotonic
from typing import Any, cast

import httpx

from saleroom_bots.registry import strategy_for
from saleroom_client import Lobby, Room, connect, play
from saleroom_rules.games import GAMES
from saleroom_rules.replay import verify
from tests.soak.seen import Fallen
from tests.support.event_source import EventSource
from tests.support.witness import merged

SEATS = 3
PAUSE_S = 0.25  # that a player thinks
RECEIPT_S = 60.0  # an act must be answered in that time, on a busy machine too
GAME_S = 900.0  # a whole game must be over in that time


class Tables:
    """Some tables, game after game.

    Attributes:
        receipts: how many seconds each act waited for its receipt, since somebody looked.
        games: how many have ended with a record that verifies.
        agreed: at how many both spectators arrived at the same document.
        breaks: how often a reader of events had to come back.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self.receipts: list[float] = []
        self.games = self.agreed = self.breaks = 0

    async def play(self, tables: int, until: float) -> None:
        """Play until a time of `monotonic`, and the games of that moment to their end."""
        async with asyncio.TaskGroup() as tasks:
            for number in range(tables):
                tasks.create_task(self._table(number, until))

    async def _table(self, number: int, until: float) -> None:
        keys = [*GAMES]
        for game in count(number):
            if monotonic() > until:
                return
            async with asyncio.timeout(GAME_S):
                await self._game(keys[game % len(keys)])

    async def _game(self, key: str) -> None:
        lobbies = [Lobby(self._url) for _ in range(SEATS)]
        room = await at_a_table(lobbies, key)
        async with asyncio.TaskGroup() as people:
            for lobby in lobbies:
                people.create_task(self._player(lobby, room))
            looked = people.create_task(self._spectator(room))
            read = people.create_task(self._reader(room))
        await asyncio.to_thread(verify, await lobbies[0].record(room))
        self.games += 1
        if looked.result()[0] == read.result()[0]:
            assert looked.result() == read.result(), "both who look on see the same"
            self.agreed += 1

    async def _player(self, lobby: Lobby, name: str) -> None:
        async with connect(self._url, lobby.token, checks=True, renew=lobby.renew) as line:
            room = await line.join(name)
            timed = timed_room(room, self.receipts, RECEIPT_S)
            await play(timed, strategy_for(room.document["game"], "easy"), pause=PAUSE_S)

    async def _spectator(self, name: str) -> tuple[int, Any]:
        """Look on from a socket; return the last number and the last document."""
        async with connect(self._url, checks=True) as line:
            room = await line.join(name, "spectator")
            updates = [update async for update in room]
            return updates[-1].seq, updates[-1].document

    async def _reader(self, name: str) -> tuple[int, Any]:
        """Read events, coming back as a page would; return the last number and document."""
        source, shown, read = EventSource(), cast(Any, {}), 0
        async with httpx.AsyncClient(base_url=self._url, timeout=40) as client:
            while not (source.events and source.events[-1].kind == "end"):
                try:
                    await self._read(client, name, source)
                except httpx.TransportError:
                    await asyncio.sleep(random.random())
                self.breaks += 1
                for event in source.events[read:]:
                    shown = _after(shown, event.kind, json.loads(event.data))
                read = len(source.events)
        self.breaks -= 1  # the last was the end
        return int(source.last_id.rpartition(".")[2]), shown

    async def _read(self, client: httpx.AsyncClient, name: str, source: EventSource) -> None:
        headers = {"Last-Event-ID": source.last_id} if source.last_id else {}
        async with client.stream("GET", f"/v1/rooms/{name}/stream", headers=headers) as answer:
            if answer.status_code != 200:
                await asyncio.sleep(1)
                return
            async for part in answer.aiter_bytes():
                source.feed(part)


async def at_a_table(lobbies: Sequence[Lobby], key: str) -> str:
    """Let guests make a room for all of them and sit down in it; return its id."""
    for number, lobby in enumerate(lobbies):
        await lobby.register(f"Player {number}")
    made = await lobbies[0].create_room(key, len(lobbies))
    for lobby in lobbies[1:]:
        await lobby.take_seat(made.room)
    return made.room


def timed_room(room: Room, receipts: list[float], patience: float) -> Room:
    """Return a room that notes how many seconds each act took until its receipt.

    One that takes longer than `patience` seconds raises `Fallen`.
    """
    return cast(Room, _Timed(room, receipts, patience))


class _Timed:
    def __init__(self, room: Room, receipts: list[float], patience: float) -> None:
        self._room, self._receipts, self._patience = room, receipts, patience

    def __getattr__(self, name: str) -> Any:
        return getattr(self._room, name)

    def __aiter__(self) -> Any:
        return self._room

    async def act(self, action: Mapping[str, Any], *, window: int) -> Any:
        begun = monotonic()
        try:
            return await asyncio.wait_for(self._room.act(action, window=window), self._patience)
        except TimeoutError as error:
            raise Fallen(f"no answer for {self._patience} s") from error
        finally:
            self._receipts.append(monotonic() - begun)


def _after(document: Any, kind: str, told: Any) -> Any:
    match kind:
        case "view":
            return told["document"]
        case "update":
            return merged(document, told.get("patch", {}))
    return document
