"""A process to be killed: appends to every room it finds, and prints what was acknowledged.

`python -m tests.store.appender DIRECTORY`: makes the rooms if there are none. A line `ROOM ENTRY`
is printed once that entry is durable, and never before.
"""

import asyncio
import sys
from pathlib import Path

from saleroom_server.store.sqlite import SqliteStore

ROOMS = [f"room{number}" for number in range(8)]


def body(room: str, entry: int) -> bytes:
    return f"{room} {entry} ".encode() * 20


async def _play(store: SqliteStore, room: str) -> None:
    owned = await store.acquire(room)
    if owned is None:
        await store.create(room, [body(room, 1)], b"1")
        owned = await store.acquire(room)
        assert owned is not None
    entry = len(owned.entries)
    while True:
        entry += 1
        await store.append(room, owned.fence, entry, [body(room, entry)], b"%d" % entry)
        print(room, entry, flush=True)


async def _main(directory: Path) -> None:
    store = await SqliteStore.open(directory)
    await asyncio.gather(*(_play(store, room) for room in ROOMS))


if __name__ == "__main__":
    asyncio.run(_main(Path(sys.argv[1])))
