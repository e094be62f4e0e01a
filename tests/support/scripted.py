"""A scripted server: one room, one player's socket, the other seats play by default.

It speaks just enough of the protocol to play the client of PROTOCOL.md against real rules.
"""

from typing import Any

import msgspec
from websockets.asyncio.server import ServerConnection
from websockets.typing import Subprotocol

from saleroom_protocol.codec import MSGPACK
from saleroom_protocol.games import VOCABULARIES
from saleroom_protocol.limits import Limits
from saleroom_protocol.messages import Accepted, Act, Cursor, Hello, Join, Joined, View, Welcome
from saleroom_protocol.patch import diff
from saleroom_rules.games import GAMES
from saleroom_rules.record import by_seat
from saleroom_rules.rng import Rng
from saleroom_server.rooms.views import Clock, document, look

SUBPROTOCOL = Subprotocol(MSGPACK.subprotocol)
LIMITS = Limits()


class ScriptedRoom:
    """A room whose seat 0 is played over a socket."""

    def __init__(self, game: str, seats: int, seed: int) -> None:
        self.rules, self.seats, self.seq = GAMES[game], seats, 0
        rng = Rng(seed.to_bytes(32, "big"))
        self.state = self.rules.setup(seats, self.rules.options(), rng).state
        self.accepted = 0
        self._play_the_others()

    async def serve(self, socket: ServerConnection) -> None:
        """Welcome the player, show the room, take actions until the game is over."""
        hello = MSGPACK.read_request(await self._frame(socket), LIMITS)
        assert isinstance(hello, Hello)
        assert hello.token == "t0ken"
        await self._send(socket, _welcome())
        join = MSGPACK.read_request(await self._frame(socket), LIMITS)
        assert isinstance(join, Join)
        assert join.as_ == "player"
        cursor = Cursor(epoch="e", seq=0)
        await self._send(
            socket, Joined(id=join.id, room="r", viewer=0, cursor=cursor, resumed=False, now=0)
        )
        shown = self._document()
        await self._send(socket, View(room="r", epoch="e", seq=0, at=0, document=shown))
        while "result" not in shown:
            act = MSGPACK.read_request(await self._frame(socket), LIMITS)
            assert isinstance(act, Act)
            shown = await self._take(socket, act, shown)

    async def _take(
        self, socket: ServerConnection, act: Act, shown: dict[str, Any]
    ) -> dict[str, Any]:
        window = self.rules.window(self.state)
        assert window is not None
        assert act.window == window.number
        action = MSGPACK.read_action(act.action, VOCABULARIES[self.rules.key].action)
        self.state = self.rules.apply(self.state, 0, action).state
        self.accepted += 1
        self._play_the_others()
        self.seq += 1
        after = self._document()
        await self._send(
            socket,
            {"type": "update", "room": "r", "epoch": "e", "seq": self.seq, "at": 0}
            | {"patch": diff(shown, after)},
        )
        await self._send(socket, Accepted(id=act.id, seq=self.seq))
        return after

    def _play_the_others(self) -> None:
        while (window := self.rules.window(self.state)) is not None and window.owing[0] != 0:
            seat = window.owing[0]
            action = self.rules.default(self.state, seat)
            self.state = self.rules.apply(self.state, seat, action).state

    def _document(self) -> dict[str, Any]:
        shown = document(look(self.rules, self.state, self.seats, Clock(0)), 0)
        outcome = self.rules.outcome(self.state)
        if outcome is not None:
            shown["result"] = {"reason": outcome.reason, "places": by_seat(outcome.places)}
        return shown

    async def _frame(self, socket: ServerConnection) -> bytes:
        frame = await socket.recv()
        assert isinstance(frame, bytes)
        return frame

    async def _send(self, socket: ServerConnection, message: Any) -> None:
        await socket.send(MSGPACK.encode(message))


def _welcome() -> Welcome:
    return Welcome(
        protocol=1,
        server="scripted/1",
        now=0,
        features=(),
        heartbeat_ms=20_000,
        silence_ms=45_000,
        limits=msgspec.convert({}, Limits),
    )
