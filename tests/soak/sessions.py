"""Sessions of one player whose line may break, at games with two others whose lines do not.

`Plainly` plays with a client that has nothing of ours, `BySdk` with the Python SDK.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Coroutine, Iterator
from typing import Any, TypeVar

import msgpack
from msgspec import UNSET

from saleroom_client import Connection, Outside, Room, connect
from saleroom_client.websocket import Broken
from saleroom_protocol.codec import MSGPACK
from saleroom_protocol.messages import Said
from tests.support.hand_clock import HandClock
from tests.support.inventory import inventory
from tests.support.lines import LOST, Dialled, Fate, Network
from tests.support.nodes import PEOPLE, Node
from tests.support.returning import Client, Message, Stream
from tests.support.sockets import Socket, plain_entry

T = TypeVar("T")
TRIES = 20  # of a client to come to rest
PAUSE_MS = 500  # between two of them, for the SDK to come back
HOURS_MS = 2 * 3_600_000
SEAT = 0  # of the player whose line breaks


class Session(ABC):
    """What both kinds of session have: a server, the others, and what must be true at the end.

    Attributes:
        said: what was said at each table since its server began, counted.
        acts: how often the player has acted, by room.
    """

    def __init__(self, fate: Fate) -> None:
        self.network, self.clock = Network(fate), HandClock()
        self.clock.quiet = self.moves
        self.node = Node(clock=self.clock)
        self.others: dict[str, list[Socket]] = {}
        self.said: dict[str, int] = {}
        self.acts: dict[str, int] = {}

    async def begins(self) -> str:
        """Begin a game, the other two at their sockets; return the room."""
        room = await self.node.starts(game="toy", options={"short": True}, pace="untimed")
        self.others[room] = [self.node.joined(room, caller) for caller in PEOPLE[1:3]]
        self.said[room] = self.acts[room] = 0
        return room

    async def others_act(self, room: str) -> None:
        """Let each of the others answer, if asked; and one of them speak."""
        for socket in self.others[room]:
            if "legal" in socket.document(room):
                socket.acts(room)
                await self.settles()
        self.others[room][0].asks("say", room=room, to="table", text=self.saying(room))
        await self.settles()

    async def restarts(self) -> None:
        """End the server, and start another one on the same store."""
        self.network.bury("late")
        await self.node.closes()
        self.node = Node(self.node.store.kept, self.clock)
        await self.node.opens()
        await self.clock.passes(1_000)
        for room in self.others:
            self.others[room] = [self.node.joined(room, caller) for caller in PEOPLE[1:3]]
            self.said[room] = 0
        await self.settles()

    def saying(self, room: str) -> str:
        """Return something to say that was not said before."""
        self.said[room] += 1
        return f"{room} {self.said[room]}"

    def sayings(self, room: str) -> list[str]:
        """List all that was said since the server began."""
        return [f"{room} {number}" for number in range(1, self.said[room] + 1)]

    @abstractmethod
    async def moves(self) -> None:
        """Step until nothing moves by itself."""

    @abstractmethod
    async def settles(self) -> None:
        """Let the client come to rest, coming back if it must."""

    async def turn(self) -> bool:
        """Step one turn of the loop; return whether anything was to be done in it."""
        loop: Any = asyncio.get_running_loop()
        if not loop._ready:
            return False
        self.network.step()
        await asyncio.sleep(0)
        return True

    def check(self, room: str, document: Message) -> None:
        """Hold a client's document to the server's, and its seat to the newest line."""
        assert self.network.line is not None
        served = self.node.room(room)
        seated = served._following._presence.session(SEAT)
        assert seated == self.network.line.connection.session, "no ghost has the seat"
        assert document == msgpack.unpackb(MSGPACK.encode(served._stream.scene.document(SEAT)))

    def check_effects(self, room: str) -> None:
        """Check that each act and each saying took effect once."""
        receipts = self.node.room(room).standing.receipts[PEOPLE[SEAT].player or ""]
        assert len(receipts) == self.acts[room]
        for socket in self.others[room]:
            heard = [said["text"] for said in socket.told("said") if said["room"] == room]
            assert heard == self.sayings(room)

    async def ends(self) -> None:
        """Let all go, and check that nothing is left once the rooms are put away."""
        self.network.bury("at the end")
        for sockets in self.others.values():
            for socket in sockets:
                assert (socket.closed, socket.unanswered) == (None, 0)
                socket.drops()
        await self.clock.passes(HOURS_MS)
        self.node.hall.sweep()
        await self.clock.passes(0)
        self.node.hall.sweep()
        self.node.sweeps()
        await self.node.closes()
        assert asyncio.all_tasks() == {asyncio.current_task()}
        assert not self.clock.alarms
        left, nothing = _held(self.node), _held(await _closed_node())
        assert left == nothing, left - nothing


def _held(node: Node) -> Any:
    roots = {"gateway": node.gateway, "hall": node.hall}
    return inventory(roots, node.clock, node.store, node.metrics)


async def _closed_node() -> Node:
    node = await Node().opens()
    await node.closes()
    return node


class Plainly(Session):
    """A session with a client that does what PROTOCOL.md says."""

    def __init__(self, fate: Fate) -> None:
        super().__init__(fate)
        self.client = Client(self.network, self.node.token(PEOPLE[SEAT]))

    async def opens(self) -> None:
        """Open a socket, beside another one if there is one."""
        self.client.opens(self.node.gateway)
        await self.settles()

    async def joins(self, room: str) -> None:
        self.client.joins(room)
        await self.settles()

    def acts_in(self, room: str) -> None:
        """Do the first thing that is listed."""
        document = self.client.streams[room].document
        action, window = plain_entry(document["legal"]), document["window"]["number"]
        self.client.asks("act", room, action=action, window=window)
        self.acts[room] += 1

    def says_in(self, room: str) -> None:
        self.client.asks("say", room, to="table", text=self.saying(room))

    async def leaves(self, room: str) -> None:
        self.client.asks("leave", room)
        await self.settles()

    async def restarts(self) -> None:
        for stream in self.client.streams.values():
            stream.views = 0
        await super().restarts()

    async def moves(self) -> None:
        await asyncio.sleep(0)
        while True:
            lines = [*self.client.former, self.client.line]
            line = next((line for line in lines if line is not None and line.down), None)
            if line is not None:
                self.client.takes(line)
            elif not await self.turn():
                return

    async def settles(self) -> None:
        for _ in range(TRIES):
            await self.clock.passes(0)
            if self.client.line is None:
                self.client.opens(self.node.gateway)
            elif not self.client.settled:
                self._check_drop()
                self.client.gives_up()
            elif any(stream.seq < self.node.room(room).seq for room, stream in self._followed()):
                self._check_drop()
                await self._news()
            else:
                break
        else:
            raise AssertionError("the client does not come to rest")
        for room, stream in self._followed():
            self.check(room, stream.document)
        self.network.bury("late")

    def _check_drop(self) -> None:
        assert self.network.fate.drop is not UNSET, "it has everything unless a frame was lost"

    def _followed(self) -> Iterator[tuple[str, Stream]]:
        """Yield what the client follows at the moment."""
        line = self.client.line
        for room, stream in self.client.streams.items():
            if line is not None and room in line.connection.rooms:
                yield room, stream

    async def _news(self) -> None:
        """Let something happen in every room: who has missed a frame finds out by the next."""
        lookers = [self.node.joined(room, as_="spectator") for room in self.others]
        await self.clock.passes(5_000)
        for looker in lookers:
            looker.drops()
        await self.clock.passes(5_000)

    async def ends(self) -> None:
        if self.network.fate.drop is not UNSET:
            await self.opens()  # so that it hears what it has missed of the talk
        for room, stream in self.client.streams.items():
            assert stream.heard == [*range(1, self.said[room] + 1)]
            assert stream.seqs == [*range(stream.seqs[0], stream.seqs[-1] + 1)]
            assert stream.views == 1
            self.check_effects(room)
        self.client.gives_up()
        await super().ends()


class BySdk(Session):
    """A session with the SDK; its time is the server's."""

    def __init__(self, fate: Fate) -> None:
        super().__init__(fate)
        token = self.node.token(PEOPLE[SEAT])
        outside = Outside(self._dial, self._sleep, lambda: self.clock.now() / 1000, lambda: 0.5)
        self.connection: Connection = connect(
            "http://saleroom.example", token, checks=True, outside=outside
        )
        self.rooms: dict[str, Room] = {}
        self.heard: dict[str, list[Said]] = {}  # since the room was joined, or its server began
        self._reading: dict[str, asyncio.Task[None]] = {}

    async def does(self, doing: Coroutine[Any, Any, T]) -> T:
        """Let the SDK do something, however often its line breaks."""
        task = asyncio.create_task(doing)
        for _ in range(TRIES):
            await self.clock.passes(PAUSE_MS)
            if task.done():
                break
        await self.settles()
        return await task

    async def joins(self, room: str) -> None:
        self.heard[room] = []
        hear = self.heard[room].append
        followed = await self.does(self.connection.join(room, heard=hear))
        self.rooms[room] = followed
        self._reading[room] = asyncio.create_task(_read(followed))

    async def leaves(self, room: str) -> None:
        await self.does(self.rooms.pop(room).leave())
        await self._reading.pop(room)

    async def acts_in(self, room: str) -> None:
        self.acts[room] += 1
        document = self.rooms[room].document
        window = document["window"]["number"]
        await self.does(self.rooms[room].act(plain_entry(document["legal"]), window=window))

    async def says_in(self, room: str) -> None:
        await self.does(self.rooms[room].say(self.saying(room)))

    async def restarts(self) -> None:
        for heard in self.heard.values():
            heard.clear()
        await super().restarts()

    async def moves(self) -> None:
        await asyncio.sleep(0)
        while await self.turn():
            pass

    async def settles(self) -> None:
        for _ in range(TRIES):
            await self.clock.passes(PAUSE_MS)
            if all(room.following for room in self.rooms.values()):
                break
        for name, room in self.rooms.items():
            self.check(name, room.document)
            assert not self._reading[name].done()
        self.network.bury("late")

    async def _dial(self, _: str) -> Dialled:
        if self.node.gateway.draining:
            raise Broken(LOST, "it is about to end")
        return Dialled(self.network.dial(self.node.gateway))

    async def _sleep(self, seconds: float) -> None:
        await self.clock.sleep(round(seconds * 1000))

    async def ends(self) -> None:
        for name in self.rooms:
            heard = [said.text for said in self.heard[name]]
            assert heard == self.sayings(name), heard
            self.check_effects(name)
        await self.connection.close()
        await asyncio.gather(*self._reading.values(), return_exceptions=True)
        await super().ends()


async def _read(room: Room) -> None:
    """Read all that comes of a room: no number twice, and none left out but before a whole view."""
    last = -1
    async for update in room:
        assert update.seq > last
        assert update.whole or update.seq == last + 1
        last = update.seq
