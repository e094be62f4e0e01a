"""A journal replayed at once, where nobody else wants a turn."""

from collections.abc import Sequence

from saleroom_server.rooms.loading import Loaded, loading


def load(bodies: Sequence[bytes]) -> Loaded:
    """Replay a journal; raise as `loading` does."""
    *_, loaded = loading(bodies, len(bodies))
    assert loaded is not None, "a replay ends with the room"
    return loaded
