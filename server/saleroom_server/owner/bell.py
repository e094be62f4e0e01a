"""The bell of one room: set for when it next wants to be rung, and fair when it is late."""

from collections.abc import Callable

from saleroom_server.clock import Bell, Clock


class RoomBell:
    """At most one bell is set; setting it for another time takes the former one back.

    Most times are put off again and again, with every answer in a room. So a bell that is set for
    too early is left to ring, and only then set for later: nothing rings that was put off.
    """

    def __init__(self, clock: Clock, late_ms: int, ring: Callable[[int], None]) -> None:
        """`ring` is told how late it is, in ms."""
        self._clock, self._late_ms, self._ring = clock, late_ms, ring
        self._due: int | None = None
        self._bell: Bell | None = None
        self._rings_at = 0  # when the bell rings, if it is set
        self._silenced = False

    def set(self, due: int | None) -> None:
        """Ring at a time, or at once if it has passed; None: not at all."""
        if due == self._due or self._silenced:
            return
        if due is not None and self._bell is not None and due > self._rings_at:
            self._due = due
            return
        self._cancel()
        if due is not None:
            self._due = due
            self._set(self._clock.now())

    def silence(self) -> None:
        """Ring no more, whatever is set."""
        self._cancel()
        self._silenced = True

    def _set(self, now: int) -> None:
        assert self._due is not None, "it is set for some time"
        self._rings_at = max(self._due, now)
        self._bell = self._clock.ring_at(self._rings_at, self._rings)

    def _rings(self) -> None:
        """Ring; but if this program is late, first read what came in meanwhile, once."""
        now = self._clock.now()
        late = now - self._rings_at
        if late > self._late_ms and not self._is_put_off():
            self._bell = self._clock.ring_at(now + late, self._rings_now)
        else:
            self._rings_now()

    def _rings_now(self) -> None:
        now = self._clock.now()
        if self._is_put_off():
            self._set(now)
            return
        self._due = self._bell = None
        self._ring(max(0, now - self._rings_at))

    def _is_put_off(self) -> bool:
        assert self._due is not None, "a bell that rings was set"
        return self._due > self._rings_at

    def _cancel(self) -> None:
        if self._bell is not None:
            self._bell.cancel()
        self._due = self._bell = None
