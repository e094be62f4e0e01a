"""The room's part of what is seen: everything in the document that is not the game's."""

from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

from saleroom_protocol.document import Result, SeatInfo, Status
from saleroom_protocol.games.common import Private
from saleroom_protocol.games.record import Pace
from saleroom_protocol.http import RoomSummary, SeatSummary
from saleroom_server.rooms.presence import Presence
from saleroom_server.rooms.standing import Standing
from saleroom_server.rooms.views import Face, Own, Sight


class Front(Struct, frozen=True, gc=False, kw_only=True):
    """The room's public part of the document; the same for everyone."""

    room: str
    game: str
    edition: int
    options: dict[str, Any]
    pace: Pace
    status: Status
    host: str
    starts_at: int | UnsetType = UNSET
    seat_count: int
    seats: dict[str, SeatInfo]
    spectators: int
    commitment: str
    contributions: dict[str, str]
    result: Result | UnsetType = UNSET

    def plain(self) -> dict[str, Any]:
        """Return it as plain maps, without what is absent."""
        fields: dict[str, Any] = msgspec.to_builtins(self)
        return fields


class _Bare(Struct, frozen=True):
    """A table on which nothing lies yet."""


class _Empty(Private, frozen=True):
    """A hand that holds nothing yet."""


class Fronts:
    """The room's part of the document, moment by moment: after most moves it is what it was."""

    def __init__(self) -> None:
        self._made_of: tuple[Any, ...] = ()
        self._last: Front | None = None

    def front(
        self, standing: Standing, presence: Presence, spectators: int, starts_at: int | UnsetType
    ) -> Front:
        """Return it, built anew if anything it is made of has changed."""
        made_of = (
            standing.status,
            standing.sitters,
            standing.missed,
            standing.resigned,
            standing.contributions,
            standing.creator_left,
            standing.outcome,
            standing.digest,
            presence.flags(),
            spectators,
            starts_at,
        )
        if self._last is None or made_of != self._made_of:
            self._made_of = made_of
            self._last = _front_of(standing, presence, spectators, starts_at)
        return self._last


def _front_of(
    standing: Standing, presence: Presence, spectators: int, starts_at: int | UnsetType
) -> Front:
    founding = standing.founding
    return Front(
        room=founding.room,
        game=founding.game,
        edition=founding.edition,
        options=founding.options,
        pace=founding.pace,
        status=standing.status,
        host=standing.host,
        starts_at=starts_at,
        seat_count=founding.seats,
        seats={str(seat): _seat(standing, presence, seat) for seat in sorted(standing.sitters)},
        spectators=spectators,
        commitment=founding.commitment,
        contributions=standing.contributions,
        result=standing.result,
    )


def unopened(seats: int) -> Sight:
    """Return what is seen of a game that has not begun."""
    own = tuple(Own(seat, _Empty(), (), UNSET) for seat in range(seats))
    return Sight(Face(_Bare(), UNSET), own)


def summary_of(standing: Standing, presence: Presence, spectators: int) -> RoomSummary:
    """Return what the lobby tells of a room."""
    founding = standing.founding
    return RoomSummary(
        room=founding.room,
        game=founding.game,
        edition=founding.edition,
        status=standing.status,
        host=standing.host,
        seat_count=founding.seats,
        seats={
            str(seat): SeatSummary(
                name=sitter.name, kind=sitter.kind, connected=_connected(standing, presence, seat)
            )
            for seat, sitter in sorted(standing.sitters.items())
        },
        options=founding.options,
        pace=founding.pace,
        visibility=founding.visibility,
        spectators=spectators,
        commitment=founding.commitment,
        created_at=founding.created_at,
    )


def _seat(standing: Standing, presence: Presence, seat: int) -> SeatInfo:
    sitter = standing.sitters[seat]
    return SeatInfo(
        player=sitter.player,
        name=sitter.name,
        kind=sitter.kind,
        connected=_connected(standing, presence, seat),
        away=standing.is_away(seat),
        resigned=True if seat in standing.resigned else UNSET,
    )


def _connected(standing: Standing, presence: Presence, seat: int) -> bool:
    """A house bot is always there."""
    return standing.sitters[seat].kind == "house" or presence.connected(seat)
