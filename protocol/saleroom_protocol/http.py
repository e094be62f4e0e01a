"""The bodies of the lobby's HTTP API. PROTOCOL.md, "HTTP"."""

from typing import Annotated, Any, Literal, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType, field

from saleroom_protocol.document import Kind, Player, Status
from saleroom_protocol.games.record import Entropy, Name, Pace, PlayerId
from saleroom_protocol.messages import Count, Millis, Seat

Level: TypeAlias = Literal["easy", "steady"]


class Asked(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A request's body."""


class Answer(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A response's body. Clients ignore fields they do not know."""


class NewPlayer(Asked, frozen=True, kw_only=True):
    """POST /v1/players."""

    name: Name
    kind: Literal["person", "bot"] = "person"


class Identity(Answer, frozen=True, kw_only=True):
    """A player and the token that speaks for them."""

    player: Player
    name: str
    kind: Literal["person", "bot"]
    token: str
    expires_at: Millis


class Token(Answer, frozen=True, kw_only=True):
    """A renewed token for the same player."""

    token: str
    expires_at: Millis


class GameInfo(Answer, frozen=True, kw_only=True):
    """One game that can be played; `options` is a JSON Schema."""

    game: str
    title: str
    seats: tuple[int, ...]
    edition: Count
    options: dict[str, Any]


class HouseBot(Asked, frozen=True, kw_only=True):
    """A house bot to sit down; also the body of POST …/bots, where the seat may be left out."""

    seat: Seat | UnsetType = UNSET
    level: Level


class NewRoom(Asked, frozen=True, kw_only=True):
    """POST /v1/rooms."""

    game: str
    seats: Count
    options: dict[str, Any] = field(default_factory=dict)
    pace: Pace | UnsetType = UNSET  # absent: the server's default, `standard` as a rule
    visibility: Literal["public", "private"] = "public"
    take_seat: bool = True  # the creator takes seat 0
    bots: tuple[HouseBot, ...] = ()
    autostart: bool = True
    entropy: Entropy | UnsetType = UNSET


class SeatSummary(Answer, frozen=True, kw_only=True):
    """Who sits in a seat, for the lobby."""

    name: str
    kind: Kind
    connected: bool


class RoomSummary(Answer, frozen=True, kw_only=True):
    """GET /v1/rooms/{room}, and an entry of GET /v1/rooms."""

    room: str
    game: str
    edition: Count
    status: Status
    host: Player
    seat_count: Count  # taken or free
    seats: dict[str, SeatSummary]
    options: dict[str, Any]
    pace: Pace
    visibility: Literal["public", "private"]
    spectators: Count
    commitment: str
    created_at: Millis


class NewRoomInfo(RoomSummary, frozen=True, kw_only=True):
    """The answer to POST /v1/rooms: the summary and what only the creator is told."""

    invite: str
    watch: str
    seat: Seat | UnsetType = UNSET


class RoomList(Answer, frozen=True, kw_only=True):
    """GET /v1/rooms: a page; `next` goes into `after`."""

    rooms: tuple[RoomSummary, ...]
    next: str | UnsetType = UNSET


class TakeSeat(Asked, frozen=True, kw_only=True):
    """POST …/seats."""

    seat: Seat | UnsetType = UNSET  # absent: the lowest free one
    invite: Annotated[str, Meta(max_length=100)] | UnsetType = UNSET
    entropy: Entropy | UnsetType = UNSET


class SeatHeld(Answer, frozen=True, kw_only=True):
    """The answer to POST …/seats and POST …/bots."""

    seat: Seat


class Mute(Asked, frozen=True, kw_only=True):
    """POST …/mutes."""

    player: PlayerId
    muted: bool


class Problem(Answer, frozen=True, kw_only=True):
    """Problem details, RFC 9457, with a `reason` of the list all refusals share."""

    type: str  # "about:blank"
    title: str
    status: Count
    reason: str
    detail: str
    facts: dict[str, Any]
