"""One update for many viewers: what is public is encoded once, whatever their number.

The parts are kept as MessagePack for those who resume; a frame for one kind of socket is put
together from them.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any, TypeAlias, get_args

import msgspec
from msgspec import UNSET, Raw, Struct
from msgspec.structs import replace

from saleroom_protocol.codec import MSGPACK, Encoder
from saleroom_protocol.document import RoomEvent
from saleroom_protocol.games.common import Event, Seat
from saleroom_protocol.messages import Update
from saleroom_rules.contract import AnyRules
from saleroom_server.rooms.views import Change, Viewer

Fields: TypeAlias = dict[str, Raw]
Told: TypeAlias = tuple[Raw, ...]

_OF_THE_ROOM = frozenset(get_args(RoomEvent))  # asked for every event and viewer


class Parts(Struct, frozen=True, gc=False):
    """An update in parts, each encoded as MessagePack.

    The ring that keeps it takes out what a seat can be sent no more (`own`, `heard`, `sizes`).
    """

    seq: int
    at: int
    face: Fields  # the patch as everybody gets it
    own: dict[Seat, Fields]  # what a seat's patch has besides; seats without any are absent
    events: Told  # as spectators hear them
    heard: dict[Seat, Told]  # as a seat hears them, where that is something else
    checks: dict[Viewer, int]  # of the documents after it, for viewers who asked
    sizes: dict[Viewer, int]  # bytes kept for a seat alone, or (None) for everybody

    def frame(self, room: str, epoch: str, viewer: Viewer, encoder: Encoder, checks: bool) -> bytes:
        """Return the update as one viewer's socket gets it.

        Raises:
            KeyError: a check is wanted, and was not asked for when this was made.
        """
        patch: dict[str, Any] = self.face
        events: tuple[Any, ...] = self.events
        if viewer is not None:
            patch = {**patch, **self.own.get(viewer, {})}
            events = self.heard.get(viewer, events)
        if encoder is not MSGPACK:
            patch = {name: msgspec.msgpack.decode(part) for name, part in patch.items()}
            events = tuple(map(msgspec.msgpack.decode, events))
        update = Update(
            room=room,
            epoch=epoch,
            seq=self.seq,
            at=self.at,
            patch=patch or UNSET,
            events=events or UNSET,
            check=self.checks[viewer] if checks else UNSET,
        )
        return encoder.encode(update)

    def public(self) -> "Parts":
        """Return what of it spectators see: no seat's own parts, and no checks."""
        sizes: dict[Viewer, int] = {None: self.sizes[None]}
        return Parts(self.seq, self.at, self.face, {}, self.events, {}, {}, sizes)

    def kept(self) -> "Parts":
        """Return it apart from the message it came in."""
        face = {name: part.copy() for name, part in self.face.items()}
        return replace(self, face=face, events=tuple(told.copy() for told in self.events))


def parts_of(
    rules: AnyRules,
    events: Sequence[Event],
    changed: Change,
    seq: int,
    at: int,
    checks: dict[Viewer, int],
) -> Parts:
    """Encode what one command changed, and what is told of it, once for all who see the same."""
    face = _encoded(changed.face)
    own = {seat: _encoded(patch) for seat, patch in enumerate(changed.own) if patch}
    public = tuple(_heard(rules, events, None))
    told = tuple(map(MSGPACK.raw, public))
    heard = {}
    if any(one is not other for one, other in zip_longest(public, events)):
        for seat in range(len(changed.own)):
            heard[seat] = tuple(map(MSGPACK.raw, _heard(rules, events, seat)))
    return Parts(seq, at, face, own, told, heard, checks, sizes_of(face, own, told, heard))


def sizes_of(
    face: Fields, own: dict[Seat, Fields], events: Told, heard: dict[Seat, Told]
) -> dict[Viewer, int]:
    """Count the bytes of an update's parts: everybody's (None), and a seat's alone if any."""
    sizes: dict[Viewer, int] = {None: _size(face, events)}
    for seat in own.keys() | heard.keys():
        sizes[seat] = _size(own.get(seat, {}), heard.get(seat, ()))
    return sizes


class Ring:
    """The last updates of a room, for those who resume; bounded in number and in bytes.

    What is kept for everybody and what is kept for each seat are bounded each by itself: how far
    back one may resume must not tell how much others were sent.
    """

    def __init__(self, seats: int, most_updates: int, most_bytes: int) -> None:
        self._parts: deque[Parts] = deque()
        self._seats = range(seats)
        self._most_updates, self._most_bytes = most_updates, most_bytes
        self._sizes: dict[Viewer, int] = dict.fromkeys((None, *self._seats), 0)
        self._lost: dict[Viewer, int] = {}  # seat -> the last update it cannot be sent any more

    def __iter__(self) -> Iterator[Parts]:
        """Yield what is kept, the oldest first."""
        return iter(self._parts)

    def add(self, parts: Parts) -> None:
        """Keep an update, and drop the oldest until all that is kept is within bounds."""
        self._parts.append(parts)
        for viewer, size in parts.sizes.items():
            self._sizes[viewer] += size
        while len(self._parts) > self._most_updates or self._sizes[None] > self._most_bytes:
            for viewer, size in self._parts.popleft().sizes.items():
                self._sizes[viewer] -= size
        for seat in self._seats:
            self._thin(seat)

    def after(self, seq: int, head: int, viewer: Viewer, checks: bool) -> list[Parts] | None:
        """Return the updates from `seq` + 1 to `head`; None if they are not all at hand."""
        missed = [parts for parts in self._parts if parts.seq > seq]
        if len(missed) != head - seq or seq < self._lost.get(viewer, 0):
            return None
        if checks and any(viewer not in parts.checks for parts in missed):
            return None
        return missed

    def _thin(self, seat: Seat) -> None:
        """Drop the oldest of what is kept for a seat alone."""
        for parts in self._parts:
            if self._sizes[seat] <= self._most_bytes:
                return
            self._sizes[seat] -= parts.sizes.pop(seat, 0)
            parts.own.pop(seat, None)
            parts.heard.pop(seat, None)
            self._lost[seat] = parts.seq


def _heard(rules: AnyRules, events: Sequence[Event], viewer: Viewer) -> Iterator[Event]:
    """Yield the events as one viewer hears them; the room's own everybody hears whole."""
    for event in events:
        told = event if type(event) in _OF_THE_ROOM else rules.tell(event, viewer)
        if told is not None:
            yield told


def _encoded(patch: dict[str, Any]) -> Fields:
    return {name: MSGPACK.raw(value) for name, value in patch.items()}


def _size(patch: Fields, told: Told) -> int:
    return sum(len(memoryview(part)) for part in (*patch.values(), *told))
