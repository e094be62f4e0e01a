"""A node whose sockets are in memory: hall and gateway as they are, a clock moved by hand.

A `Socket` reads with nothing of ours what it is sent, and checks while it reads what every client
may rely on: one answer per request, no gap in `seq`, a view first in a new epoch, checks that fit.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any, Literal

import msgpack
from msgspec import UNSET

from saleroom_protocol.codec import MSGPACK, Codec
from saleroom_protocol.games.forms import Form, fill
from saleroom_protocol.http import NewRoom, NewRoomInfo
from saleroom_protocol.limits import Limits
from saleroom_server.gateway.gateway import Gateway
from saleroom_server.gateway.limits import GatewayLimits
from saleroom_server.gateway.outlet import Outlet, Packet
from saleroom_server.owner import house
from saleroom_server.owner.actor import Actor
from saleroom_server.owner.hall import Hall
from saleroom_server.owner.surroundings import OwnerLimits, Surroundings
from saleroom_server.rooms.commands import Caller, Start, TakeSeat
from saleroom_server.rooms.journal import decode
from saleroom_server.rooms.limits import RoomLimits
from saleroom_server.rooms.room import Room, Thought
from saleroom_server.tokens import Tokens
from tests.support.hand_clock import HandClock, quiet
from tests.support.memory_store import Kept, MemoryStore
from tests.support.witness import check, merged

Message = dict[str, Any]
As = Literal["player", "spectator"]

PEOPLE = [Caller(f"p{letter * 16}", f"Person {letter}", "person") for letter in "abcdefgh"]
KEY = b"a key that signs what tests need"
DAY_MS = 24 * 3_600_000
ANSWERS = {"welcome", "joined", "accepted", "refused", "pong"}


class Wire(Outlet):
    """The far end of a socket: what came through, and how it was closed.

    Attributes:
        stuck: bytes the client does not take.
    """

    def __init__(self) -> None:
        self.packets: list[Packet] = []
        self.code: int | None = None
        self.reason = ""
        self.stuck = 0

    def send(self, packet: Packet) -> None:
        assert self.code is None, "nothing is written behind a close"
        self.packets.append(packet)

    def close(self, code: int, reason: str) -> None:
        assert self.code is None, "closed once"
        self.code, self.reason = code, reason

    def backlog(self) -> int:
        return self.stuck


class Followed:
    """A room as one socket sees it."""

    def __init__(self) -> None:
        self.epoch, self.seq = "", -1
        self.document: Message = {}

    def view(self, message: Message) -> None:
        assert message["seq"] >= self.seq, "seq never falls"
        self.epoch, self.seq = message["epoch"], message["seq"]
        self._becomes(message, message["document"])

    def update(self, message: Message) -> None:
        assert (message["epoch"], message["seq"]) == (self.epoch, self.seq + 1), "no gap"
        self.seq = message["seq"]
        self._becomes(message, merged(self.document, message.get("patch", {})))

    def _becomes(self, message: Message, document: Message) -> None:
        self.document = document
        if "check" in message:
            assert check(document) == message["check"]


class Socket:
    """One client's socket.

    Attributes:
        messages: all it was sent.
        frames: the same, byte by byte.
        rooms: what it has made of that, by room.
    """

    def __init__(self, node: "Node", codec: Codec) -> None:
        self.node, self.codec, self.wire = node, codec, Wire()
        self.connection = node.gateway.connect(codec, self.wire)
        self.rooms: dict[str, Followed] = {}
        self._messages: list[Message] = []
        self._ids = 0
        self._asked: Counter[str] = Counter()  # requests that have no answer, by id
        self._sent: dict[str, Message] = {}
        self._read = 0

    # What it sends

    def sends(self, frame: bytes, text: bool | None = None) -> None:
        """Send a frame as it is."""
        self.connection.receive(frame, self.codec.text if text is None else text)

    def says(self, **message: Any) -> None:
        """Send a message as it is."""
        self.sends(json.dumps(message).encode() if self.codec.text else msgpack.packb(message))

    def asks(self, kind: str, request: str | None = None, **fields: Any) -> str:
        """Send a request, and return its id; `as_` is written as `as`."""
        self._ids += 1
        id_ = request or f"{kind}-{self._ids}"
        plain = {name.rstrip("_"): value for name, value in fields.items() if value is not None}
        self._asked[id_] += 1
        self._sent[id_] = {"type": kind, "id": id_, **plain}
        self.says(**self._sent[id_])
        return id_

    def repeats(self, request: str) -> str:
        """Send a request again."""
        self._asked[request] += 1
        self.says(**self._sent[request])
        return request

    def greets(self, caller: Caller | None = None, **fields: Any) -> Message:
        """Say hello, with a token if somebody's; return the welcome."""
        token = {} if caller is None else {"token": self.node.token(caller)}
        self.says(type="hello", client="tests/1.0", **token, **fields)
        assert self.last["type"] == "welcome"
        return self.last

    def joins(self, room: str, as_: As = "player", **fields: Any) -> str:
        return self.asks("join", room=room, as_=as_, **fields)

    def acts(self, room: str, action: Any = None, request: str | None = None, **fields: Any) -> str:
        """Answer the open window: with the first thing listed unless told otherwise."""
        document = self.document(room)
        if action is None:
            action = plain_entry(document["legal"])
        fields = {"window": document["window"]["number"], **fields}
        return self.asks("act", request, room=room, action=action, **fields)

    def drops(self) -> None:
        """Break the connection."""
        self.node.gateway.disconnect(self.connection)

    # What it is sent

    @property
    def frames(self) -> list[bytes]:
        return [packet.payload for packet in self.wire.packets]

    @property
    def messages(self) -> list[Message]:
        while self._read < len(self.wire.packets):
            packet = self.wire.packets[self._read]
            self._read += 1
            assert packet.text == self.codec.text
            told = json.loads(packet.payload) if packet.text else msgpack.unpackb(packet.payload)
            self._take(told)
            self._messages.append(told)
        return self._messages

    def _take(self, told: Message) -> None:
        if told["type"] in ANSWERS and "id" in told:
            self._asked[told["id"]] -= 1
            assert self._asked[told["id"]] >= 0, "one answer per request"
        if told["type"] == "view":
            self.rooms.setdefault(told["room"], Followed()).view(told)
        elif told["type"] == "update":
            self.rooms[told["room"]].update(told)
        elif told["type"] == "accepted" and "seq" in told:
            assert any(followed.seq >= told["seq"] for followed in self.rooms.values())

    @property
    def last(self) -> Message:
        return self.messages[-1]

    def told(self, *kinds: str) -> list[Message]:
        """Return all messages of some types."""
        return [message for message in self.messages if message["type"] in kinds]

    def since(self, number: int) -> list[str]:
        """Return the types of all messages but the first few."""
        return [message["type"] for message in self.messages[number:]]

    def answer(self, request: str) -> Message:
        """Return the answer to a request."""
        given = [message for message in self.messages if message.get("id") == request]
        assert given, f"{request} is not answered"
        return given[-1]

    def is_answered(self, request: str) -> bool:
        return any(message.get("id") == request for message in self.messages)

    def refusal(self, request: str) -> tuple[str, Message]:
        """Return reason and facts of a refusal."""
        answer = self.answer(request)
        assert answer["type"] == "refused"
        assert answer["message"]
        return answer["reason"], answer["facts"]

    @property
    def unanswered(self) -> int:
        """How many requests have no answer yet."""
        assert self.messages is self._messages
        return self._asked.total()

    @property
    def closed(self) -> int | None:
        """The code it was closed with."""
        return self.wire.code

    def followed(self, room: str) -> Followed:
        """Return how a room looks to it after everything it was sent."""
        assert self.messages
        return self.rooms[room]

    def document(self, room: str) -> Message:
        return self.followed(room).document

    def events(self, room: str) -> list[str]:
        """Return the names of all events heard of a room."""
        updates = [told for told in self.told("update") if told["room"] == room]
        return [event["event"] for told in updates for event in told.get("events", ())]


