"""A real room and the SDK's mirror: whatever single frame is lost or cut behind, they agree again.

The tests of the SDK lose frames of a scripted server; here it is the server's own stream that must
have everything a client needs to notice, and to go on from where it is.
"""

from typing import Any

import pytest
from msgspec import UNSET

from saleroom_client.mirror import Mirror
from saleroom_client.mirror import Update as Shown
from saleroom_protocol.codec import MSGPACK
from saleroom_protocol.messages import Joined, Update, View
from tests.support.hand_clock import quiet
from tests.support.nodes import PEOPLE, Node, Table
from tests.support.sockets import As, Socket
from tests.support.toy.room import BID

FRAMES = 16  # an undisturbed client is sent, but for the last
ROLES: list[As] = ["player", "spectator"]


class Lossy:
    """A client of seat 0 or a spectator, whose line loses one frame or breaks behind it.

    Attributes:
        shown: every state it has shown, in order.
        fed: how many frames have come to it.
    """

    def __init__(self, table: Table, as_: As, place: int | None, breaks: bool) -> None:
        self._table, self._as, self._place, self._breaks = table, as_, place, breaks
        self.mirror = Mirror(table.room)
        self.shown: list[Shown] = []
        self.fed = 0
        self._socket, self._read = self._dials()

    def _dials(self) -> tuple[Socket, int]:
        socket = self._table.node.socket()
        token = self._table.node.token(PEOPLE[0])
        socket.says(type="hello", client="tests/1.0", token=token, checks=True)
        return socket, 0

    def reads(self) -> None:
        """Read what has come, and join if need be, until there is nothing left to do."""
        while self.mirror.needs_join or self._read < len(self._socket.frames):
            if self.mirror.needs_join:
                self._joins()
            else:
                self._read += 1
                self._take(MSGPACK.read_told(self._socket.frames[self._read - 1]))

    def _joins(self) -> None:
        cursor, fields = self.mirror.cursor, dict[str, Any]()
        if cursor is not UNSET:
            fields["cursor"] = {"epoch": cursor.epoch, "seq": cursor.seq}
        self.mirror.asked()
        self._socket.says(type="join", id="j", room=self._table.room, **{"as": self._as}, **fields)

    def _take(self, message: Any) -> None:
        hit, self.fed = self.fed == self._place, self.fed + 1
        if not hit or self._breaks:
            self._show(message)
        if hit and self._breaks:
            self._socket.drops()
            self.mirror.cut()
            self._socket, self._read = self._dials()

    def _show(self, message: Any) -> None:
        update = None
        match message:
            case Joined():
                self.mirror.joined()
            case View():
                update = self.mirror.view(message)
            case Update():
                update = self.mirror.update(message)
        if update is not None:
            self.shown.append(update)


async def follows(node: Node, as_: As, place: int | None, breaks: bool = False) -> Lossy:
    """Follow a game: answers, people who come and go, a room read back, bursts, time running out.

    It is compared with the room at every moment it believes to be in step, and in the end.
    """
    table = await node.plays(game="toy")
    client = Lossy(table, as_, place, breaks)
    client.reads()
    for seat in (1, 2):
        table.sockets[seat].asks("act", room=table.room, window=1, action=BID)
        await quiet()
    client.reads()
    table.sockets[2].drops()
    await node.clock.passes(2_000)
    client.reads()
    table.sockets[2] = node.joined(table.room, PEOPLE[2])
    await node.clock.passes(2_000)
    node.actor(table.room)._holding.drop()  # as when the store fails
    node.actor(table.room).load_soon()
    await quiet()
    client.reads()
    for number in range(3):
        shelf = {"a": 1 + number % 2, "b": 3}
        table.sockets[1].asks("act", room=table.room, action={"do": "arrange", "shelf": shelf})
    await quiet()
    client.reads()
    for _ in range(3):
        await node.clock.passes(20_251)
        client.reads()
    assert_in_step(client, node, table.room, as_)
    return client


def assert_in_step(client: Lossy, node: Node, name: str, as_: As) -> None:
    room = node.room(name)
    viewer = 0 if as_ == "player" else None
    assert client.mirror.latest.seq == room.seq
    assert client.mirror.latest.document == room._stream.scene.document(viewer)
    for former, update in zip(client.shown, client.shown[1:], strict=False):
        assert update.seq > former.seq, "nothing is shown twice"
        assert update.whole or update.seq == former.seq + 1, "nor with a hole before it"


@pytest.mark.parametrize("as_", ROLES)
async def test_an_undisturbed_client_is_sent_so_many_frames(node: Node, as_: As) -> None:
    client = await follows(node, as_, None)
    assert client.fed == FRAMES + 1
    assert [update.whole for update in client.shown].count(True) == 2, "at first and when read back"


@pytest.mark.parametrize("place", range(FRAMES))
@pytest.mark.parametrize("as_", ROLES)
async def test_any_single_frame_of_a_room_may_be_lost(node: Node, as_: As, place: int) -> None:
    await follows(node, as_, place)


@pytest.mark.parametrize("place", range(FRAMES))
async def test_the_line_to_a_room_may_be_cut_behind_any_frame(node: Node, place: int) -> None:
    await follows(node, "player", place, breaks=True)
