"""What waits for one room: one thing after the other, and what each is owed."""

from collections import Counter, deque
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from msgspec import Struct

from saleroom_server.owner.elsewhere import Errand
from saleroom_server.owner.keeping import Keep
from saleroom_server.rooms.commands import Command, Remark, Session
from saleroom_server.rooms.room import Room

# Gets an answer, a `Refusal`, `Kept`; or `Silent`, if another node asks.
Reply: TypeAlias = Callable[[Any], None]
Chore: TypeAlias = Callable[[Room], Awaitable[None]]


class Asked(Struct, eq=False):
    """Something a room is to do.

    Attributes:
        command: what.
        reply: gets the answer or the refusal, once.
        until: when, in server milliseconds, the store has kept it waiting for too long.
        keep: what the store keeps of the answer, with the entries.
        foreign: another node asks: if the room is not here it looks elsewhere itself.
        errand: as which another node was asked.
        asked_of: that node; it may have done it.
    """

    command: Command | Remark | Chore
    reply: Reply
    until: int
    keep: Keep | None = None
    foreign: bool = False
    errand: Errand | None = None
    asked_of: str = ""

    @property
    def name(self) -> str:
        """What it is called in the log."""
        return getattr(self.command, "__name__", type(self.command).__name__)

    @property
    def session(self) -> Session | None:
        """The socket that asks."""
        return getattr(self.command, "session", None)


def unheard(answer: Any) -> None:
    """A reply to nobody: this answer is not waited for."""


class Inbox:
    """First come, first served; the first stays in it until it is done."""

    def __init__(self) -> None:
        self._waiting: deque[Asked] = deque()
        self._sessions: Counter[Session] = Counter()

    def __len__(self) -> int:
        """Count what waits, and what is being done."""
        return len(self._waiting)

    @property
    def first(self) -> Asked:
        """What is to be done now."""
        return self._waiting[0]

    def put(self, asked: Asked, *, next_: bool = False) -> None:
        """Let something wait: behind everything, or right behind what is being done."""
        self._waiting.insert(1 if next_ else len(self._waiting), asked)
        if asked.session is not None:
            self._sessions[asked.session] += 1

    def done(self) -> None:
        """Let the first go."""
        session = self._waiting.popleft().session
        if session is not None:
            self._sessions[session] -= 1
            if not self._sessions[session]:
                del self._sessions[session]

    def holds(self, session: Session | None) -> bool:
        """Whether something a socket asked for is not done yet."""
        return session in self._sessions
