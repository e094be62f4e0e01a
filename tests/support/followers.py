"""Sockets that follow a room, and check what they get with nothing of ours."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Literal, TypeAlias

import msgpack
import msgspec

from saleroom_protocol.codec import Encoder
from saleroom_protocol.messages import Left, ServerMessage
from saleroom_protocol.sse import SSE
from saleroom_server.rooms.commands import Caller, Deliver, Effect, Enter, Exit, Group, Tell
from saleroom_server.rooms.views import Viewer
from tests.support.event_source import read
from tests.support.witness import check, merged

Message: TypeAlias = dict[str, Any]
As: TypeAlias = Literal["player", "spectator"]


class Follower:
    """One socket, or reader of events: all it was sent, and the document it has made of that.

    Attributes:
        frames: every byte, in order.
        live: whether it gets what its group gets.
        news: a view must come before anything else.
        expects: the id of the request whose answer it waits for.
    """

    def __init__(self, session: int, caller: Caller, as_: As, codec: Encoder, checks: bool) -> None:
        self.session, self.caller, self.as_ = session, caller, as_
        self.codec, self.checks = codec, checks
        self.frames: list[bytes] = []
        self.messages: list[Message] = []
        self.group: Group | None = None
        self.live = self.news = False
        self.expects = ""
        self.epoch, self.seq = "", -1
        self.document: Any = {}
        self._owed, self._promised = 0, ""  # updates, or the epoch, that `joined` said would come

    @property
    def viewer(self) -> Viewer:
        """The seat it looks from; it has joined."""
        assert self.group is not None
        return self.group[0]

    @property
    def cursor(self) -> Message:
        """Where it has come to."""
        return {"epoch": self.epoch, "seq": self.seq}

    @property
    def last(self) -> Message:
        """The last message."""
        return self.messages[-1]

    @property
    def events(self) -> list[Message]:
        """The events of the last update."""
        updates = [told for told in self.messages if told["type"] == "update"]
        return list(updates[-1].get("events", ()))

    def told(self, kind: str) -> list[Message]:
        """Return all messages of a type."""
        return [message for message in self.messages if message["type"] == kind]

    def forgets(self) -> None:
        """Begin a fresh list of messages."""
        self.messages.clear()
        self.frames.clear()

    def enters(self, group: Group) -> None:
        """Join a group."""
        assert not self.live
        assert (self._owed, self.news) == (0, False), "what `joined` promised has come"
        self.group, self.live = group, True
        assert (group[1], group[2]) == (self.codec.subprotocol, self.checks)

    def exits(self) -> None:
        """Be sent nothing more."""
        assert self.live
        self.live = False

    def receive(self, frame: bytes) -> None:
        """Take one frame in."""
        self.frames.append(frame)
        for message in self._read(frame):
            self.messages.append(message)
            getattr(self, "_" + message["type"])(message)

    def hears(self, message: ServerMessage) -> None:
        """Take in what the room tells it by itself; to readers of events that is only the end."""
        if self.codec is not SSE or isinstance(message, Left):
            self.receive(self.codec.encode(message))
        else:
            plain = msgspec.to_builtins(message)
            getattr(self, "_" + plain["type"])(plain)

    def _read(self, frame: bytes) -> Iterator[Message]:
        if self.codec is SSE:
            yield from (json.loads(event.data) for event in read(frame))
        else:
            yield json.loads(frame) if self.codec.text else msgpack.unpackb(frame)

    def has_come_to(self, seq: int, document: Any) -> None:
        """Check that it sees what the room holds for it."""
        assert self.seq == seq
        assert self.document == document

    def loses_touch(self) -> None:
        """The room is loaded anew: what comes next is a view of another epoch."""
        self.news, self._promised, self.live = self.live, "", False

    def skips(self) -> None:
        """It is spared some updates: what comes next is a view of the same epoch."""
        self.news, self._promised = True, self.epoch

    def comes_along(self, group: Group) -> None:
        """It followed the room where that was before: what comes next is a view."""
        self.group, self.news, self._promised = group, True, ""

    def _joined(self, message: Message) -> None:
        assert message["id"] == self.expects
        cursor = message["cursor"]
        if message["resumed"]:
            assert cursor["epoch"] == self.epoch
            self._owed = cursor["seq"] - self.seq
        self.news, self._promised = not message["resumed"], cursor["epoch"]

    def _view(self, message: Message) -> None:
        assert self.news
        assert message["seq"] >= self.seq, "seq never falls"
        epoch = message["epoch"]
        assert epoch == self._promised if self._promised else epoch != self.epoch
        assert "." not in epoch
        self.epoch, self.seq, self.document = epoch, message["seq"], message["document"]
        self.news = False
        self._check(message)

    def _update(self, message: Message) -> None:
        assert self.live or self._owed > 0
        assert not self.news, "first a view"
        assert (message["epoch"], message["seq"]) == (self.epoch, self.seq + 1)
        assert message.get("patch") != {}
        assert message.get("events") != []
        self._owed -= not self.live
        self.seq = message["seq"]
        self.document = merged(self.document, message.get("patch", {}))
        self._check(message)

    def _check(self, message: Message) -> None:
        assert ("check" in message) == self.checks
        if self.checks:
            assert check(self.document) == message["check"]

    def _accepted(self, message: Message) -> None:
        assert message["id"] == self.expects
        if self.live and "seq" in message:
            assert self.seq >= message["seq"], "every update up to it was written before"

    def _said(self, message: Message) -> None:
        assert message["number"] > 0

    def _left(self, message: Message) -> None:
        assert not self.live or self.codec is SSE, "only a stream of events ends with its room"


def told(followers: Mapping[int, Follower], effect: Effect) -> bool:
    """Carry out an effect that is for one socket; return whether it was."""
    match effect:
        case Tell(session, message):
            followers[session].hears(message)
        case Deliver(session, frame):
            followers[session].receive(frame)
        case Enter(session, group):
            followers[session].enters(group)
        case Exit(session):
            followers[session].exits()
        case _:
            return False
    return True
