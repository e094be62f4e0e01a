"""How many frames a second a gateway writes when one frame goes to everybody who looks on.

The gateway is the real one, behind uvicorn, guards in place. The yardsticks, in the same process
and in turn with it: the same bytes written to bare uvloop transports, and Starlette's `send_bytes`
on uvicorn as it is. What counts is the CPU of the process that writes.
"""

import argparse
import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

from starlette.websockets import WebSocket

from saleroom_protocol.codec import MSGPACK
from saleroom_server.app import application, service
from saleroom_server.clock import SystemClock
from saleroom_server.gateway.outlet import Packet
from saleroom_server.rooms.commands import Group, Publish
from saleroom_server.settings import read
from saleroom_server.store.sqlite import SqliteStore
from tests.bench.apart import Apart, Endpoint, alone, listening, serve
from tests.bench.processes import Goal, Share, environment
from tests.bench.stock import Stock
from tests.bench.wires import Drain, connected, joined, opened

FRAME = bytes(200)
WIRE = Packet(FRAME, text=False).wire
TIMES = 10  # the frame goes to everybody in a round, one after the other
OF_BARE, OF_STARLETTE = 0.65, 1.5
WAYS = ("gateway", "bare", "starlette")
GROUP: Group = (None, MSGPACK.subprotocol, False)


def run(chosen: argparse.Namespace) -> None:
    """Measure the three ways in turn."""
    count: int = chosen.sockets
    rates: dict[str, list[float]] = {way: [] for way in WAYS}
    with Apart(main) as server, Drain() as drain:
        gateway, bare, starlette, room = server.urls
        ours = joined(gateway, room, [None] * count)
        for wire in ours:
            wire.until("view")
        for wire in (*ours, *opened(starlette, count)):
            drain.add(wire.socket)
        for each in connected(bare, count):
            drain.add(each)
        drain.settle()
        share = Share()
        for _ in range(chosen.rounds + 1):
            for way in WAYS:
                seconds = server.ask((way, count))
                drain.take(count * TIMES * len(WIRE))
                rates[way].append(count * TIMES / seconds)
        _tell(count, {way: each[1:] for way, each in rates.items()}, share.so_far())


def _tell(count: int, rates: dict[str, list[float]], share: float) -> None:
    middle = {way: median(each) for way, each in rates.items()}
    ratios = middle["gateway"] / middle["bare"], middle["gateway"] / middle["starlette"]
    goals = {
        "bare": (ratios[0], Goal(f"{OF_BARE:.0%}", ratios[0] >= OF_BARE, share)),
        "starlette": (ratios[1], Goal(f"{OF_STARLETTE:.0%}", ratios[1] >= OF_STARLETTE, share)),
    }
    print(
        f"fanout: one frame of {len(FRAME)} bytes to {count:,} sockets; "
        "frames/s of CPU (median, best of the rounds)"
    )
    for way, each in rates.items():
        remark = "".join(
            f"   the gateway writes {ratio:.0%} of that, {goal}"
            for one, (ratio, goal) in goals.items()
            if one == way
        )
        print(f"  {way:28} {median(each):9,.0f} {max(each):9,.0f}{remark}")
    print(f"  generator {share:.2f} of a core")


class Bare(asyncio.Protocol):
    """A connection that is only written to."""

    def __init__(self, made: list[Any]) -> None:
        self._made = made

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._made.append(transport)


async def main(pipe: Connection) -> None:
    """Serve the three, and write when told: which way, to how many sockets."""
    sockets: list[WebSocket] = []
    transports: list[asyncio.Transport] = []
    with tempfile.TemporaryDirectory() as directory:
        (table,) = await Stock().fill(Path(directory), 1)
        settings, clock = read(environment(), {"data": directory}), SystemClock()
        served = await service(settings, await SqliteStore.open(settings.directory), clock)

    async def through_gateway(count: int) -> None:
        served.gateway.deliver(table.room, [Publish(((GROUP, FRAME),))])
        for _ in range(count // settings.socket.sockets_per_turn + 1):
            await asyncio.sleep(0)

    async def through_starlette(count: int) -> None:
        for websocket in sockets:
            await websocket.send_bytes(FRAME)

    async def bare(count: int) -> None:
        for transport in transports:
            transport.write(WIRE)

    works = dict(zip(WAYS, (through_gateway, bare, through_starlette), strict=True))

    def told() -> None:
        way, count = pipe.recv()
        tasks.append(asyncio.create_task(_timed(works[way], count, pipe)))

    tasks: list[asyncio.Task[None]] = []
    loop = asyncio.get_running_loop()
    loop.add_reader(pipe.fileno(), told)
    listeners, urls = zip(*(listening() for _ in WAYS), strict=True)
    pipe.send([*urls, table.room])
    await asyncio.gather(
        serve(application(served, settings), listeners[0]),
        loop.create_server(lambda: Bare(transports), sock=listeners[1]),
        serve(alone(_kept(sockets)), listeners[2]),
    )


async def _timed(work: Callable[[int], Awaitable[None]], count: int, pipe: Connection) -> None:
    begun = process_time()
    for _ in range(TIMES):
        await work(count)
        await asyncio.sleep(0)  # what is written is sent at the end of a turn
    pipe.send(process_time() - begun)


def _kept(sockets: list[WebSocket]) -> Endpoint:
    async def endpoint(websocket: WebSocket) -> None:
        await websocket.accept(websocket.scope["subprotocols"][0])
        sockets.append(websocket)
        await websocket.receive()

    return endpoint
