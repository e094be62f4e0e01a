"""What a room is asked, what it answers, and what is to be done about it. Plain values.

A command is decided once, against the present standing. What must be durable first comes back as a
`Decision`; once its entries are, `Room.commit` turns it into effects.
"""

from typing import Any, Literal, TypeAlias

from msgspec import UNSET, Raw, Struct, UnsetType, field

from saleroom_protocol import messages
from saleroom_protocol.errors import Reason
from saleroom_protocol.games.common import Event, Seat
from saleroom_rules.contract import Hidden
from saleroom_server.rooms.journal import Journalled, Sent, content_of
from saleroom_server.rooms.standing import Standing
from saleroom_server.rooms.updates import Parts
from saleroom_server.rooms.views import Viewer

Session: TypeAlias = int  # a socket, as long as it is open
HOME_BITS = 40  # of a session: its number on its own node; above them stands which node that is
HERE = 0  # the node that owns the room
LEAST, MOST = -(2**63), 2**64 - 1  # integers MessagePack has
# Who gets the same bytes: viewer, subprotocol (or `sse`), checks.
Group: TypeAlias = tuple[Viewer, str, bool]


class Refusal(Exception):
    """A command that is not carried out; nothing has changed.

    Attributes:
        reason: out of the one list.
        facts: those the list documents for the reason.
    """

    def __init__(self, reason: Reason, **facts: Any) -> None:
        super().__init__(reason)
        self.reason = reason
        self.facts = facts


class Caller(Struct, frozen=True):
    """Who asks: a token-holder, or anybody (None)."""

    player: str | None = None
    name: str = ""
    kind: Literal["person", "bot"] = "person"


# From a socket


class Join(Struct, frozen=True, tag=True):
    """Follow the room from now on."""

    session: Session
    caller: Caller
    asked: messages.Join
    subprotocol: str
    checks: bool
    since: int = 0  # when it was asked, in server milliseconds; 0: now


class Leave(Struct, frozen=True, tag=True):
    """Follow it no longer."""

    session: Session
    caller: Caller


class Gone(Struct, frozen=True, tag=True):
    """The socket is closed."""

    session: Session


class Refresh(Struct, frozen=True, tag=True):
    """Show the socket the present view: it has been spared what led there."""

    session: Session


class Member(Struct, frozen=True, array_like=True):
    """A socket that follows a room, whose it is, and when it asked to."""

    session: Session
    group: Group
    player: str | None
    since: int


class Attach(Struct, frozen=True, tag=True):
    """Go on with the sockets of a node: these, each from a view of this moment, and no others.

    Where a room has come to another owner, or news of it may have been lost on their way.
    """

    home: int
    members: tuple[Member, ...]


class Watch(Struct, frozen=True, tag=True):
    """Tell a node what its spectators are to see: now, and from now on."""

    home: int
    spectators: int  # who look on there


class Watching(Struct, frozen=True, tag=True):
    """So many look on at a node by now; if none do, it needs to be told nothing more."""

    home: int
    spectators: int
    seq: int  # of the last update the node was told


class Act(Struct, frozen=True, tag=True):
    """Take an action, plain as it was sent: perhaps it is none at all."""

    session: Session
    caller: Caller
    action: Any
    sent: Sent
    window: int | UnsetType = UNSET
    looks_on: bool = False  # as another node knows: a spectator there


class Say(Struct, frozen=True, tag=True):
    """Say something."""

    session: Session
    caller: Caller
    asked: messages.Say
    looks_on: bool = False  # as another node knows: a spectator there


# From the lobby


class TakeSeat(Struct, frozen=True, tag=True):
    """Sit down, or give entropy where one sits."""

    caller: Caller
    seat: Seat | UnsetType = UNSET
    entropy: str | UnsetType = UNSET
    invite: str | UnsetType = UNSET
    watch: str = ""


class GiveUpSeat(Struct, frozen=True, tag=True):
    """Free a seat: one's own, or as the host any."""

    caller: Caller
    seat: Seat


class AddBot(Struct, frozen=True, tag=True):
    """Let a house bot sit down."""

    caller: Caller
    level: str
    seat: Seat | UnsetType = UNSET


class Start(Struct, frozen=True, tag=True):
    """Begin now."""

    caller: Caller


class Mute(Struct, frozen=True, tag=True):
    """Let a player be heard no more, or again."""

    caller: Caller
    player: str
    muted: bool


class Close(Struct, frozen=True, tag=True):
    """End the room without a result."""

    reason: str


# From the clock


class Ring(Struct, frozen=True):
    """Something may be due. The room looks what; a bell that comes too late finds nothing."""


