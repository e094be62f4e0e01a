"""Readers of events in memory: the server's response as it is, and a client behind it."""

import asyncio
import json
from copy import copy
from typing import TYPE_CHECKING, Any

from starlette.types import ASGIApp

from saleroom_protocol.messages import Join
from saleroom_protocol.sse import cursor_of
from saleroom_server.gateway.reading import reading
from saleroom_server.rooms.commands import Caller
from tests.support.event_source import EventSource
from tests.support.hand_clock import quiet
from tests.support.sockets import Followed, Message

if TYPE_CHECKING:
    from tests.support.nodes import Node

ANYBODY = Caller()


class Listener:
    """Somebody who reads one room's events, as far as the server can tell.

    Attributes:
        frames: all it was sent, byte by byte.
        source: the browser that reads it.
        room: what it has made of that.
        takes: whether it reads what is sent.
        ended: whether the server has ended the response.
    """

    def __init__(self) -> None:
        self.frames: list[bytes] = []
        self.source = EventSource()
        self.room = Followed()
        self.takes, self._gone = asyncio.Event(), asyncio.Event()
        self.takes.set()
        self.head: Message = {}
        self.ended = False
        self._task: asyncio.Task[None] | None = None
        self._seen = 0

    def reads(self, served: ASGIApp, **asked: Any) -> None:
        """Begin to read a response, or what an application answers."""
        scope = {"type": "http", "method": "GET", **asked}
        coming: Any = served(scope, self._receive, self._send)
        self._task = asyncio.create_task(coming)

    def drops(self) -> None:
        """Break the connection."""
        self._gone.set()
        self.takes.set()

    @property
    def is_served(self) -> bool:
        """Whether the server still has to do with it."""
        return self._task is not None and not self._task.done()

    # What it was sent

    @property
    def closed(self) -> Any:
        """None as long as events may come."""
        return self.ended or None

    @property
    def messages(self) -> list[Message]:
        """The data of all events."""
        return [json.loads(event.data) for event in self.source.events]

    @property
    def kinds(self) -> list[str]:
        """The events, by name."""
        return [event.kind for event in self.source.events]

    def told(self, *kinds: str) -> list[Message]:
        """Return all messages of some types."""
        return [message for message in self.messages if message["type"] in kinds]

    @property
    def document(self) -> Message:
        """How the room looks to it."""
        return self.room.document

    @property
    def headers(self) -> dict[str, str]:
        """The head of the response."""
        return {name.decode(): value.decode() for name, value in self.head["headers"]}

    async def _receive(self) -> Message:
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        await self.takes.wait()
        if self._gone.is_set():
            return
        if message["type"] == "http.response.start":
            self.head = message
            return
        assert not self.ended, "nothing is written behind the end"
        self._take(message.get("body", b""))
        if not message.get("more_body"):
            self.ended = True
            self._gone.set()

    def _take(self, body: bytes) -> None:
        self.frames.append(body)
        self.source.feed(body)
        for event in self.source.events[self._seen :]:
            message = json.loads(event.data)
            if event.kind in ("view", "update"):
                getattr(self.room, event.kind)(message)
                assert event.id == f"{self.room.epoch}.{self.room.seq}"
        self._seen = len(self.source.events)


async def listening(
    node: "Node",
    room: str,
    caller: Caller = ANYBODY,
    after: "Listener | str" = "",
    **fields: Any,
) -> Listener:
    """Read a room's events; from behind what somebody has read, or any id, if need be.

    Raises:
        Refusal: it cannot be read.
    """
    listener = Listener()
    if isinstance(after, Listener):
        listener.room, after = copy(after.room), after.source.last_id
    asked = Join(id="stream", room=room, as_="spectator", cursor=cursor_of(after), **fields)
    response = await reading(node.gateway)(node.actor(room), caller, asked, "192.0.2.1")
    listener.reads(response)
    await quiet()
    return listener
