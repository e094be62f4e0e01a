"""The bell of one room: set for when it next wants to be rung, and fair when it is late."""

from collections.abc import Callable

from saleroom_server.clock import Bell, Clock


class RoomBell:
    """At most one bell is set; setting it for another time takes the former one back."""

    def __init__(self, clock: Clock, late_ms: int, ring: Callable[[int], None]) -> None:
        """`ring` is told how late it is, in ms."""
        self._clock, self._late_ms, self._ring = clock, late_ms, ring
        self._due: int | None = None
        self._bell: Bell | None = None
        self._silenced = False

    def set(self, due: int | None) -> None:
        """Ring at a time, or at once if it has passed; None: not at all."""
        if due == self._due or self._silenced:
            return
        self._cancel()
        self._due = due
        if due is not None:
            expected = max(due, self._clock.now())
            self._bell = self._clock.ring_at(expected, lambda: self._rings(expected))

    def silence(self) -> None:
        """Ring no more, whatever is set."""
        self._cancel()
        self._silenced = True

    def _rings(self, expected: int) -> None:
        """Ring; but if this program is late, first read what came in meanwhile, once."""
        now = self._clock.now()
        late = now - expected
        if late > self._late_ms:
            self._bell = self._clock.ring_at(now + late, lambda: self._rings_now(expected))
        else:
            self._rings_now(expected)

    def _rings_now(self, expected: int) -> None:
        self._due = self._bell = None
        self._ring(max(0, self._clock.now() - expected))

    def _cancel(self) -> None:
        if self._bell is not None:
            self._bell.cancel()
        self._due = self._bell = None
