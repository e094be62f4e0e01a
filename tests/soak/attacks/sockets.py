"""Attacks over sockets: floods of requests, of joins, of talk, and clients that never read."""

import asyncio
from contextlib import AsyncExitStack
from typing import Any

from saleroom_protocol.codec import JSON
from tests.soak.attacks.attacker import Attack, Attacker, Wire
from tests.soak.hostile import ACTIONS, NUMBERS, Hostile

TEXTS = ["\u202e\u2066abc", "\u200b", "🏴" * 400, "a\u0300" * 300, "x" * 100_000, "\x00", "", "é"]
BURST = 2_000  # requests on one socket


async def joins(attacker: Attacker) -> None:
    """Joins with any cursor, to one lively room and to very many others: each may cost a view."""
    room = await attacker.lively()
    async with attacker.socket() as wire:
        for number in range(BURST):
            wanted = room if number % 4 else f"r{number:012}"
            cursor = {
                "epoch": attacker.luck.choice(["", "e"]),
                "seq": attacker.luck.choice(NUMBERS),
            }
            more = {"cursor": cursor} if attacker.luck.random() < 0.3 else {}
            await wire.asks("join", wanted, as_="spectator", **more)
        await wire.hears(3)


async def many_rooms(attacker: Attacker) -> None:
    """More rooms than one socket may follow."""
    _, told = await attacker.asks("GET", "/v1/rooms?limit=200")
    async with attacker.socket() as wire:
        for room in (told or {}).get("rooms", []):
            await wire.asks("join", room["room"], as_="spectator")
        await wire.hears(5)


async def unread_sockets(attacker: Attacker) -> None:
    """Spectators of a lively room who ask for view upon view and read none."""
    room = await attacker.lively()
    async with AsyncExitStack() as stack:
        wires = [await stack.enter_async_context(attacker.socket(small=True)) for _ in range(60)]
        for _ in range(60):
            for wire in wires:
                await asyncio.wait_for(wire.asks("join", room, as_="spectator"), 1)
        await asyncio.sleep(10)


async def acts(attacker: Attacker) -> None:
    """A player of a game who does everything but what is asked, and never reads."""
    async with _player(attacker) as (wire, room, document):
        legal = document.get("legal") or [{"do": "pass"}]
        for number in range(BURST):
            action = attacker.luck.choice([*ACTIONS, *legal])
            window = attacker.luck.choice([*NUMBERS, document.get("window", {}).get("number", 1)])
            id_ = attacker.luck.choice(["same", f"i{number}", "x" * 64, "x" * 65])
            await wire.asks("act", room, id=id_, action=action, window=window)
        await wire.hears(2)


async def repeats(attacker: Attacker) -> None:
    """One act that was accepted, sent again and again: each time the receipt is due."""
    async with _player(attacker) as (wire, room, document):
        anytime = document["you"]["anytime"]
        act = {"id": "once", "action": anytime[0]}
        for _ in range(4 * BURST):
            await wire.asks("act", room, **act)
        await wire.hears(3)


async def resigns(attacker: Attacker) -> None:
    """A player who resigns and comes back for ever."""
    async with _player(attacker) as (wire, room, _):
        for number in range(BURST):
            await wire.asks("act", room, action={"do": "come_back" if number % 2 else "resign"})
            if not number % 50:
                await wire.hears(0.01)
        await wire.hears(2)


async def says(attacker: Attacker) -> None:
    """Talk: to the table, to spectators, to each seat; things nobody can read."""
    async with _player(attacker) as (wire, room, _):
        for number in range(BURST):
            to = attacker.luck.choice(["table", "spectators", 0, 1, 2, 9, -1])
            await wire.asks("say", room, to=to, text=attacker.luck.choice([*TEXTS, f"{number}"]))
        await wire.hears(2)


async def heckling(attacker: Attacker) -> None:
    """Spectators of somebody else's room who talk all at once."""
    room = await attacker.lively()
    async with AsyncExitStack() as stack:
        for _ in range(20):
            token = await attacker.guest()
            wire = await stack.enter_async_context(attacker.socket(token))
            await wire.asks("join", room, as_="spectator")
            for number in range(60):
                await wire.asks("say", room, to="spectators", text=f"boo {number}")
        await asyncio.sleep(2)


async def forged(attacker: Attacker) -> None:
    """Hellos with tokens that are none."""
    token = await attacker.guest()
    for _ in range(60):
        odd = attacker.luck.choice([token[:-2], "x" * 2_048, "x" * 2_049, "a.b", token + "=="])
        async with attacker.socket(odd) as wire:
            await wire.hears(1)


async def hostile(attacker: Attacker) -> None:
    """Frames nobody should send, from somebody who has a seat."""
    async with _player(attacker) as (wire, room, _):
        writer = Hostile(attacker.luck, JSON, [room, "raaaaaaaaaaaa", ""], civility=80)
        for _ in range(500):
            await wire.sends(writer.frame().decode("latin-1"))
        await wire.hears(2)


async def pings(attacker: Attacker) -> None:
    """Requests as fast as they can be written, on socket after socket, none of them read."""
    token = await attacker.guest()
    for _ in range(20):
        async with attacker.socket(token, small=True) as wire:
            for number in range(BURST):
                await asyncio.wait_for(wire.says(type="ping", id=f"{number}"), 2)


async def storm(attacker: Attacker) -> None:
    """Very many sockets that all come in one instant, and go in one."""
    room = await attacker.lively()

    async def comes() -> None:
        async with attacker.socket() as wire:
            await wire.asks("join", room, as_="spectator")
            await wire.hears(4)

    await attacker.at_once([comes() for _ in range(300)])


def _player(attacker: Attacker) -> Any:
    return _Player(attacker)


class _Player:
    """A socket that holds a seat of a game with house bots, the room, and its first document."""

    def __init__(self, attacker: Attacker) -> None:
        self._attacker, self._stack = attacker, AsyncExitStack()

    async def __aenter__(self) -> tuple[Wire, str, dict[str, Any]]:
        token = await self._attacker.guest()
        room = (await self._attacker.room(token))["room"]
        wire = await self._stack.enter_async_context(self._attacker.socket(token))
        await asyncio.sleep(2.5)  # until it has begun
        await wire.asks("join", room, as_="player")
        views = [told for told in await wire.hears(1) if told["type"] == "view"]
        return wire, room, views[-1]["document"] if views else {}

    async def __aexit__(self, *error: Any) -> bool | None:
        return await self._stack.__aexit__(*error)


ATTACKS: list[Attack] = [
    joins,
    many_rooms,
    unread_sockets,
    acts,
    repeats,
    resigns,
    says,
    heckling,
    forged,
    hostile,
    pings,
    storm,
]
