"""Redis killed, restarted and frozen while rooms append: nothing acknowledged is lost, or twice."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from msgspec.structs import replace

from saleroom_server.store.redis import RedisStore
from tests.store.conformance import heads, journal
from tests.store.nodes import STEADY, Shared, until
from tests.support.redis_servers import KINDS, Kind, RedisServer

ROOMS = [f"room{number}" for number in range(16)]


async def play(store: RedisStore, room: str, acknowledged: dict[str, int]) -> None:
    """Append one entry after the other to a room, for ever."""
    fence = await store.create(room, [b"1"], b"1")
    acknowledged[room] = 1
    while True:
        entry = acknowledged[room] + 1
        await store.append(room, fence, entry, [b"%d" % entry], b"%d" % entry)
        acknowledged[room] = entry


async def gains(acknowledged: dict[str, int], entries: int) -> None:
    """Wait until every room has got so much further."""
    goal = {room: acknowledged.get(room, 0) + entries for room in ROOMS}
    await until(lambda: all(acknowledged.get(room, 0) >= goal[room] for room in ROOMS))


@pytest.mark.parametrize("kind", KINDS)
async def test_what_was_acknowledged_survives_kills_and_stalls(kind: Kind, tmp_path: Path) -> None:
    acknowledged: dict[str, int] = {}
    limits = replace(STEADY, answer_ms=1_000, resend_ms=20_000)
    with RedisServer(tmp_path / "data", kind) as server:
        async with AsyncExitStack() as opened:
            shared = Shared(server, opened)
            store = await shared.node("a", limits=limits)
            playing = [asyncio.create_task(play(store, room, acknowledged)) for room in ROOMS]
            for _ in range(3):
                await gains(acknowledged, 5)
                server.kill()
                await asyncio.sleep(0.05)
                await asyncio.to_thread(server.start)
            await gains(acknowledged, 5)
            server.freeze()
            await asyncio.sleep(2)
            server.thaw()
            await gains(acknowledged, 5)
            for task in playing:
                task.cancel()
            await asyncio.wait(playing)
            told, kept = await heads(store), {room: await journal(store, room) for room in ROOMS}
        shared.direct.close()
    for room, entries in kept.items():
        assert list(entries) == [b"%d" % n for n in range(1, len(entries) + 1)]
        assert acknowledged[room] <= len(entries) <= acknowledged[room] + 1
        assert told[room] == entries[-1]
