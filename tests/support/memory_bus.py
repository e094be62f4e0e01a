"""Nodes of one process that hear of each other; what passes between them is up to the test."""

import asyncio
from collections import Counter

from saleroom_server.cluster.bus import Bus, Doubt, Take, Unheard
from saleroom_server.cluster.messages import Body, decode
from saleroom_server.store.interface import Unavailable


class Lines:
    """What joins the nodes: everything arrives in a later turn of the loop, in the order sent."""

    def __init__(self) -> None:
        self._buses: dict[str, MemoryBus] = {}
        self._cut: set[str] = set()
        self._losing: Counter[str] = Counter()
        self._held: dict[str, list[bytes]] = {}
        self._carried: list[tuple[str, str, Body]] | None = None

    def records(self) -> list[tuple[str, str, Body]]:
        """Return what is sent from now on: by whom, to whom, what."""
        self._carried = []
        return self._carried

    def bus(self, node: str) -> "MemoryBus":
        """Join a node; one of that name that was there before is no more."""
        self._buses[node] = bus = MemoryBus(self, node)
        return bus

    def loses(self, node: str, messages: int = 1) -> None:
        """Lose what is sent to a node next, so many messages; nobody notices."""
        self._losing[node] += messages

    def holds(self, node: str) -> None:
        """Let what is sent to a node be on its way until it is let go."""
        self._held[node] = []

    def lets_go(self, node: str) -> None:
        """Let what was held arrive, in order."""
        for body in self._held.pop(node):
            asyncio.get_running_loop().call_soon(self._buses[node].takes, body)

    def cut(self, node: str) -> None:
        """Let nothing pass to a node or from it, not even what is on its way."""
        self._cut.add(node)

    def joins(self, node: str) -> None:
        """Let everything pass again, and the node have its doubts."""
        self._cut.remove(node)
        asyncio.get_running_loop().call_soon(self._buses[node].doubts)

    def drops(self, node: str) -> None:
        """Be without a node, as if its process had died."""
        self._buses.pop(node, None)

    # What the buses do to it.

    def reach(self, bus: "MemoryBus") -> bool:
        """Tell whether anything passes to a bus or from it."""
        return self._buses.get(bus.node) is bus and bus.node not in self._cut

    def carry(self, sender: "MemoryBus", node: str, body: bytes) -> None:
        if self._carried is not None:
            self._carried += [(sender.node, node, told) for told in decode(body).bodies]
        receiver = self._buses.get(node)
        if receiver is None:
            asyncio.get_running_loop().call_soon(sender.unheard, node)
        if receiver is None or not (self.reach(sender) and self.reach(receiver)):
            return
        if self._losing[node]:
            self._losing[node] -= 1
            return
        if node in self._held:
            self._held[node].append(body)
            return
        asyncio.get_running_loop().call_soon(receiver.takes, body)


class MemoryBus(Bus):
    """See `Bus`. Whatever arrives before somebody listens is lost, as it is anywhere."""

    def __init__(self, lines: Lines, node: str) -> None:
        self.node = node
        self._lines = lines
        self._take: Take | None = None
        self._doubt: Doubt | None = None
        self.unheard: Unheard = lambda node: None

    def send(self, node: str, body: bytes) -> None:
        self._lines.carry(self, node, body)

    def listen(self, take: Take, doubt: Doubt, unheard: Unheard = lambda node: None) -> None:
        self._take, self._doubt, self.unheard = take, doubt, unheard

    async def probe(self) -> None:
        if not self._lines.reach(self):
            raise Unavailable("cut off")

    async def close(self) -> None:
        if self._lines.reach(self):
            self._lines.drops(self.node)

    # What the lines do to it.

    def takes(self, body: bytes) -> None:
        if self._take is not None and self._lines.reach(self):
            self._take(body)

    def doubts(self) -> None:
        if self._doubt is not None and self._lines.reach(self):
            self._doubt()