class Node:
    """One server without its listening socket."""

    def __init__(
        self,
        kept: Kept | None = None,
        clock: HandClock | None = None,
        *,
        owner: OwnerLimits | None = None,
        room: RoomLimits | None = None,
        gateway: GatewayLimits | None = None,
        limits: Limits | None = None,
        think: Thought = house.think,
    ) -> None:
        self.clock = clock or HandClock()
        self.store = MemoryStore(kept, self.clock.now)
        self.tokens = Tokens(KEY, DAY_MS)
        self.gateway = Gateway(
            self.clock, self.tokens, limits or Limits(), gateway or GatewayLimits(), Random(7)
        )
        self.limits, self.room_limits = owner or OwnerLimits(), room or RoomLimits()
        self.hall = Hall(
            Surroundings(
                store=self.store,
                clock=self.clock,
                room_limits=self.room_limits,
                limits=self.limits,
                think=think,
                levels=house.levels(),
                deliver=self.gateway.deliver,
            )
        )
        self.gateway.serve(self.hall.actor)

    async def opens(self) -> "Node":
        await self.hall.open()
        return self

    async def closes(self) -> None:
        self.store.release()
        self.gateway.drain()
        closing = asyncio.create_task(self.hall.close())
        await self.clock.passes(self.limits.retry_ms)
        assert closing.done(), "nothing keeps a server from ending"
        await closing
        await self.store.close()

    async def crashes(self) -> Kept:
        """Be no more, in the middle of whatever it was; return what is on disk."""
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for actor in self.hall._actors.values():
            actor.stop()
        return self.store.kept

    # People and rooms

    def token(self, caller: Caller) -> str:
        return self.tokens.issue(caller, self.clock.now()).token

    def socket(self, codec: Codec = MSGPACK) -> Socket:
        """Open a socket that has said nothing yet."""
        return Socket(self, codec)

    def greeted(
        self, caller: Caller | None = None, codec: Codec = MSGPACK, **fields: Any
    ) -> Socket:
        """Open a socket, and say hello."""
        socket = self.socket(codec)
        socket.greets(caller, **fields)
        return socket

    def joined(
        self,
        room: str,
        caller: Caller | None = None,
        as_: As = "player",
        codec: Codec = MSGPACK,
        **fields: Any,
    ) -> Socket:
        """Open a socket, say hello, and join a room that is in memory."""
        socket = self.greeted(caller, codec, checks=True)
        answer = socket.answer(socket.joins(room, as_, **fields))
        assert answer["type"] == "joined"
        return socket

    def actor(self, room: str) -> Actor:
        actor = self.hall.actor(room)
        assert actor is not None
        return actor

    def room(self, room: str) -> Room:
        loaded = self.actor(room).room
        assert loaded is not None
        return loaded

    async def makes(self, creator: Caller = PEOPLE[0], **fields: Any) -> NewRoomInfo:
        """Make a room of three, the creator in seat 0."""
        asked = NewRoom(**{"game": "kunstmarkt", "seats": 3, **fields})
        return await self.hall.create(asked, creator, None)

    async def seats(self, room: str, *people: Caller, invite: str | None = None) -> None:
        """Let people sit down, one after the other."""
        for caller in people:
            command = TakeSeat(caller, invite=UNSET if invite is None else invite)
            await self.actor(room).ask(command)

    async def starts(self, **fields: Any) -> str:
        """Make a room of three people in which the game has begun; nobody follows it."""
        made = await self.makes(**fields)
        await self.seats(made.room, *PEOPLE[1:3], invite=made.invite)
        await self.actor(made.room).ask(Start(PEOPLE[0]))
        return made.room

    async def plays(self, **fields: Any) -> "Table":
        """Begin a game of three people, each at a socket."""
        room = await self.starts(**fields)
        table = Table(self, room, [self.joined(room, caller) for caller in PEOPLE[:3]])
        await self.clock.passes(0)
        return table


