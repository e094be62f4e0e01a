"""How nodes wait for each other."""

from msgspec import Struct


class PeerLimits(Struct, frozen=True, kw_only=True):
    """How nodes wait for each other. All are settings."""

    resend_ms: int = 500  # after which an errand is sent again, or to another node
    known_ms: int = 300  # for which the maker of a room waits until all nodes know of it
    beat_ms: int = 500  # between two looks at who is alive
    settling_ms: int = 3_000  # after the store was away: until then nobody is taken for dead
    sure_ms: int = 1_000  # after the last look; less than it takes until a node is taken for dead
    forget_ms: int = 60_000  # after which nothing more is known of a dead node
    news_ms: int = 1_000  # between two looks at what has become of rooms
    not_here_ms: int = 50  # before the store is asked again who owns a room
    answers: int = 10_000  # kept for errands that are sent again
