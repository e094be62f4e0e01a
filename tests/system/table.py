"""A table of three people on real servers, who play on whatever happens to those."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import cycle
from typing import Any

from saleroom_bots.registry import strategy_for
from saleroom_client import Lobby, Room, connect, play
from saleroom_rules.replay import verify
from tests.soak.crash import IMPATIENT

THINK = 0.1  # seconds, until the server is lost


async def three_seated(url: str) -> tuple[list[Lobby], str]:
    """Register three people and seat them in a room; return them, and the room."""
    lobbies = [Lobby(url, attempts=200, outside=IMPATIENT) for _ in range(3)]
    for number, lobby in enumerate(lobbies):
        await lobby.register(f"Player {number}")
    made = await lobbies[0].create_room("kunstmarkt", 3)
    for lobby in lobbies[1:]:
        await lobby.take_seat(made.room)
    return lobbies, made.room


@asynccontextmanager
async def playing(*urls: str, think: float = THINK) -> AsyncIterator[Room]:
    """Let three people play a game, and look on until it is over: nothing was lost.

    Args:
        urls: the players' servers, in turn; who looks on is at the last one.
        think: seconds, until something happens.
    """
    lobbies, room_id = await three_seated(urls[0])
    windows: list[int] = []
    gone = asyncio.Event()
    async with (
        asyncio.TaskGroup() as tasks,
        connect(urls[-1], checks=True, attempts=1000, outside=IMPATIENT) as line,
    ):
        room = await line.join(room_id, "spectator")
        watching = tasks.create_task(watch(room, windows))
        for url, lobby in zip(cycle(urls), lobbies, strict=False):
            tasks.create_task(player(url, lobby, room_id, gone, think))
        await until(room, 2)
        yield room
        gone.set()
        await watching
    assert windows == sorted(windows), "nothing acknowledged was lost"
    verify(await lobbies[0].record(room_id))


async def watch(room: Room, windows: list[int]) -> None:
    """Note the open windows, up to the end."""
    seq = 0
    async for update in room:
        assert update.seq >= seq, "seq never falls"
        seq = update.seq
        if "window" in update.document:
            windows.append(window_of(update.document))


async def player(
    url: str, lobby: Lobby, name: str, gone: asyncio.Event, think: float = THINK
) -> None:
    """Play slowly, and from when the server is gone on as fast as can be, with the same socket."""
    async with connect(url, lobby.token, checks=True, attempts=1000, outside=IMPATIENT) as line:
        room, choose = await line.join(name), strategy_for("kunstmarkt", "easy")
        catalogue = await lobby.catalogue("kunstmarkt", 1)
        slow = asyncio.create_task(play(room, choose, catalogue=catalogue, pause=think))
        await gone.wait()
        slow.cancel()
        await asyncio.wait({slow})
        await play(room, choose, catalogue=catalogue)


async def until(room: Room, window: int) -> None:
    while window_of(room.document) < window:
        assert room.document["status"] != "finished", "too fast"
        await asyncio.sleep(0.01)


def window_of(document: dict[str, Any]) -> int:
    number: int = document.get("window", {}).get("number", 0)
    return number
