"""Several nodes in one process: one store, one clock, and lines that fail when told to."""

import asyncio
from itertools import count
from typing import Any

from saleroom_server.rooms.commands import Caller
from tests.support.hand_clock import HandClock
from tests.support.memory_bus import Lines
from tests.support.nodes import PEOPLE, Node
from tests.support.shared_store import Shared, SharedMemoryStore
from tests.support.sockets import Socket


class Cluster:
    """Nodes `a`, `b`, `c` … of one service.

    Attributes:
        nodes: those that are up, by name.
        lines: what joins them.
        shared: what their stores have in common.
    """

    def __init__(self, **limits: Any) -> None:
        self.clock, self.lines, self.shared = HandClock(), Lines(), Shared()
        self.nodes: dict[str, Node] = {}
        self.ids: dict[str, str] = {}  # what each calls itself: another name each time it starts
        self._started = count(1)
        self._limits = limits

    def __getitem__(self, name: str) -> Node:
        return self.nodes[name]

    async def starts(self, *names: str) -> "Cluster":
        """Start nodes, one after the other."""
        for name in names:
            self.ids[name] = id_ = f"{name}:{next(self._started)}"
            store = SharedMemoryStore(self.shared, id_, self.clock.now)
            node = Node(clock=self.clock, store=store, bus=self.lines.bus(id_), **self._limits)
            self.nodes[name] = await node.opens()
        await self.clock.passes(1_000)
        return self

    async def kills(self, name: str, *, unnoticed: bool = False) -> None:
        """Let a node be no more, in the middle of whatever it was; its sockets break.

        Args:
            name: which.
            unnoticed: the store goes on to say that it is alive, until somebody doubts it.
        """
        node = self.nodes.pop(name)
        self.lines.drops(self.ids[name])
        if unnoticed:
            self.shared.dying.add(self.ids[name])
        else:
            self.shared.alive.discard(self.ids[name])
        node.store.down = True
        for actor in node.hall.actors():
            actor.stop()
        if node.peers is not None:
            await node.peers.close()
        await asyncio.sleep(0)

    async def stops(self, name: str) -> None:
        """End a node as a deploy does."""
        ending = asyncio.create_task(self._end(self.nodes.pop(name)))
        while not ending.done():
            await self.clock.passes(10)
        await ending
        self.lines.drops(self.ids[name])
        self.shared.alive.discard(self.ids[name])

    async def _end(self, node: Node) -> None:
        node.gateway.drain()
        if node.peers is not None:
            await node.peers.close()
        await node.hall.close()
        await node.hall.release()

    async def cuts(self, name: str) -> None:
        """Let no news pass to a node or from it."""
        self.lines.cut(self.ids[name])

    async def joins(self, name: str) -> None:
        """Let news pass again, and the node be alive for the others."""
        self.shared.alive.add(self.ids[name])
        self.lines.joins(self.ids[name])

    async def closes(self) -> None:
        for name in [*self.nodes]:
            await self.stops(name)


async def plays_across(cluster: Cluster, owner: str, *names: str) -> "Spread":
    """Begin a game at a node, its three people having sockets at the nodes named."""
    room = await cluster[owner].starts()
    await cluster.clock.passes(0)
    sockets = []
    for caller, name in zip(PEOPLE, names, strict=False):
        sockets.append(await joins(cluster, name, room, caller))
    return Spread(cluster, room, sockets)


async def joins(
    cluster: Cluster, name: str, room: str, caller: Caller | None = None, **fields: Any
) -> Socket:
    """Open a socket at a node and join a room, wherever that is."""
    socket = cluster[name].greeted(caller, checks=True)
    request = socket.joins(room, "spectator" if caller is None else "player", **fields)
    await cluster.clock.passes(0)
    assert socket.answer(request)["type"] == "joined"
    return socket


class Spread:
    """A game whose players are at several nodes, their sockets by seat."""

    def __init__(self, cluster: Cluster, room: str, sockets: list[Socket]) -> None:
        self.cluster, self.room, self.sockets = cluster, room, sockets

    @property
    def asked(self) -> Socket:
        """The socket of the first seat that owes an answer."""
        window = self.sockets[0].document(self.room)["window"]
        seat: int = next(seat for seat in window["seats"] if seat not in window["answered"])
        return self.sockets[seat]

    async def moves(self, times: int = 1, patience_ms: int = 0) -> None:
        """Let the game go on by some answers."""
        for _ in range(times):
            socket = self.asked
            request = socket.acts(self.room)
            await self.cluster.clock.passes(patience_ms)
            assert socket.answer(request)["type"] == "accepted", socket.answer(request)

    def documents(self) -> list[Any]:
        """Return what each sees that is the same for all."""
        return [
            {part: shown for part, shown in socket.document(self.room).items() if part in COMMON}
            for socket in self.sockets
        ]


COMMON = {"table", "window", "status", "seats"}
