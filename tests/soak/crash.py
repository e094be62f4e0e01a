"""`python -m tests.soak crash`: rooms play while their server is killed again and again.

Every act that was acknowledged must stand in the room's record exactly once, as it was sent; every
room must finish; every record must verify.
"""

import argparse
import asyncio
import random
from collections import defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

from msgspec import UNSET, Struct

from saleroom_bots.registry import strategy_for
from saleroom_client import Lobby, Outside, Refused, Room, connect
from saleroom_client.playing import LATE
from saleroom_protocol.games.record import Acted
from saleroom_rules.games import GAMES
from saleroom_rules.replay import verify
from tests.soak.honest import at_a_table
from tests.support.servers import ServerProcess

# A server that is killed every few seconds would teach clients to stay away for half a minute.
IMPATIENT = Outside(random=lambda: random.random() / 40)

KEYS = list(GAMES)  # the rooms take turns


class Acknowledged(Struct, frozen=True):
    """An act whose receipt has come."""

    room: str
    seat: int
    window: int
    action: dict[str, Any]


class Played(Struct):
    """What has come of it."""

    acknowledged: list[Acknowledged]
    records: dict[str, bytes]
    kills: int = 0
    views: int = 0


async def play_and_kill(
    folder: Path, *, rooms: int, seats: int, kill_every: float, think: float, luck: random.Random
) -> Played:
    """Let rooms play on a server that is killed every so many seconds, until all have finished."""
    played = Played([], {})
    with ServerProcess(folder) as server:
        killing = asyncio.create_task(_kill(server, kill_every, luck, played))
        try:
            async with asyncio.TaskGroup() as tasks:
                for number in range(rooms):
                    chance = random.Random(luck.random())
                    tasks.create_task(_room(server.url, number, seats, think, chance, played))
        finally:
            killing.cancel()
            await asyncio.wait({killing})
    return played


def faults(played: Played) -> list[str]:
    """Name what is wrong: acts that were acknowledged and are lost, changed, or there twice.

    A window may take several acts of a seat, as in bargaining: they must be there in order.
    """
    Key = tuple[str, int, int]  # room, seat, window
    told: dict[Key, list[Any]] = defaultdict(list)
    written: dict[Key, list[Any]] = defaultdict(list)
    for act in played.acknowledged:
        told[act.room, act.seat, act.window].append(act.action)
    for room, data in played.records.items():
        for line in verify(data).lines:
            if isinstance(line, Acted) and line.window is not UNSET:
                written[room, line.seat, line.window].append(line.action)
    return [
        f"{key}: acknowledged {told[key]}, the record has {written[key]}"
        for key in {**told, **written}
        if not _stands(told[key], written[key])
    ]


def _stands(sent: list[Any], kept: list[Any]) -> bool:
    """Tell whether acts are there as they were sent, but for what the server completes in them."""
    return len(sent) == len(kept) and all(
        {field: act.get(field) for field in asked} == asked
        for asked, act in zip(sent, kept, strict=True)
    )


def arguments(parser: argparse.ArgumentParser) -> None:
    """Take what may be set."""
    parser.add_argument("--rooms", type=int, default=50)
    parser.add_argument("--seats", type=int, default=4)
    parser.add_argument("--kill-every", type=float, default=2.5, help="seconds")
    parser.add_argument("--think", type=float, default=0.15, help="seconds a player takes, mean")
    parser.add_argument("--seed", type=int, default=1)


def run(args: argparse.Namespace) -> int:
    """Run it and report."""
    begun = monotonic()
    with TemporaryDirectory() as folder:
        played = asyncio.run(
            play_and_kill(
                Path(folder) / "data",
                rooms=args.rooms,
                seats=args.seats,
                kill_every=args.kill_every,
                think=args.think,
                luck=random.Random(args.seed),
            )
        )
    found = faults(played)
    for fault in found[:20]:
        print(fault)
    print(
        f"{len(played.records)} of {args.rooms} rooms finished, {played.kills} kills, "
        f"{len(played.acknowledged)} acts acknowledged, {len(found)} lost or doubled, "
        f"{played.views} views after a break, {monotonic() - begun:.0f} s"
    )
    return 1 if found or len(played.records) != args.rooms else 0


async def _kill(server: ServerProcess, every: float, luck: random.Random, played: Played) -> None:
    while True:
        await asyncio.sleep(luck.uniform(0.5, 1.5) * every)
        server.kill()
        played.kills += 1
        await asyncio.to_thread(server.start)


async def _room(
    url: str, number: int, seats: int, think: float, luck: random.Random, played: Played
) -> None:
    lobbies = [Lobby(url, attempts=200, outside=IMPATIENT) for _ in range(seats)]
    room = await at_a_table(lobbies, KEYS[number % len(KEYS)])
    async with asyncio.TaskGroup() as players:
        for lobby in lobbies:
            players.create_task(_player(url, lobby, room, think, luck, played))
    played.records[room] = await lobbies[0].record(room)


async def _player(
    url: str, lobby: Lobby, name: str, think: float, luck: random.Random, played: Played
) -> None:
    async with connect(url, lobby.token, checks=True, attempts=1000, outside=IMPATIENT) as line:
        room = await line.join(name)
        game, edition = room.document["game"], room.document["edition"]
        choose, catalogue = strategy_for(game, "easy"), await lobby.catalogue(game, edition)
        answered: object = None
        async for update in room:
            played.views += update.whole
            asked = _asked(room)
            if room.document.get("legal") and asked != answered:
                await asyncio.sleep(luck.expovariate(1 / think))
                if _asked(room) == asked:
                    action = choose(room.document, catalogue, luck.choice)
                    if await _acted(room, action, asked[0], played):
                        answered = asked


def _asked(room: Room) -> tuple[int, object]:
    """Return the open window, and how the seat may answer it: that changes where all bargain."""
    return room.document.get("window", {}).get("number", 0), room.document.get("legal")


async def _acted(room: Room, action: dict[str, Any], window: int, played: Played) -> bool:
    assert room.seat is not None
    try:
        await room.act(action, window=window)
    except Refused as refused:
        if refused.reason not in LATE:
            raise
        return False
    played.acknowledged.append(Acknowledged(room.room, room.seat, window, action))
    return True
