"""One update as every viewer of a room gets it."""

from collections.abc import Iterator, Sequence

from saleroom_protocol.codec import MSGPACK, Codec
from saleroom_protocol.games.common import Event
from saleroom_rules.contract import AnyRules
from saleroom_server.rooms.updates import parts_of
from saleroom_server.rooms.views import Change, Viewer

ROOM = "raaaaaaaaaaaa"


def frames(
    rules: AnyRules,
    events: Sequence[Event],
    changed: Change,
    codec: Codec = MSGPACK,
    *,
    seq: int = 7,
    at: int = 1_790_000_000_000,
) -> Iterator[tuple[Viewer, bytes]]:
    """Yield each viewer's frame, seats first; a viewer's epoch is named after it."""
    parts = parts_of(rules, events, changed, seq, at, {})
    for viewer in (*range(len(changed.own)), None):
        yield viewer, parts.frame(ROOM, epoch(viewer), viewer, codec, checks=False)


def epoch(viewer: Viewer) -> str:
    """Return the epoch that stands in a viewer's frames."""
    return f"e{viewer}"
