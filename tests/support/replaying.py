"""A journal replayed at once, where nobody else wants a turn."""

from collections.abc import Sequence

from saleroom_server.rooms.loading import Loaded, loading


def load(bodies: Sequence[bytes]) -> Loaded:
    """Replay a journal; raise as `loading` does."""
    replay = loading(bodies)
    while True:
        try:
            next(replay)
        except StopIteration as end:
            loaded: Loaded = end.value
            return loaded
