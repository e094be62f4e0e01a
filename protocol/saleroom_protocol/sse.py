"""A spectator's stream as server-sent events (WHATWG HTML, 9.2). PROTOCOL.md, "Server-sent events".

Not a subprotocol of the WebSocket: nobody can ask for it there.
"""

import re

from msgspec import UNSET, UnsetType

from saleroom_protocol.codec import CODECS, JSON, Encoder
from saleroom_protocol.messages import Left, ResumeCursor, Update, View

COMMENT = b":\n\n"  # means nothing, and keeps a connection from looking idle

_ID = re.compile(r"([^.]+)\.([0-9]{1,16})")


def retry(milliseconds: int) -> bytes:
    """Return what tells a reader how long to wait before it reads again after the stream broke."""
    return b"retry: %d\n\n" % milliseconds


def cursor_of(event_id: str) -> ResumeCursor | UnsetType:
    """Return how far a reader has come by the id of its last event; UNSET if it is no id."""
    found = _ID.fullmatch(event_id)
    return UNSET if found is None else ResumeCursor(epoch=found[1], seq=int(found[2]))


def _event(message: View | Update | Left) -> bytes:
    """Return a message as an event: the id is the cursor behind it, `left` is the end."""
    if isinstance(message, Left):
        head = "event: end"  # without an id: the last one goes on saying how far the reader is
    else:
        kind = message.__struct_config__.tag
        head = f"id: {message.epoch}.{message.seq}\nevent: {kind}"
    # In JSON a line's end is always escaped, so the data is one line.
    return b"%b\ndata: %b\n\n" % (head.encode(), JSON.encode(message))


SSE = Encoder("sse", True, _event)
ENCODERS: dict[str, Encoder] = {**CODECS, SSE.subprotocol: SSE}  # by the name in a room's groups
