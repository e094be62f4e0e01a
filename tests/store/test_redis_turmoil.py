"""Three nodes want the same rooms while wires and Redis itself fail, in whatever way comes next.

Whatever happens, what was acknowledged stands in the journal, once, and every owner after sees it.
"""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random

from msgspec.structs import replace

from saleroom_server.store.interface import StoreError
from saleroom_server.store.redis import RedisStore
from tests.store.nodes import STEADY, Shared
from tests.support.cut_wire import CutWire
from tests.support.redis_servers import RedisServer

ROOMS = [f"room{number}" for number in range(8)]
FAILURES = 12
QUICK = replace(STEADY, answer_ms=300, resend_ms=1_000, lease_ms=300, renew_ms=100, ping_ms=100)

Acknowledged = dict[str, dict[int, bytes]]  # by room and entry


async def fail(server: RedisServer, wire: CutWire, seconds: float, how: int) -> None:
    """Let something break for a while, and be whole again."""
    match how % 6:
        case 0:
            wire.freeze("back")  # what is carried out is not heard of
            await asyncio.sleep(seconds)
            wire.cut()
        case 1:
            wire.freeze("there")  # what is asked comes late
            await asyncio.sleep(seconds)
        case 2:
            wire.unplug()
            await asyncio.sleep(seconds)
            await wire.plug()
        case 3:
            server.freeze()
            await asyncio.sleep(seconds)
            server.thaw()
        case 4:
            server.kill()
            await asyncio.to_thread(server.start)
        case 5:
            server.ask("SCRIPT FLUSH")
    wire.thaw()


async def own(store: RedisStore, name: str, room: str, there: Acknowledged) -> None:
    """Take a room, again and again; append to it until another has it, or it has been enough."""
    luck, number = Random(f"{name} {room}"), 0
    while True:
        try:
            known = dict(there[room])
            owned = await store.acquire(room)
            assert owned is not None
            assert all(owned.entries[entry - 1] == body for entry, body in known.items())
            entry = len(owned.entries)
            for _ in range(luck.randrange(1, 30)):
                entry, number = entry + 1, number + 1
                body = f"{name} {number}".encode()
                await store.append(room, owned.fence, entry, [body])
                assert entry not in there[room], "two were told that they wrote it"
                there[room][entry] = body
            await store.release(room, owned.fence)
        except StoreError:
            await asyncio.sleep(0.02)


async def test_nothing_acknowledged_is_lost_or_written_twice(tmp_path: Path) -> None:
    there: Acknowledged = {room: {} for room in ROOMS}
    luck = Random(7)
    with RedisServer(tmp_path / "data") as server:
        async with AsyncExitStack() as opened:
            shared = Shared(server, opened)
            wires = [await shared.wire() for _ in "abc"]
            nodes = {
                name: await shared.node(name, url=wire.url, limits=QUICK)
                for name, wire in zip("abc", wires, strict=True)
            }
            for room in ROOMS:
                await nodes["a"].create(room, [], b"")
            owners = [
                asyncio.create_task(own(store, name, room, there))
                for name, store in nodes.items()
                for room in ROOMS
            ]
            for number in range(FAILURES):
                await asyncio.sleep(luck.random() / 10)
                await fail(server, luck.choice(wires), luck.random() / 2, number)
            await asyncio.sleep(0.5)  # with everything whole
            for owner in owners:
                assert not owner.done(), owner
                owner.cancel()
            await asyncio.wait(owners)
            kept = {room: shared.entries(room) for room in ROOMS}
        shared.direct.close()
    for room, entries in kept.items():
        assert there[room].items() <= dict(enumerate(entries, 1)).items()
        assert len(set(entries)) == len(entries)
    writers = {body.split()[0] for entries in kept.values() for body in entries}
    assert writers == {b"a", b"b", b"c"}
