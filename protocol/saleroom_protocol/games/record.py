"""The shapes of a record: a finished game as JSON Lines. PROTOCOL.md, "Record".

A header, one line per journal entry, a closing line. Every time is in milliseconds since 1970 UTC,
every byte string lower-case hex.
"""

from typing import Annotated, Any, Literal, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType

Seat: TypeAlias = Annotated[int, Meta(ge=0, le=9)]
Count: TypeAlias = Annotated[int, Meta(ge=0, le=2**53 - 1)]
Entropy: TypeAlias = Annotated[str, Meta(pattern=r"^([0-9a-f]{2}){16,32}$(?!\n)")]
Pace: TypeAlias = Literal["relaxed", "standard", "quick", "untimed"]
Seed: TypeAlias = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$(?!\n)")]
RoomId: TypeAlias = Annotated[str, Meta(pattern=r"^r[a-z2-7]{12}$(?!\n)")]
Word: TypeAlias = Annotated[str, Meta(pattern=r"^[a-z0-9_]{1,40}$(?!\n)")]
PlayerId: TypeAlias = Annotated[str, Meta(pattern=r"^p[a-z2-7]{16}$(?!\n)")]
Name: TypeAlias = Annotated[str, Meta(min_length=1, max_length=40)]
SeatKey: TypeAlias = Annotated[str, Meta(pattern=r"^[0-9]$(?!\n)")]


class Header(Struct, frozen=True, kw_only=True):
    """First line: all that is needed to deal the game again."""

    format: Literal["saleroom-record/1"]
    room: RoomId
    game: str
    edition: int
    options: dict[str, Any]
    seats: int
    pace: Pace
    commitment: Seed
    server_seed: Seed
    contributions: dict[SeatKey, Entropy]
    created_at: Count


class Entry(Struct, frozen=True, kw_only=True, tag_field="type", omit_defaults=True):
    """Any later line but the last: one journal entry."""

    entry: Count  # 1, 2, 3 … without gap
    seq: Count  # of the update it caused; never falling, not without gaps
    at: Count


class Created(Entry, frozen=True, kw_only=True, tag="created"):
    """The room was made; what it was made with stands in the header."""

    player: PlayerId | UnsetType = UNSET


class SeatTaken(Entry, frozen=True, kw_only=True, tag="seat_taken"):
    """A token-holder sat down."""

    seat: Seat
    player: PlayerId
    name: Name
    kind: Literal["person", "bot"]


class BotAdded(Entry, frozen=True, kw_only=True, tag="bot_added"):
    """A house bot sat down."""

    seat: Seat
    level: Word


class SeatLeft(Entry, frozen=True, kw_only=True, tag="seat_left"):
    """A seat became free again; its contribution went with it."""

    seat: Seat


class Contributed(Entry, frozen=True, kw_only=True, tag="contributed"):
    """A seat gave its share of the game seed."""

    seat: Seat
    entropy: Entropy


class Started(Entry, frozen=True, kw_only=True, tag="started"):
    """The cards were dealt."""


class Acted(Entry, frozen=True, kw_only=True, tag="acted"):
    """A seat acted: in `window`, or at any time where that is absent."""

    seat: Seat
    by: Literal["person", "bot", "default"]
    window: Count | UnsetType = UNSET
    action: dict[str, Any]


class Expired(Entry, frozen=True, kw_only=True, tag="expired"):
    """A window ran out; `answers` are the actions then taken, by seat, applied in seat order."""

    window: Count
    answers: dict[SeatKey, dict[str, Any]]


class Resigned(Entry, frozen=True, kw_only=True, tag="resigned"):
    """A seat gave the game up: it plays on by defaults and ranks last."""

    seat: Seat


class Paused(Entry, frozen=True, kw_only=True, tag="paused"):
    """Nobody was connected for too long: the clock stands still."""


class Resumed(Entry, frozen=True, kw_only=True, tag="resumed"):
    """Somebody came back: the clock runs again."""


class Closed(Entry, frozen=True, kw_only=True, tag="closed"):
    """The room ended without a result."""

    reason: Word


class Finished(Entry, frozen=True, kw_only=True, tag="finished"):
    """The game came to its end."""


AnyEntry: TypeAlias = (
    Created
    | SeatTaken
    | BotAdded
    | SeatLeft
    | Contributed
    | Started
    | Acted
    | Expired
    | Resigned
    | Paused
    | Resumed
    | Closed
    | Finished
)


class Drawn(Struct, frozen=True, tag_field="type", tag="drawn"):
    """With draws asked for: one draw, right after the entry that made it. Not in the digest."""

    domain: str
    n: Count
    bound: Count
    value: Count


class OutcomeLine(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How it ended. A closed room has a reason only."""

    reason: Word
    scores: dict[SeatKey, int] | UnsetType = UNSET
    places: dict[SeatKey, Count] | UnsetType = UNSET


class Closing(Struct, frozen=True, kw_only=True):
    """Last line."""

    outcome: OutcomeLine
    digest: Seed  # SHA-256 of all earlier lines but draws, newlines included
