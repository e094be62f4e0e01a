"""Messages between this node and the others, counted, so that a loss is noticed.

The bus may lose what it carries. So each node counts what it sends to each other one, and says now
and then how far it has come (`beat`). After a gap in the count a message is worth nothing: whatever
was lost with the missing one is cured as a whole (`peers.py`).
"""

import asyncio
from collections import Counter
from collections.abc import Callable

import msgspec

from saleroom_server.cluster.bus import Bus
from saleroom_server.cluster.messages import Body, Message, decode, encode
from saleroom_server.logs import logger

log = logger("cluster")


class Post:
    """What this node sends to the others, and hears of them."""

    def __init__(self, node: str, bus: Bus) -> None:
        self._node, self._bus = node, bus
        self._sent: Counter[str] = Counter()
        self._heard: dict[str, int] = {}
        self._parcels: dict[str, list[Body]] = {}  # of this turn of the loop

    def listen(
        self,
        hear: Callable[[str, Body], None],
        doubt: Callable[[str], None],
        cut_off: Callable[[], None],
        unheard: Callable[[str], None],
    ) -> None:
        """Begin to hear the others.

        Args:
            hear: gets what a node has sent, in order.
            doubt: is told of a node of which something was not heard.
            cut_off: is told that something of any node may not have been.
            unheard: is told of a node that something was sent to, and nobody heard it.
        """
        self._hear, self._doubt = hear, doubt
        self._bus.listen(self._take, cut_off, unheard)

    def send(self, node: str, body: Body) -> None:
        """Send something at the end of this turn of the loop.

        What is told in one turn arrives together or not at all: an answer, and what led to it.
        """
        if not self._parcels:
            asyncio.get_running_loop().call_soon(self._send_all)
        self._parcels.setdefault(node, []).append(body)

    def beat(self) -> None:
        """Tell each node how much it should have heard."""
        for node, number in self._sent.items():
            self._bus.send(node, encode(Message(self._node, number, ())))

    def forget(self, node: str) -> None:
        """Count nothing more of a node that is dead."""
        self._sent.pop(node, None)
        self._heard.pop(node, None)

    def known(self) -> set[str]:
        """Return the nodes of which anything is counted."""
        return {*self._sent, *self._heard}

    def _send_all(self) -> None:
        parcels, self._parcels = self._parcels, {}
        for node, bodies in parcels.items():
            self._sent[node] += 1  # also what cannot be told: the gap is noticed
            try:
                data = encode(Message(self._node, self._sent[node], tuple(bodies)))
            except Exception:  # a fault of ours, that no other node is to feel
                log.exception("bus_fault")
            else:
                self._bus.send(node, data)

    def _take(self, data: bytes) -> None:
        try:
            message = decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError):
            log.warning("message_unreadable", bytes=len(data))
            return
        sender = message.sender
        expected = self._heard.get(sender, 0) + bool(message.bodies)
        self._heard[sender] = message.number
        if message.number != expected:
            self._doubt(sender)
            return
        for body in message.bodies:
            try:
                self._hear(sender, body)
            except Exception:  # a fault of ours: what came with it may be for other rooms
                log.exception("bus_fault")
