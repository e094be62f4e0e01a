"""A network in memory on which nothing moves unless stepped, and that breaks where it is told.

A step is a frame that arrives, at either end, or a turn of the loop. Steps are counted over all
lines, so a run that is repeated comes to the same ones.
"""

import asyncio
from collections import deque
from typing import Literal, TypeAlias

from msgspec import UNSET, Struct, UnsetType

from saleroom_client.websocket import Broken, comes_back
from saleroom_protocol.codec import MSGPACK
from saleroom_server.gateway.gateway import Gateway
from saleroom_server.gateway.outlet import Outlet, Packet

When: TypeAlias = Literal["at once", "late", "at the end"]
LOST = 1006  # how a client sees a line that broke: RFC 6455


class Fate(Struct, frozen=True):
    """What goes wrong, and where.

    Attributes:
        cut: the step instead of which the line breaks.
        noticed: when the server learns of that: at once, when the client is back, at the end.
        drop: the frame for the client, counted over all lines, that gets lost.
    """

    cut: int | UnsetType = UNSET
    noticed: When = "at once"
    drop: int | UnsetType = UNSET


class Line(Outlet):
    """One socket, from end to end.

    Attributes:
        down: frames on their way to the client, and at last a close code.
        broken: nothing passes any more.
    """

    def __init__(self, network: "Network", gateway: Gateway) -> None:
        self._network = network
        self.down: deque[bytes | int] = deque()
        self.came = asyncio.Event()  # something is on its way to the client
        self.broken = False
        self.connection = gateway.connect(MSGPACK, self, "192.0.2.1")
        self._gateway = gateway

    # The client's end

    def up(self, frame: bytes) -> None:
        """Send a frame to the server."""
        self._network.step(self)
        if not self.broken:
            self.connection.receive(frame, False)

    def next(self) -> bytes | int | None:
        """Take what arrives next: a frame, or the code of a close; None if it gets lost."""
        self._network.step(self)
        came = self.down.popleft()
        if isinstance(came, bytes):
            return None if self._network.loses() else came
        if came != LOST:
            self.broken = True
            self.noticed()
        return came

    def breaks(self) -> None:
        """Break; what is on its way is lost."""
        self.broken = True
        self.down.clear()
        self._tell(LOST)

    def noticed(self) -> None:
        """Let the server learn that it is broken."""
        self._gateway.disconnect(self.connection)

    # The server's end

    def send(self, packet: Packet) -> int:
        self._tell(packet.payload)
        return 0

    def close(self, code: int, reason: str) -> None:
        self._tell(code)

    def backlog(self) -> int:
        return 0

    def _tell(self, what: bytes | int) -> None:
        if what == LOST or not self.broken:
            self.down.append(what)
            self.came.set()


class Dialled:
    """The client's end of a line as the SDK wants it."""

    def __init__(self, line: Line) -> None:
        self._line = line

    async def send(self, frame: bytes) -> None:
        self._line.up(frame)
        if self._line.broken:
            raise Broken(LOST)

    async def recv(self) -> bytes:
        while not self._line.down:
            self._line.came.clear()
            await self._line.came.wait()
        came = self._line.next()
        if isinstance(came, int):
            raise Broken(came, retry=comes_back(came))
        assert came is not None, "a line that does not break loses nothing"
        return came

    async def close(self) -> None:
        if not self._line.broken:
            self._line.breaks()
            self._line.noticed()


class Network:
    """All lines of one client.

    Attributes:
        fate: what goes wrong.
        steps: how many there have been.
        frames: how many have come to the client, or were lost on the way.
    """

    def __init__(self, fate: Fate) -> None:
        self.steps = self.frames = 0
        self.line: Line | None = None  # the newest
        self.ghosts: list[Line] = []
        self.fate = fate

    def dial(self, gateway: Gateway) -> Line:
        """Open a line."""
        self.line = Line(self, gateway)
        return self.line

    def step(self, line: Line | None = None) -> None:
        """Take a step, on a line or in the loop; it may be the one at which the line breaks."""
        line, self.steps = line or self.line, self.steps + 1
        if line is None or line.broken or self.steps - 1 != self.fate.cut:
            return
        line.breaks()
        self.ghosts.append(line)
        self.bury("at once")

    def loses(self) -> bool:
        """Count a frame; return whether it is the one that gets lost."""
        self.frames += 1
        return self.frames - 1 == self.fate.drop

    def bury(self, when: When) -> None:
        """Let the server learn of the lines that broke, if it is to learn of them now."""
        if when == self.fate.noticed:
            for line in self.ghosts:
                line.noticed()
            self.ghosts.clear()
