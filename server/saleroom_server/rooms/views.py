"""What each viewer sees of a game, and how that changes: built once and diffed once.

The table and the window are the same for everyone, so they are built and compared one time for all
viewers; a seat adds its own `you` and `legal`, where those changed.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias, cast

import msgspec
from msgspec import UNSET, Struct, UnsetType

from saleroom_protocol.document import WindowInfo
from saleroom_protocol.games.common import Action, Private, Seat
from saleroom_protocol.games.forms import Form
from saleroom_protocol.patch import diff
from saleroom_rules.contract import AnyRules, Window

Viewer: TypeAlias = Seat | None  # None: a spectator


class Clock(Struct, frozen=True, gc=False):
    """When the open window was opened and closes, in server milliseconds; the room says."""

    opened_at: int
    closes_at: int | UnsetType = UNSET
    left_ms: int | UnsetType = UNSET


class Face(Struct, frozen=True, gc=False):
    """The part of the document that is the same for everyone."""

    table: Struct
    window: WindowInfo | UnsetType


class Own(Struct, frozen=True, gc=False):
    """The part of the document that is one seat's own."""

    seat: Seat
    private: Private
    anytime: tuple[Any, ...]
    legal: tuple[Any, ...] | UnsetType  # absent unless the seat owes an answer

    def you(self) -> dict[str, Any]:
        """Return the document's `you`: the private part flat, with `seat` and `anytime`."""
        names = self.private.__struct_fields__
        fields = {name: getattr(self.private, name) for name in names}
        fields = {name: value for name, value in fields.items() if value is not UNSET}
        return {"seat": self.seat, **fields, "anytime": self.anytime}


class Sight(Struct, frozen=True, gc=False):
    """All that all viewers see of a game at one moment."""

    face: Face
    own: tuple[Own, ...]  # by seat


class Change(Struct, frozen=True, gc=False):
    """What one step changed for everyone, and for each seat besides."""

    face: dict[str, Any]
    own: tuple[dict[str, Any], ...]  # by seat

    def patch(self, viewer: Viewer) -> dict[str, Any]:
        """Return the merge patch one viewer's document takes."""
        return self.face if viewer is None else self.face | self.own[viewer]


def look(
    rules: AnyRules,
    state: Any,
    seats: int,
    clock: Clock,
    of_the_room: Sequence[tuple[Action, ...]] = (),
) -> Sight:
    """Build everything that is seen of a state.

    Args:
        rules: the game.
        state: the game's.
        seats: how many there are.
        clock: when the open window was opened and closes.
        of_the_room: by seat, the room's own entries of `anytime`, which come before the game's;
            empty if there are none.
    """
    window = rules.window(state)
    owing = () if window is None else window.owing
    shown = UNSET if window is None else _window(window, clock)
    own = []
    for seat in range(seats):
        anytime = _entries(rules.anytime(state, seat))
        if of_the_room:
            anytime = of_the_room[seat] + anytime
        legal = _entries(rules.legal(state, seat)) if seat in owing else UNSET
        own.append(Own(seat, rules.private(state, seat), anytime, legal))
    return Sight(Face(rules.table(state), shown), tuple(own))


def change(before: Sight, after: Sight) -> Change:
    """Return the exact difference between two moments of a game."""
    return Change(diff(before.face, after.face), tuple(map(_differ, before.own, after.own)))


def document(sight: Sight, viewer: Viewer) -> dict[str, Any]:
    """Return the game's part of one viewer's document, as plain maps and lists."""
    parts: dict[str, Any] = {"table": sight.face.table, "window": sight.face.window}
    if viewer is not None:
        own = sight.own[viewer]
        parts |= {"you": own.you(), "legal": own.legal}
    present = {name: part for name, part in parts.items() if part is not UNSET}
    return cast("dict[str, Any]", msgspec.msgpack.decode(msgspec.msgpack.encode(present)))


def _window(window: Window, clock: Clock) -> WindowInfo:
    return WindowInfo(
        number=window.number,
        kind=window.kind,
        sealed=window.sealed,
        seats=window.seats,
        answered=window.answered,
        opened_at=clock.opened_at,
        closes_at=clock.closes_at,
        left_ms=clock.left_ms,
        facts=cast("dict[str, Any]", window.facts),
    )


def _entries(listed: Sequence[Action | Form]) -> tuple[Any, ...]:
    if not listed:
        return ()
    return tuple([entry.wire() if isinstance(entry, Form) else entry for entry in listed])


def _differ(before: Own, after: Own) -> dict[str, Any]:
    """Return a seat's own patch. `legal` is a list, so it is replaced whole or not at all."""
    patch: dict[str, Any] = {}
    if before == after:  # as for most seats most of the time: one call in C
        return patch
    if before.private != after.private or before.anytime != after.anytime:
        patch["you"] = diff(before.you(), after.you())
    if before.legal != after.legal:
        patch["legal"] = None if after.legal is UNSET else after.legal
    return patch
