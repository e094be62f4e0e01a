"""A wire between clients and a Redis server, to be cut, unplugged and frozen: a failing network.

It is a port of this machine that stays the same. What is frozen neither passes nor closes; of a
wire that is cut then, nobody knows what has arrived.
"""

import asyncio
from asyncio import FIRST_COMPLETED, Event, Server, StreamReader, StreamWriter, Task
from contextlib import suppress
from pathlib import Path
from typing import Literal, Self, TypeAlias

Way: TypeAlias = Literal["there", "back"]

CHUNK_BYTES = 65_536


class CutWire:
    """Lets clients come, and everything pass, until told otherwise; opened by `async with`.

    Attributes:
        port: where clients find it.
        url: the same, as clients of Redis take it.
    """

    def __init__(self, to: Path) -> None:
        """It leads to a server's Unix socket, which need not be there yet."""
        self._to = to
        self._passes: dict[Way, Event] = {"there": Event(), "back": Event()}
        self._lines: set[Task[None]] = set()
        self._server: Server | None = None
        self.port = 0
        self.thaw()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}"

    def cut(self) -> None:
        """Break all connections there are; new ones may come."""
        for line in self._lines:
            line.cancel()

    def unplug(self) -> None:
        """Break all connections, and refuse new ones."""
        assert self._server is not None
        self._server.close()
        self.cut()

    async def plug(self) -> None:
        """Let clients come (again)."""
        self._server = await asyncio.start_server(self._carry, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    def lead(self, to: Path) -> None:
        """Let connections that come from now on lead to another server."""
        self._to = to

    def freeze(self, *ways: Way) -> None:
        """Let nothing pass: to the server, and back, or one way only."""
        for way in ways or self._passes:
            self._passes[way].clear()

    def thaw(self) -> None:
        """Let pass what was held, and all that comes."""
        for passes in self._passes.values():
            passes.set()

    async def _carry(self, asking: StreamReader, asker: StreamWriter) -> None:
        """Be one connection."""
        line = asyncio.current_task()
        assert line is not None
        self._lines.add(line)
        try:
            with suppress(OSError):
                await self._join(asking, asker)
        except asyncio.CancelledError:
            asker.transport.abort()
        finally:
            self._lines.discard(line)
            asker.close()

    async def _join(self, asking: StreamReader, asker: StreamWriter) -> None:
        telling, teller = await asyncio.open_unix_connection(self._to)
        ways = [
            asyncio.create_task(self._pass(asking, teller, "there")),
            asyncio.create_task(self._pass(telling, asker, "back")),
        ]
        try:
            await asyncio.wait(ways, return_when=FIRST_COMPLETED)
        finally:
            teller.close()  # first: whoever cuts it twice ends the waiting below
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)

    async def _pass(self, reader: StreamReader, writer: StreamWriter, way: Way) -> None:
        while True:
            told = await reader.read(CHUNK_BYTES)
            await self._passes[way].wait()
            if not told:
                return
            writer.write(told)
            await writer.drain()

    async def __aenter__(self) -> Self:
        await self.plug()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.unplug()
        await asyncio.gather(*self._lines, return_exceptions=True)