class Table:
    """A game under way, and the sockets of its players by seat."""

    def __init__(self, node: Node, room: str, sockets: list[Socket]) -> None:
        self.node, self.room, self.sockets = node, room, sockets

    @property
    def document(self) -> Message:
        return self.sockets[0].document(self.room)

    @property
    def window(self) -> Message:
        window: Message = self.document["window"]
        return window

    @property
    def asked(self) -> Socket:
        """The socket of the first seat that owes an answer."""
        return self.sockets[self.asked_seat]

    @property
    def asked_seat(self) -> int:
        """The first seat that owes an answer."""
        window = self.window
        return next(int(seat) for seat in window["seats"] if seat not in window["answered"])

    def acts(self, **fields: Any) -> tuple[Socket, str]:
        """Let whoever is asked answer; return the socket, and the request's id."""
        socket = self.asked
        return socket, socket.acts(self.room, **fields)

    async def moves(self, times: int = 1) -> None:
        """Let the game go on by some answers."""
        for _ in range(times):
            socket, request = self.acts()
            await quiet()
            assert socket.answer(request)["type"] == "accepted"


def plain_entry(legal: list[Message], luck: Random | None = None) -> Message:
    """Return an action out of `legal`: the first thing listed, or any; a form is filled."""
    pick: Any = luck.choice if luck else (lambda options: options[0])
    entry = pick(legal)
    return fill(Form.read(entry), pick) if "choose" in entry else entry


def entries_of(kept: Kept, room: str) -> Iterator[str]:
    """Yield the types of the entries in a journal."""
    for body in kept.rooms[room].entries:
        yield str(decode(body).entry.__struct_config__.tag)
