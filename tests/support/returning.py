"""A player's client that comes back: as PROTOCOL.md tells it to, and with nothing of ours.

It checks while it reads what such a client may rely on: it resumes where it can, every number comes
once, checks fit, one answer a request on a socket, and nobody but an older socket is replaced.
"""

from typing import Any

import msgpack

from saleroom_server.gateway.gateway import Gateway
from tests.support.lines import LOST, Line, Network
from tests.support.witness import check, merged

Message = dict[str, Any]

RESTART, REPLACED = 1012, 4002


class Stream:
    """A room as the client has it.

    Attributes:
        seqs: of all updates it has taken, in order; a view begins anew.
        views: how many it was sent.
        asked: the join that has no answer yet.
        resumes: whether that had a cursor.
        head: where the stream was when it was last joined.
        heard: the numbers of all that was said, of this epoch.
    """

    def __init__(self) -> None:
        self.epoch = ""
        self.document: Message = {}
        self.seqs: list[int] = []
        self.views = 0
        self.asked: str | None = None
        self.resumes = False
        self.head = 0
        self.heard: list[int] = []

    @property
    def seq(self) -> int:
        return self.seqs[-1] if self.seqs else -1

    @property
    def said(self) -> int:
        return self.heard[-1] if self.heard else 0


class Client:
    """One player's program, over as many sockets as it takes.

    Attributes:
        streams: the rooms it follows.
        line: its newest socket; None once it is broken or closed.
        former: those before it.
    """

    def __init__(self, network: Network, token: str) -> None:
        self.network, self._token = network, token
        self.streams: dict[str, Stream] = {}
        self.line: Line | None = None
        self.former: list[Line] = []
        self._welcomed = False
        self._pending: dict[str, Message] = {}
        self._answered: set[str] = set()  # on this socket
        self._ids = 0

    # What it does

    def opens(self, gateway: Gateway) -> None:
        """Open a socket, beside what there is; say hello, join, send again what has no receipt."""
        if self.line is not None and not self.line.broken:
            self.former.append(self.line)
        self.line = self.network.dial(gateway)
        self._welcomed, self._answered = False, set()
        self._send({"type": "hello", "client": "tests/1.0", "token": self._token, "checks": True})
        for room in self.streams:
            self._join(room)
        for message in list(self._pending.values()):
            self._send(message)

    def joins(self, room: str) -> None:
        """Follow a room: for the first time, or again on the same socket."""
        self.streams.setdefault(room, Stream())
        self._join(room)

    def asks(self, kind: str, room: str, **fields: Any) -> str:
        """Send a request, which is sent again until it is settled; return its id."""
        message = {"type": kind, "id": self._new_id(kind), "room": room, **fields}
        self._pending[message["id"]] = message
        self._send(message)
        return str(message["id"])

    def gives_up(self) -> None:
        """Hold the socket for dead: something it waits for does not come."""
        if self.line is not None:
            self.line.breaks()
            self.line.noticed()
            self.line = None

    # What it waits for

    @property
    def settled(self) -> bool:
        """Whether nothing it has asked for is open."""
        waiting = any(
            stream.asked is not None or stream.seq < stream.head for stream in self.streams.values()
        )
        return self._welcomed and not self._pending and not waiting

    # What comes

    def takes(self, line: Line) -> None:
        """Take what has come on a line."""
        came = line.next()
        if isinstance(came, bytes):
            message = msgpack.unpackb(came)
            if line is self.line:
                self._take(message)
            else:
                assert message["type"] in ("left", "accepted", "refused", "update", "said")
        elif line is not self.line:
            assert came in (LOST, REPLACED, None)
        elif came is not None:
            assert came in (LOST, RESTART), "only an older socket is replaced"
            self.line = None

    def _take(self, message: Message) -> None:
        match message["type"]:
            case "welcome":
                self._welcomed = True
            case "accepted" | "refused":
                self._settle(message)
            case "left":
                raise AssertionError(f"left {message['reason']}, on the socket that has the seat")
            case "joined" | "view" | "update" | "said":
                stream = self.streams.get(message["room"])
                if stream is not None:
                    getattr(self, f"_{message['type']}")(stream, message)

    def _settle(self, message: Message) -> None:
        request = message["id"]
        assert request not in self._answered, "one answer a request on a socket"
        self._answered.add(request)
        assert message["type"] == "accepted", message
        if request in self._pending:
            room = self._pending.pop(request)["room"]
            stream = self.streams.get(room)
            if stream is not None and stream.seq < message.get("seq", -1):
                self._join(room)  # an update up to there was lost

    def _joined(self, stream: Stream, message: Message) -> None:
        if message["id"] == stream.asked:
            cursor = message["cursor"]
            at_hand = stream.resumes and cursor["epoch"] == stream.epoch
            assert message["resumed"] == at_hand, "what is at hand is resumed"
            stream.asked, stream.head = None, cursor["seq"]

    def _view(self, stream: Stream, message: Message) -> None:
        assert message["epoch"] != stream.epoch or not stream.document, "one view an epoch"
        assert message["seq"] > stream.seq
        stream.views += 1
        stream.epoch, stream.seqs, stream.heard = message["epoch"], [message["seq"]], []
        self._shows(stream, message, message["document"])

    def _update(self, stream: Stream, message: Message) -> None:
        if message["epoch"] != stream.epoch or message["seq"] > stream.seq + 1:
            if stream.asked is None:
                self._join(message["room"])  # a view, or an update, was lost
            return
        assert message["seq"] == stream.seq + 1, "every number once"
        stream.seqs.append(message["seq"])
        self._shows(stream, message, merged(stream.document, message.get("patch", {})))

    def _shows(self, stream: Stream, message: Message, document: Message) -> None:
        assert check(document) == message["check"]
        assert document["room"] == message["room"]
        stream.document = document

    def _said(self, stream: Stream, message: Message) -> None:
        assert message["text"].startswith(message["room"])
        if message["number"] > stream.said + 1 and stream.asked is None:
            self._join(message["room"])  # something that was said was lost
        elif message["number"] == stream.said + 1:
            stream.heard.append(message["number"])

    # How it sends

    def _join(self, room: str) -> None:
        stream = self.streams[room]
        stream.asked, stream.resumes = self._new_id("join"), bool(stream.document)
        join: Message = {"type": "join", "id": stream.asked, "room": room, "as": "player"}
        if stream.resumes:
            join["cursor"] = {"epoch": stream.epoch, "seq": stream.seq}
            join["said_after"] = stream.said
        self._send(join)

    def _send(self, message: Message) -> None:
        if self.line is not None:
            self.line.up(msgpack.packb(message))

    def _new_id(self, kind: str) -> str:
        self._ids += 1
        return f"{kind}-{self._ids}"
