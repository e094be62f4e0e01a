"""What the sockets alone cost: whoever acts, all at the table are told, then comes a receipt.

As many frames as in a game, as large on the average; nothing is read, decided, written or compared.
"""

from collections import defaultdict
from multiprocessing.connection import Connection
from typing import Any

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect
from websockets.frames import Frame, Opcode

from saleroom_server.gateway.fanout import FanoutProtocol
from tests.bench import apart

PADDING = bytes(150)  # what updates say beside whose turn it is


def _frame(kind: str, **fields: Any) -> bytes:
    payload = msgspec.msgpack.encode({"type": kind, **fields})
    return Frame(Opcode.BINARY, payload).serialize(mask=False)


_ASKED, _UNASKED = {"legal": [{"do": "pass"}]}, {"legal": None}
VIEWS = {asked: _frame("view", document=_ASKED if asked else {}) for asked in (True, False)}
TOLD, ASKED, ANSWERED = (
    _frame("update", patch=patch, events=[PADDING]) for patch in ({}, _ASKED, _UNASKED)
)
RECEIPT = _frame("accepted", id="a1")


async def main(pipe: Connection) -> None:
    """Serve tables on which one after the other is asked, and every act is accepted."""
    tables: defaultdict[str, list[FanoutProtocol]] = defaultdict(list)
    listener, url = apart.listening()

    async def endpoint(websocket: WebSocket) -> None:
        wire = await apart.accepted(websocket)
        await websocket.receive_bytes()  # hello
        join = msgspec.msgpack.decode(await websocket.receive_bytes())
        table = tables[join["room"]]
        wire.write(VIEWS[not table])
        table.append(wire)
        try:
            await _play(websocket, table, table.index(wire))
        except WebSocketDisconnect:
            table.clear()

    pipe.send([url])
    await apart.serve(apart.alone(endpoint), listener)


async def _play(websocket: WebSocket, table: list[FanoutProtocol], seat: int) -> None:
    while True:
        await websocket.receive_bytes()
        following = (seat + 1) % (len(table) - 1)  # the last one looks on
        for place, wire in enumerate(table):
            wire.write(ASKED if place == following else ANSWERED if place == seat else TOLD)
        table[seat].write(RECEIPT)
