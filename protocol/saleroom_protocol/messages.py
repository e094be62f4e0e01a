"""Every message on the WebSocket. PROTOCOL.md, "Client to server", "Server to client".

Maps are `dict[str, Any]` here: the game in the room decides what stands in an action, an event or
a document, and `saleroom_protocol.games` has those types. A sender may put structs or `Raw` there.
"""

from typing import Annotated, Any, Literal, TypeAlias

from msgspec import UNSET, Meta, Raw, Struct, UnsetType, field

from saleroom_protocol.games.common import GREATEST_INTEGER
from saleroom_protocol.limits import ID_CHARS, TEXT_CHARS, Limits

Count: TypeAlias = Annotated[int, Meta(ge=0, le=GREATEST_INTEGER)]
Millis: TypeAlias = Annotated[int, Meta(ge=0, le=GREATEST_INTEGER)]  # since 1970 UTC where `…_at`
Id: TypeAlias = Annotated[str, Meta(min_length=1, max_length=ID_CHARS)]
Room: TypeAlias = Annotated[str, Meta(max_length=64)]  # "r" + 12 of [a-z2-7]; others are unknown
Seat: TypeAlias = Annotated[int, Meta(ge=0, le=9)]


class Cursor(Struct, frozen=True, kw_only=True):
    """A place in a room's stream, as one viewer gets it."""

    epoch: Annotated[str, Meta(max_length=64)]
    seq: Count


class ResumeCursor(Cursor, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How far a client says it has come; like all of a request it refuses unknown fields."""


# Client to server


class Request(
    Struct,
    frozen=True,
    gc=False,
    kw_only=True,
    tag_field="type",
    tag=str.lower,
    omit_defaults=True,
    forbid_unknown_fields=True,
):
    """A message of a client. All but `Hello` refuse unknown fields."""


class Hello(Request, frozen=True, kw_only=True, forbid_unknown_fields=False):
    """The first message: who this is and which program. Answered by `welcome` or a close."""

    token: Annotated[str, Meta(max_length=2048)] | UnsetType = UNSET  # absent: may only watch
    client: Annotated[str, Meta(min_length=1, max_length=100)]  # "name/1.0"
    checks: bool = False  # send `check` with every view and update


class Join(Request, frozen=True, kw_only=True):
    """Follow a room, from a cursor on if the client has one. Answered by `joined`, `refused`."""

    id: Id
    room: Room
    as_: Literal["player", "spectator"] = field(name="as")
    cursor: ResumeCursor | UnsetType = UNSET
    watch: Annotated[str, Meta(max_length=100)] | UnsetType = UNSET  # a private room's secret
    said_after: Count | UnsetType = UNSET


class Leave(Request, frozen=True, kw_only=True):
    """End one room's delivery on this socket. Nothing else: the seat is kept."""

    id: Id
    room: Room


class Act(Request, frozen=True, kw_only=True):
    """Take an action: answer a window, or, without one, an entry of `you.anytime`."""

    id: Id
    room: Room
    window: Count | UnsetType = UNSET
    action: Raw  # decoded in a second step, by the game in the room


class Say(Request, frozen=True, kw_only=True):
    """Chat with the table, the spectators or one seat."""

    id: Id
    room: Room
    to: Literal["table", "spectators"] | Seat
    text: Annotated[str, Meta(min_length=1, max_length=TEXT_CHARS)]


class ClientPing(Request, frozen=True, kw_only=True, tag="ping"):
    """Ask for a `pong`, and for the server's clock."""

    id: Id


class ClientPong(Request, frozen=True, kw_only=True, tag="pong"):
    """Answer the server's `ping`."""


ClientMessage: TypeAlias = Hello | Join | Leave | Act | Say | ClientPing | ClientPong


# Server to client


class Told(
    Struct, frozen=True, gc=False, kw_only=True, tag_field="type", tag=str.lower, omit_defaults=True
):
    """A message of the server. Clients ignore fields and types they do not know."""


class Welcome(Told, frozen=True, kw_only=True):
    """The answer to `hello`."""

    player: str | UnsetType = UNSET
    name: str | UnsetType = UNSET
    protocol: Literal[1]
    server: str  # "saleroom/0.1.0"
    now: Millis
    features: tuple[str, ...]
    heartbeat_ms: Count
    silence_ms: Count
    limits: Limits


class Joined(Told, frozen=True, kw_only=True):
    """The answer to `join`: the stream's head. The client is live when it has reached it."""

    id: str
    room: str
    viewer: Seat | UnsetType = UNSET  # the client's seat; absent for a spectator
    cursor: Cursor
    resumed: bool  # true: updates follow; false: a view does
    now: Millis


class View(Told, frozen=True, kw_only=True):
    """A whole document; replaces everything, at any time."""

    room: str
    epoch: str
    seq: Count
    at: Millis
    document: dict[str, Any]
    check: Count | UnsetType = UNSET


class Update(Told, frozen=True, kw_only=True):
    """What one command changed: a merge patch to the document at seq − 1, and what happened."""

    room: str
    epoch: str
    seq: Count
    at: Millis
    patch: dict[str, Any] | UnsetType = UNSET
    events: tuple[Any, ...] | UnsetType = UNSET
    check: Count | UnsetType = UNSET


class Accepted(Told, frozen=True, kw_only=True):
    """Receipt: it is durable. Every update up to `seq` was written before this."""

    id: str
    seq: Count | UnsetType = UNSET


class Refused(Told, frozen=True, kw_only=True):
    """Receipt: it had no effect, or (`unavailable`) it is not known whether it had."""

    id: str
    reason: str
    facts: dict[str, Any]
    message: str  # English; clients translate `reason`


class Speaker(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Who said something: a seat, or a spectator by name."""

    seat: Seat | UnsetType = UNSET
    name: str | UnsetType = UNSET


class Said(Told, frozen=True, kw_only=True):
    """Somebody said something. Numbered per viewer; kept in memory only."""

    room: str
    number: Count
    from_: Speaker = field(name="from")
    to: Literal["table", "spectators"] | Seat
    text: str
    at: Millis


class Left(Told, frozen=True, kw_only=True):
    """One room's stream on this socket has ended."""

    room: str
    reason: str  # replaced, kicked, closed, seat_changed; later versions may add words


class ServerPing(Told, frozen=True, kw_only=True, tag="ping"):
    """Are you there? Any frame is an answer."""

    now: Millis


class ServerPong(Told, frozen=True, kw_only=True, tag="pong"):
    """The answer to a client's `ping`."""

    id: str
    now: Millis


class Closing(Told, frozen=True, kw_only=True):
    """The socket will be closed; come back after so long. `reason`: the close code's name."""

    reason: str
    retry_after_ms: Count


class Error(Told, frozen=True, kw_only=True):
    """What was wrong; always followed by a close. `reason`: the close code's name."""

    reason: str
    message: str


ServerMessage: TypeAlias = (
    Welcome
    | Joined
    | View
    | Update
    | Accepted
    | Refused
    | Said
    | Left
    | ServerPing
    | ServerPong
    | Closing
    | Error
)
