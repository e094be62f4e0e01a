"""The document one viewer sees of a room, and the room's own events. PROTOCOL.md, "The document".

`table`, `facts` and the private fields of `you` are the game's: `saleroom_protocol.games`.
"""

from typing import Any, Literal, TypeAlias

from msgspec import UNSET, Struct, UnsetType

from saleroom_protocol.games.common import Action, Event
from saleroom_protocol.games.record import Pace
from saleroom_protocol.messages import Count, Millis, Seat

Kind: TypeAlias = Literal["person", "bot", "house"]
Status: TypeAlias = Literal["waiting", "running", "paused", "finished", "closed", "failed"]
OVER: frozenset[Status] = frozenset({"finished", "closed", "failed"})  # nothing can happen any more
Player: TypeAlias = str  # "p" + 16 of [a-z2-7]; a house bot is "house" + its seat


class SeatInfo(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """Who sits in a seat."""

    player: Player
    name: str
    kind: Kind
    connected: bool
    away: bool
    resigned: Literal[True] | UnsetType = UNSET


class WindowInfo(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """The open window."""

    number: Count
    kind: str
    sealed: bool
    seats: tuple[Seat, ...]  # all who are asked; constant
    answered: tuple[Seat, ...]  # ascending
    opened_at: Millis
    closes_at: Millis | UnsetType = UNSET  # absent in an untimed room and while paused
    left_ms: Count | UnsetType = UNSET  # instead, while paused
    facts: dict[str, Any]


class Result(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """How the room ended."""

    reason: str
    scores: dict[str, int] | UnsetType = UNSET  # by seat
    places: dict[str, Count] | UnsetType = UNSET  # by seat
    digest: str | UnsetType = UNSET  # of the record; absent if the room failed


class Document(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """Everything one viewer sees of a room."""

    room: str
    game: str
    edition: Count
    options: dict[str, Any]  # all of them, defaults filled in
    pace: Pace
    status: Status
    host: Player
    starts_at: Millis | UnsetType = UNSET
    seat_count: Count  # taken or free
    seats: dict[str, SeatInfo]  # a free seat has no key
    spectators: Count
    commitment: str
    contributions: dict[str, str]
    table: dict[str, Any]  # {} while waiting
    you: dict[str, Any] | UnsetType = UNSET  # players only: seat, own secrets, answer?, anytime
    window: WindowInfo | UnsetType = UNSET
    legal: tuple[dict[str, Any], ...] | UnsetType = UNSET  # only if its seat owes an answer
    result: Result | UnsetType = UNSET


# Actions of the room; they stand in `you.anytime` beside a game's


class Resign(Action, frozen=True, tag="resign"):
    """Give the game up for good: the seat plays on by defaults and ranks last."""


class ComeBack(Action, frozen=True, tag="come_back"):
    """Return to a seat that is away."""


RoomAction: TypeAlias = Resign | ComeBack


# Events of the room; a game's events stand beside them


class SeatTaken(Event, frozen=True, kw_only=True, tag="seat_taken"):
    """Somebody sat down."""

    seat: Seat
    name: str
    kind: Kind


class SeatLeft(Event, frozen=True, kw_only=True, tag="seat_left"):
    """A seat is free again."""

    seat: Seat


class Contributed(Event, frozen=True, kw_only=True, tag="contributed"):
    """A seat gave its share of the game seed."""

    seat: Seat


class Started(Event, frozen=True, kw_only=True, tag="started"):
    """The game began."""


class Presence(Event, frozen=True, kw_only=True, tag="presence"):
    """A seat's connection came or went."""

    seat: Seat
    connected: bool


class Away(Event, frozen=True, kw_only=True, tag="away"):
    """A seat let two windows in a row run out."""

    seat: Seat


class Back(Event, frozen=True, kw_only=True, tag="back"):
    """An away seat acts again."""

    seat: Seat


class Resigned(Event, frozen=True, kw_only=True, tag="resigned"):
    """A seat gave the game up."""

    seat: Seat


class Expired(Event, frozen=True, kw_only=True, tag="expired"):
    """A window ran out; these seats owed an answer."""

    window: Count
    seats: tuple[Seat, ...]


class Paused(Event, frozen=True, kw_only=True, tag="paused"):
    """Nobody was connected; the clock stands still."""


class Resumed(Event, frozen=True, kw_only=True, tag="resumed"):
    """A player is back; the clock runs."""


class ClockRestarted(Event, frozen=True, kw_only=True, tag="clock_restarted"):
    """The room was loaded anew; the open window starts again with its full time."""


class Closed(Event, frozen=True, kw_only=True, tag="closed"):
    """The room ended without a result."""

    reason: str


class Finished(Event, frozen=True, kw_only=True, tag="finished"):
    """The game ended; see `result`."""


RoomEvent: TypeAlias = (
    SeatTaken
    | SeatLeft
    | Contributed
    | Started
    | Presence
    | Away
    | Back
    | Resigned
    | Expired
    | Paused
    | Resumed
    | ClockRestarted
    | Closed
    | Finished
)
