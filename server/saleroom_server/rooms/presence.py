"""Who of the seated is connected, as the document tells it.

A flag follows the socket with delay: down only after a while without one, and at most one flip a
seat in that while. So a flapping line is not news, and nobody can flood a room with it.
"""

from msgspec import Struct

from saleroom_protocol.games.common import Seat
from saleroom_server.rooms.commands import Session


class _Seat(Struct):
    session: Session | None = None
    since: int = 0  # when the socket asked for the seat's stream
    connected: bool = False
    flipped_at: int | None = None  # the last time the flag changed
    gone_at: int = 0  # the last time the socket went


class Presence:
    """The sockets of the seats of one room."""

    def __init__(self, seats: int, delay_ms: int) -> None:
        self._seats = [_Seat() for _ in range(seats)]
        self._delay_ms = delay_ms

    def session(self, seat: Seat) -> Session | None:
        """Return the socket that has the seat's stream."""
        return self._seats[seat].session

    def connected(self, seat: Seat) -> bool:
        """Return the flag as the document shows it."""
        return self._seats[seat].connected

    def flags(self) -> list[bool]:
        """Return all seats' flags."""
        return [one.connected for one in self._seats]

    def anybody(self) -> bool:
        """Whether any seat has a socket right now."""
        return any(one.session is not None for one in self._seats)

    def since(self, seat: Seat) -> int:
        """Return when the socket that has the seat's stream asked for it; 0 if there is none."""
        return 0 if self._seats[seat].session is None else self._seats[seat].since

    def come(self, seat: Seat, session: Session, since: int) -> None:
        """Give the seat's stream to a socket."""
        self._seats[seat].session = session
        self._seats[seat].since = since

    def go(self, seat: Seat, now: int) -> None:
        """Leave the seat without a socket."""
        self._seats[seat].session = None
        self._seats[seat].gone_at = now

    def clear(self, seat: Seat) -> None:
        """Forget the seat: nobody sits there now."""
        self._seats[seat] = _Seat()

    def flip(self, flags: dict[Seat, bool], now: int) -> None:
        """Change flags, as `flips` said."""
        for seat, connected in flags.items():
            self._seats[seat].connected = connected
            self._seats[seat].flipped_at = now

    def due(self) -> int | None:
        """Return when the next flag changes, if nothing else happens."""
        behind = [one for one in self._seats if (one.session is None) is one.connected]
        return min(map(self._flips_at, behind), default=None)

    def flips(self, now: int) -> dict[Seat, bool]:
        """Return the flags that change now."""
        return {
            seat: not one.connected
            for seat, one in enumerate(self._seats)
            if (one.session is None) is one.connected and self._flips_at(one) <= now
        }

    def _flips_at(self, one: _Seat) -> int:
        """Return when a flag may change that is not as it should be."""
        earliest = 0 if one.flipped_at is None else one.flipped_at + self._delay_ms
        there = one.session is not None
        return earliest if there else max(earliest, one.gone_at + self._delay_ms)
