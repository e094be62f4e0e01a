"""How long a worker may take for what, and how much it takes on for others."""

from msgspec import Struct

WORKERS = 256  # the most there may be


class WorkerLimits(Struct, frozen=True, kw_only=True):
    """How long what may take, and how far workers help each other.

    Attributes:
        start_ms: from its start until it serves; then it is taken for one that cannot.
        restart_ms: from its end to its start, unless it ended soon before too: then twice the last.
        restart_most_ms: and never longer than this.
        stop_ms: when told to end, beyond the time to drain; then it is killed.
        help_ms: between two looks whether another worker leaves connections waiting.
        helped_at_once: connections taken from another worker's socket at a look.
    """

    start_ms: int = 60_000
    restart_ms: int = 100
    restart_most_ms: int = 5_000
    stop_ms: int = 5_000
    help_ms: int = 100
    helped_at_once: int = 50
