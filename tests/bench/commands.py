"""What a plain command costs where this runs: 60 bytes in, 150 bytes out, and nothing in between.

Starlette on uvicorn as they come. Targets in µs mean little by themselves: a machine half as fast
takes twice as long, and so, nearly, does a Python that was built without its optimisations. Where
ours were set this took 33 µs of CPU (30,000 commands a second of one core).
"""

from functools import partial
from multiprocessing.connection import Connection
from time import monotonic
from typing import Self

from starlette.websockets import WebSocket, WebSocketDisconnect

from tests.bench import apart
from tests.bench.apart import Apart
from tests.bench.processes import cpu_of, rest
from tests.bench.wires import PATIENCE, Waiter, Wire, framed, opened

THERE_US = 1e6 / 30_000  # of CPU, a command, where the targets were set
SOCKETS = 500
TIMES = 20  # commands of each socket in a round
COMMAND, ANSWER = framed(bytes(60)), bytes(150)


class Commands:
    """Sockets to a server that has nothing to do but to answer. Closed by `with`."""

    def __init__(self, server: Apart) -> None:
        """Connect. `server` runs `main`."""
        self._pid, self._waiter, self._answered = server.pid, Waiter(), 0
        self._wires = opened(server.urls[0], SOCKETS)
        for wire in self._wires:
            self._waiter.add(wire.socket, partial(self._take, wire))

    def round(self) -> float:
        """Return the µs of the server's CPU that a command takes at full load."""
        rest(self._pid)
        before, self._answered = cpu_of(self._pid), 0
        for wire in self._wires:
            wire.socket.sendall(COMMAND)
        until = monotonic() + PATIENCE
        while self._answered < SOCKETS * TIMES:
            self._waiter.look()
            assert monotonic() < until, f"{self._answered} commands are answered"
        self._waiter.settle()
        return (cpu_of(self._pid) - before) / self._answered * 1e6

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._waiter.close()
        for wire in self._wires:
            wire.socket.close()

    def _take(self, wire: Wire) -> None:
        for _ in wire.payloads():
            self._answered += 1
            if self._answered <= SOCKETS * (TIMES - 1):
                wire.socket.sendall(COMMAND)


async def main(pipe: Connection) -> None:
    """Serve, and answer every message with the same."""

    async def endpoint(websocket: WebSocket) -> None:
        await websocket.accept(websocket.scope["subprotocols"][0])
        try:
            while True:
                await websocket.receive_bytes()
                await websocket.send_bytes(ANSWER)
        except WebSocketDisconnect:
            return

    listener, url = apart.listening()
    pipe.send([url])
    await apart.serve(apart.alone(endpoint), listener, ws="websockets-sansio")
