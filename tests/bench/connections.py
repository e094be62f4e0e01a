"""How much memory those take who do nothing: a spectator who looks on, a room that goes on.

Measured as the growth of the server's process. The yardstick is the socket alone: uvicorn with an
endpoint that accepts and waits. Memory does not vary from round to round, so there is one.
"""

import argparse
import asyncio
import tempfile
from multiprocessing.connection import Connection
from pathlib import Path

from starlette.websockets import WebSocket

from tests.bench.apart import Apart, accepted, alone, listening, serve
from tests.bench.processes import Goal, environment, rest
from tests.bench.stock import Stock, Table
from tests.bench.wires import Wire, joined, opened
from tests.support.servers import ServerProcess, memory_of

KIB = 1024
SPECTATOR_KIB, ROOM_KIB = 30, 60  # targets
FIRST = 100  # sockets, and rooms, whose memory is not counted: they bring what all share


def run(chosen: argparse.Namespace) -> None:
    """Measure spectators, then rooms."""
    spectators, rooms = chosen.spectators, chosen.rooms
    first = min(FIRST, rooms)
    print("connections: KiB of memory each")
    with tempfile.TemporaryDirectory() as directory:
        few, many = Path(directory) / "few" / "data", Path(directory) / "many" / "data"
        stock = Stock(game=chosen.game, acts=chosen.acts)
        (table, *_) = asyncio.run(stock.fill(few, first))
        asyncio.run(stock.fill(many, first + rooms))
        with ServerProcess(few, env=environment()) as server:
            rest(server.pid)
            of_few = memory_of(server.pid)
            spectator = _each(server.pid, server.url, spectators, table)
        with ServerProcess(many, env=environment()) as server:
            rest(server.pid)
            room = (memory_of(server.pid) - of_few) / rooms / KIB
    with Apart(main) as yardstick:
        bare = _each(yardstick.pid, yardstick.urls[0], spectators, None)
    goal = Goal(f"{SPECTATOR_KIB} KiB", spectator <= SPECTATOR_KIB)
    print(f"  {f'spectator of {spectators:,}':28} {spectator:6.1f} KiB   {goal}")
    print(
        f"  {'socket alone':28} {bare:6.1f} KiB   a spectator takes {spectator / bare:.1f} × that"
    )
    goal = Goal(f"{ROOM_KIB} KiB", room <= ROOM_KIB)
    print(f"  {f'running room of {rooms:,}':28} {room:6.1f} KiB   {goal}")


def _each(pid: int, url: str, count: int, table: Table | None) -> float:
    """Return the KiB of one socket: one that looks on, or one that is only accepted."""
    kept = _idle(url, min(FIRST, count), table)
    rest(pid)
    before = memory_of(pid)
    kept += _idle(url, count, table)
    rest(pid)
    grown = (memory_of(pid) - before) / count / KIB
    for wire in kept:
        wire.socket.close()
    return grown


def _idle(url: str, count: int, table: Table | None) -> list[Wire]:
    if table is None:
        return opened(url, count)
    wires = joined(url, table.room, [None] * count)
    for wire in wires:
        wire.until("view")
    return wires


async def main(pipe: Connection) -> None:
    """Serve sockets that are accepted, and nothing else."""
    listener, url = listening()

    async def endpoint(websocket: WebSocket) -> None:
        await accepted(websocket)
        await websocket.receive()

    pipe.send([url])
    await serve(alone(endpoint), listener)
