"""What is seen of a room at one moment, by every viewer."""

from typing import Any

from msgspec import UNSET, Struct
from msgspec.structs import replace

from saleroom_protocol.document import ComeBack, Resign
from saleroom_protocol.patch import diff
from saleroom_rules.contract import AnyRules
from saleroom_server.rooms import views
from saleroom_server.rooms.front import Front, unopened
from saleroom_server.rooms.standing import Standing
from saleroom_server.rooms.views import Change, Clock, Own, Sight, Viewer

_PRESENT = (Resign(),)  # what the room itself lets a seat do at any time
_DRIFTED = (*_PRESENT, ComeBack())


class Scene(Struct, frozen=True, gc=False):
    """The room's part and the game's."""

    front: Front
    sight: Sight

    def document(self, viewer: Viewer) -> dict[str, Any]:
        """Return one viewer's whole document, as plain maps and lists."""
        return self.front.plain() | views.document(self.sight, viewer)


def changed(before: Scene, after: Scene) -> Change:
    """Return the exact difference between two moments of a room."""
    change = views.change(before.sight, after.sight)
    if before.front == after.front:  # as after most moves: one call in C
        return change
    return Change(diff(before.front, after.front) | change.face, change.own)


def sight_of(rules: AnyRules, standing: Standing, clock: Clock) -> Sight:
    """Return what is seen of the game."""
    seats = standing.founding.seats
    if standing.state is None:
        return unopened(seats)
    entries = [_DRIFTED if standing.has_drifted(seat) else _PRESENT for seat in range(seats)]
    sight = views.look(rules, standing.state, seats, clock, entries)
    idle = standing.resigned
    if standing.is_over:  # perhaps closed in the middle of a game: nobody is asked any more
        sight = replace(sight, face=replace(sight.face, window=UNSET))
        idle = frozenset(range(seats))
    if not idle:
        return sight
    return replace(sight, own=tuple(_idle(own) if own.seat in idle else own for own in sight.own))


def _idle(own: Own) -> Own:
    """Leave a seat nothing to do: it has resigned, so it is played for; or the room is over."""
    return replace(own, anytime=(), legal=UNSET)
