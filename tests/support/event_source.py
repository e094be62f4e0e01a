"""Server-sent events as a browser reads them (WHATWG HTML, 9.2.6); nothing of ours."""

import codecs
import re
from typing import Any

from msgspec import Struct

LINE = re.compile(r"([^\r\n]*)(\r\n|\n|\r(?!\n)(?=.|\n))", re.DOTALL)


class Event(Struct, frozen=True):
    """An event a page would see."""

    kind: str
    data: str
    id: str


class EventSource:
    """Makes events of bytes, in whatever pieces they come.

    Attributes:
        events: all there were.
        comments: how many lines said nothing.
        last_id: what is sent as Last-Event-ID when the stream broke.
        retry_ms: how long it is waited before that; None as long as nobody said.
    """

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.comments = 0
        self.last_id = ""
        self.retry_ms: int | None = None
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._text = ""
        self._begun = False
        self._kind, self._data, self._id = "", "", ""

    def feed(self, received: bytes) -> None:
        """Take some bytes in."""
        self._text += self._decoder.decode(received)
        if self._text and not self._begun:
            self._begun, self._text = True, self._text.removeprefix("\ufeff")
        while found := LINE.match(self._text):
            self._text = self._text[found.end() :]
            self._line(found[1])

    def _line(self, line: str) -> None:
        name, _, value = line.partition(":")
        if not line:
            self._dispatch()
        elif not name:
            self.comments += 1
        else:
            self._field(name, value.removeprefix(" "))

    def _field(self, name: str, value: str) -> None:
        if name == "event":
            self._kind = value
        elif name == "data":
            self._data += value + "\n"
        elif name == "id" and "\0" not in value:
            self._id = value
        elif name == "retry" and re.fullmatch("[0-9]+", value):
            self.retry_ms = int(value)

    def _dispatch(self) -> None:
        self.last_id = self._id
        if self._data:
            event = Event(self._kind or "message", self._data.removesuffix("\n"), self.last_id)
            self.events.append(event)
        self._kind, self._data = "", ""


def read(received: bytes) -> Any:
    """Return the events of a whole stream."""
    source = EventSource()
    source.feed(received)
    return source.events
