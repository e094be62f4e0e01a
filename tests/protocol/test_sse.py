"""Server-sent events: what is written is what a browser reads."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from saleroom_protocol.codec import CODECS, JSON
from saleroom_protocol.messages import Left, ResumeCursor, Update, View
from saleroom_protocol.sse import COMMENT, ENCODERS, SSE, cursor_of, retry
from tests.support.documents import documents
from tests.support.event_source import Event, EventSource, read

ROOM = "raaaaaaaaaaaa"
VIEW = View(room=ROOM, epoch="4f1c-s", seq=41, at=5, document={"status": "running"})
UPDATE = Update(room=ROOM, epoch="4f1c-s", seq=42, at=6, patch={"spectators": 2})
LEFT = Left(room=ROOM, reason="closed")


def test_a_view_and_an_update_say_how_far_the_reader_is_and_the_end_does_not() -> None:
    written = b"".join(map(SSE.encode, (VIEW, UPDATE, LEFT)))
    data = [JSON.encode(message).decode() for message in (VIEW, UPDATE, LEFT)]
    assert read(written) == [
        Event("view", data[0], "4f1c-s.41"),
        Event("update", data[1], "4f1c-s.42"),
        Event("end", data[2], "4f1c-s.42"),
    ]


@given(documents)
def test_whatever_a_document_holds_the_data_is_one_line(document: dict[str, Any]) -> None:
    message = View(room=ROOM, epoch="e", seq=1, at=5, document=document)
    [event] = read(SSE.encode(message))
    assert json.loads(event.data)["document"] == document


@given(st.lists(st.integers(1, 40), max_size=20))
def test_it_may_come_in_any_pieces(sizes: list[int]) -> None:
    view = View(room=ROOM, epoch="e", seq=1, at=5, document={"name": "Grüezi\r\n€\u2028 \x00"})
    written = retry(3_000) + SSE.encode(view) + COMMENT + SSE.encode(UPDATE)
    source, rest = EventSource(), written
    for size in sizes:
        source.feed(rest[:size])
        rest = rest[size:]
    source.feed(rest)
    assert source.events == read(written)
    assert [event.kind for event in source.events] == ["view", "update"]
    assert (source.retry_ms, source.comments, source.last_id) == (3_000, 1, "4f1c-s.42")


def test_the_id_of_an_event_is_the_cursor_behind_it() -> None:
    assert cursor_of("4f1c-s.42") == ResumeCursor(epoch="4f1c-s", seq=42)


@pytest.mark.parametrize(
    "strange", ["", "x", "x.", ".1", "a.b.1", "x.-1", "x.1 ", "x.1\n", "x.१", f"x.{10**16}"]
)
def test_what_is_no_id_is_no_cursor(strange: str) -> None:
    assert cursor_of(strange) is UNSET


def test_no_socket_can_ask_for_it() -> None:
    assert SSE.subprotocol not in CODECS
    assert {*ENCODERS} == {*CODECS, SSE.subprotocol}
