"""Sockets in memory, and clients that check what they are sent.

A `Socket` reads with nothing of ours what it is sent, and checks while it reads what every client
may rely on: one answer per request, no gap in `seq`, a view first in a new epoch, checks that fit.
"""

import json
from collections import Counter
from random import Random
from typing import Any, Literal, Protocol

import msgpack

from saleroom_protocol.codec import Codec
from saleroom_protocol.games.forms import Form, fill
from saleroom_server.gateway.gateway import Gateway
from saleroom_server.gateway.outlet import Outlet, Packet
from saleroom_server.rooms.commands import Caller
from tests.support.witness import check, merged

Message = dict[str, Any]
As = Literal["player", "spectator"]

ANSWERS = {"welcome", "joined", "accepted", "refused", "pong"}


class Host(Protocol):
    """The server a socket is opened to."""

    gateway: Gateway

    def token(self, caller: Caller) -> str: ...


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

    def send(self, packet: Packet) -> int:
        assert self.code is None, "nothing is written behind a close"
        self.packets.append(packet)
        return self.stuck

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
        stray: sends what it has not asked with `asks`, so answers cannot be counted nor rooms
            followed.
    """

    def __init__(self, node: Host, codec: Codec, address: str = "192.0.2.1") -> None:
        self.node, self.codec, self.wire = node, codec, Wire()
        self.connection = node.gateway.connect(codec, self.wire, address)
        self.rooms: dict[str, Followed] = {}
        self.stray = False
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

    def goes_on(self, room: str, before: "Socket") -> Message:
        """Have in hand of a room what another socket has read of it; return the cursor."""
        left, taken_up = before.rooms[room], Followed()
        taken_up.epoch, taken_up.seq, taken_up.document = left.epoch, left.seq, left.document
        self.rooms[room] = taken_up
        return {"epoch": left.epoch, "seq": left.seq}

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

    def forgets(self) -> None:
        """Forget the messages read so far, of a socket that has been sent very many."""
        assert self.messages is self._messages
        self._messages.clear()
        self.wire.packets.clear()
        self._read = 0

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
        if self.stray:
            return
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

    def request(self, id_: str) -> Message:
        """Return a request it has sent."""
        return self._sent[id_]

    @property
    def open_requests(self) -> list[Message]:
        """The requests that have no answer yet."""
        assert self.messages is self._messages
        return [self._sent[id_] for id_ in self._asked.elements()]

    @property
    def unanswered(self) -> int:
        """How many requests have no answer yet."""
        assert self.messages is self._messages
        return self._asked.total()

    @property
    def closed(self) -> Any:
        """The code it was closed with; None while it is open."""
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


def plain_entry(legal: list[Message], luck: Random | None = None) -> Message:
    """Return an action out of `legal`: the first thing listed, or any; a form is filled."""
    pick: Any = luck.choice if luck else (lambda options: options[0])
    entry = pick(legal)
    return fill(Form.read(entry), pick) if "choose" in entry else entry
