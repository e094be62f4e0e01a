"""What every store promises. The conformance suite in `tests/store` holds each one to it.

A store keeps, for each room, a journal of entries numbered 1, 2, 3 …, a head (a short summary for
the lobby), and who owns the room: a fencing token that rises with every owner. Bodies are bytes; a
store never looks into them.

Safety is the fencing token: whoever does not hold the newest can append nothing.
"""

from abc import ABC, abstractmethod
from asyncio import Future
from collections.abc import Sequence

from msgspec import Struct


class StoreError(Exception):
    """Base of all that a store may answer with instead of a result."""


class Fenced(StoreError):
    """Another owner has taken the room, or it is gone; nothing was written."""


class OutOfOrder(StoreError):
    """The first entry is not the one after the last; nothing was written."""


class Held(StoreError):
    """A node that lives owns the room, and another wanted it; nothing was written.

    Only a store that several nodes share raises it.

    Attributes:
        node: the owner.
    """

    def __init__(self, room: str, node: str) -> None:
        super().__init__(f"room {room} is held by node {node}")
        self.node = node


class RoomExists(StoreError):
    """There is a room of that id, with a journal or in the archive; nothing was written."""


class Unavailable(StoreError):
    """The store cannot be reached, or failed halfway: it is not known whether it wrote."""


class Answer(Struct, frozen=True):
    """The answer a POST was given, to be given again for its Idempotency-Key.

    Attributes:
        player: who asked.
        key: the Idempotency-Key.
        request: a digest of method, path and body.
        status: the HTTP status.
        body: the response.
        until: server milliseconds; from then on it may be forgotten.
    """

    player: str
    key: str
    request: bytes
    status: int
    body: bytes
    until: int


class Owned(Struct, frozen=True):
    """A room taken over: the token to append with, and its journal."""

    fence: int
    entries: tuple[bytes, ...]


class Head(Struct, frozen=True):
    """A room as the lobby needs it, without its journal."""

    room: str
    body: bytes


class Archived(Struct, frozen=True):
    """A room that has ended: its record's bytes beside its last head."""

    head: bytes
    record: bytes


class Store(ABC):
    """Durable memory of one server, or of all nodes of one service.

    Every method may raise `Unavailable`. A call that is cancelled may still take effect, and never
    disturbs another one.
    """

    @abstractmethod
    async def create(
        self, room: str, entries: Sequence[bytes], head: bytes, answer: Answer | None = None
    ) -> int:
        """Make a room with its first entries; return the fencing token of its first owner.

        Tokens are counted over the whole store, so that a token of a room that was forgotten never
        fits another one of the same id.

        Raises:
            RoomExists: the id is taken, also by an archived room.
        """

    @abstractmethod
    async def acquire(self, room: str) -> Owned | None:
        """Take a room over: from now on only the token returned here appends.

        Returns None if there is no journal of that id. What this store owns it may always take
        over again.

        Raises:
            Held: another node owns the room, and lives.
        """

    @abstractmethod
    async def release(self, room: str, fence: int) -> None:
        """Give a room up, so that another node may take it over at once.

        The token is good until one does. Nothing happens if it is not the newest, nor in a store
        that has one node.
        """

    @abstractmethod
    def append(
        self,
        room: str,
        fence: int,
        first: int,
        entries: Sequence[bytes],
        head: bytes | None = None,
        answer: Answer | None = None,
    ) -> "Future[None]":
        """Append entries `first`, `first` + 1 …; done when they would survive a power cut.

        All of it is written or none: the entries, the head if one is given, the answer likewise
        (as `remember` would). Without entries `first` is checked all the same. Appends of many
        rooms share one transaction.

        Raises (in the future):
            Fenced: the token is not the newest.
            OutOfOrder: `first` is not the number after the last.
        """

    @abstractmethod
    async def archive(self, room: str, fence: int, head: bytes, record: bytes) -> None:
        """Keep a record for good, beside the journal. Doing it again changes nothing.

        Raises:
            Fenced: the token is not the newest.
        """

    @abstractmethod
    async def forget(self, room: str, fence: int) -> None:
        """Delete the journal and the head. A record that was archived stays.

        Raises:
            Fenced: the token is not the newest.
        """

    @abstractmethod
    async def heads(self) -> list[Head]:
        """List the rooms that have a journal, in the order they were made."""

    @abstractmethod
    async def archived(self, room: str) -> Archived | None:
        """Return a record that was archived."""

    @abstractmethod
    async def remember(self, answer: Answer) -> None:
        """Keep an answer; if the player's key has one whose time is not over, that one stays.

        A store has a clock for this; an answer whose time is over never blocks a new one.
        """

    @abstractmethod
    async def recall(self, player: str, key: str, now: int) -> Answer | None:
        """Return the answer a key was given, unless its time is over."""

    @abstractmethod
    async def secret(self, name: str, offered: bytes) -> bytes:
        """Return the secret of that name; the first to ask brings it.

        All nodes of a service get the same, also when they ask at once.
        """

    @abstractmethod
    async def probe(self) -> None:
        """Write something and wait until it is durable: whether the store works, not just answers.

        Raises:
            Unavailable: it does not.
        """

    @abstractmethod
    async def close(self) -> None:
        """Finish what was asked for, then let go of everything. Later calls are `Unavailable`.

        Closing again does nothing.
        """
