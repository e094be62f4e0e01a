"""The rooms in the order they were made. A place in it stays, whatever is made or removed."""

from bisect import bisect_left, insort
from collections.abc import Iterator

from saleroom_protocol.http import RoomSummary

CREATED_DIGITS = 15


def place_of(summary: RoomSummary) -> str:
    """Return a room's place; the newest is the greatest, of one age that with the greater id."""
    return f"{summary.created_at:0{CREATED_DIGITS}}-{summary.room}"


class Roll:
    """The places of rooms, in order."""

    def __init__(self) -> None:
        self._places: list[str] = []

    def add(self, place: str) -> None:
        """Enter a room; nearly always it is the newest."""
        insort(self._places, place)

    def remove(self, place: str) -> None:
        """Take out a room that was entered."""
        del self._places[bisect_left(self._places, place)]

    def rooms(self, after: str | None = None) -> Iterator[str]:
        """Yield the rooms, the newest first; from behind a place on, if one is given."""
        end = len(self._places) if after is None else bisect_left(self._places, after)
        for number in range(end - 1, -1, -1):
            yield self._places[number][CREATED_DIGITS + 1 :]