class Restart(Struct, frozen=True):
    """Tell who is there that the clock began anew when the room was loaded."""


Command: TypeAlias = (
    Act | TakeSeat | GiveUpSeat | AddBot | Start | Close | Ring | Restart
)  # decided, appended, committed
Remark: TypeAlias = (
    Join | Leave | Gone | Refresh | Attach | Watch | Watching | Say | Mute
)  # takes effect at once and takes no seq

# What a node asks the owner of a room for its own sockets and people.
PassedOn: TypeAlias = (
    Join | Leave | Gone | Attach | Watch | Act | Say | Mute | TakeSeat | GiveUpSeat | AddBot | Start
)

# What has an effect, or another answer, each time it is done; unlike what has an id, or a sitter.
Unrepeatable: TypeAlias = GiveUpSeat | AddBot | Start


def home_of(session: Session) -> int:
    """Return which node a socket is on."""
    return session >> HOME_BITS


def act_of(session: Session, caller: Caller, asked: messages.Act, action: Any) -> Act:
    """Return the command an `act` message is. Whatever was sent, it can be told to another node."""
    content = content_of(asked.window, action)
    sent = Sent(caller.player or "", asked.id, content)
    return Act(session, caller, action if content else _clamped(action), sent, asked.window)


def _clamped(value: Any) -> Any:
    """Return what is no action with integers that MessagePack has; it is none all the same."""
    match value:
        case dict():
            return {key: _clamped(item) for key, item in value.items()}
        case list():
            return [*map(_clamped, value)]
        case int():
            return max(LEAST, min(value, MOST))
        case _:
            return value


class Decision(Hidden, frozen=True, kw_only=True):
    """What a command will lead to, once its entries are durable. Holds secrets: hands, seeds.

    Attributes:
        entries: to be appended; without any the decision may be committed at once.
        standing: after them.
        events: what happened, in order.
        answer: what the asker is told.
        answered: whether the open window was answered, so that its clock moves on.
        speaker: the seat that answered it; None if time did.
        connected: presence flags that change, by seat.
        restarted: whether the open window starts again in full.
        left: why the sockets of a seat that became free lose its stream.
        silent: nothing happened at all; the answer is only given again.
        fault: what a house bot ran into, to be logged; its seat went on by default.
    """

    standing: Standing
    entries: tuple[Journalled, ...] = ()
    events: tuple[Event, ...] = ()
    answer: Any = None
    answered: bool = False
    speaker: Seat | None = None
    connected: dict[Seat, bool] = field(default_factory=dict)
    restarted: bool = False
    left: str = ""
    silent: bool = False
    fault: Exception | None = None


# Effects, to be carried out in order


class Tell(Struct, frozen=True, tag=True):
    """Send a message to one socket."""

    session: Session
    message: messages.ServerMessage


class Deliver(Struct, frozen=True, tag=True):
    """Send a frame to one socket, in its own subprotocol."""

    session: Session
    frame: bytes


class Enter(Struct, frozen=True, tag=True):
    """From now on the socket gets what its group gets."""

    session: Session
    group: Group


class Exit(Struct, frozen=True, tag=True):
    """From now on the socket gets nothing of this room."""

    session: Session


class Publish(Struct, frozen=True, tag=True):
    """Send each group its frame, players first.

    Attributes:
        frames: by group.
        shared: what nodes are told whose spectators look on; each makes their frames itself.
    """

    frames: tuple[tuple[Group, bytes], ...]
    shared: Parts | None = None


class Broadcast(Struct, frozen=True, tag=True):
    """Send a message to every socket of a viewer."""

    viewer: Viewer
    message: messages.ServerMessage


class Share(Struct, frozen=True, tag=True):
    """Let a node show the room to spectators, from this moment on.

    Attributes:
        home: the node.
        load: by which their epoch is named.
        seq: of the last update.
        at: when that was, in server milliseconds.
        document: as they see it.
        over_at: by which update they know that the room is over.
        ring: the last updates.
        said: the last they have heard.
    """

    home: int
    load: str
    seq: int
    at: int
    document: Raw
    over_at: int | None
    ring: tuple[Parts, ...]
    said: tuple[messages.Said, ...]


class Unshare(Struct, frozen=True, tag=True):
    """Tell a node no more of what spectators see.

    Attributes:
        home: the node.
        left: why those who look on there are to be let go; empty if nobody does.
    """

    home: int
    left: str = ""


Effect: TypeAlias = Tell | Deliver | Enter | Exit | Publish | Broadcast | Share | Unshare
