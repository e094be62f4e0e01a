"""When what has ended by itself is started again: soon, and the oftener it ends the later."""

from typing import Protocol


class Restarts(Protocol):
    """How long to wait."""

    @property
    def restart_ms(self) -> int:
        """At first."""

    @property
    def restart_most_ms(self) -> int:
        """At most; what has lived longer than this begins anew."""


def pause_ms(limits: Restarts, before_ms: int, lived_ms: int) -> int:
    """Return how long to wait after some life, `before_ms` having been waited before it."""
    if lived_ms > limits.restart_most_ms:
        return limits.restart_ms
    return min(max(2 * before_ms, limits.restart_ms), limits.restart_most_ms)
