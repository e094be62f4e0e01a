"""A store in memory that fails when told to: for tests of what stands on a store.

Two stores over the same `Kept` are one store opened twice, as after a restart. What a call does, it
does at once and in the order of the calls; only who waits for an append is told in a later turn of
the loop, as with any real store.
"""

import asyncio
import time
from asyncio import Future
from collections import deque
from collections.abc import Callable, Sequence
from enum import Enum

from msgspec import Struct, field

from saleroom_server.store.interface import (
    Answer,
    Archived,
    Fenced,
    Head,
    OutOfOrder,
    Owned,
    RoomExists,
    Store,
    StoreError,
    Unavailable,
)

Write = Callable[[], None]


def _wall_clock() -> int:
    return time.time_ns() // 1_000_000


class Journal(Struct):
    """A room as it is kept."""

    fence: int
    head: bytes
    entries: list[bytes]


class Kept(Struct):
    """What outlives a store."""

    rooms: dict[str, Journal] = field(default_factory=dict)
    archive: dict[str, Archived] = field(default_factory=dict)
    answers: dict[tuple[str, str], Answer] = field(default_factory=dict)
    secrets: dict[str, bytes] = field(default_factory=dict)
    tokens: int = 0  # given so far, over all rooms


class Fault(Enum):
    """What becomes of an append that is `Unavailable`."""

    NOT_WRITTEN = "not written"
    WRITTEN = "written"


class MemoryStore(Store):
    """A store whose failures are the test's.

    Attributes:
        appends: how often `append` was called.
        down: while true every call is `Unavailable` and does nothing.
        full: while true every call that writes is.

    `clock` tells server milliseconds: whether an answer may give way to another.
    """

    def __init__(self, kept: Kept | None = None, clock: Callable[[], int] = _wall_clock) -> None:
        self.kept, self.clock = kept or Kept(), clock
        self.appends = 0
        self.down = False
        self.full = False
        self._closed = False
        self._holding = False
        self._held: list[tuple[Future[None], Write]] = []
        self._faults: deque[Fault] = deque()

    # What a test does to it.

    def hold(self) -> None:
        """From now on an append does nothing and is not done, until `let_go`."""
        self._holding = True

    def let_go(self) -> None:
        """Let the held appends through, in order, and those to come."""
        self._holding = False
        held, self._held = self._held, []
        for future, write in held:
            self._perform(future, write)

    @property
    def held(self) -> int:
        """How many appends are waiting for `let_go`."""
        return len(self._held)

    def fail(self, *faults: Fault) -> None:
        """The next appends to be performed are `Unavailable`, one for each fault."""
        self._faults.extend(faults)

    # The interface.

    async def create(
        self, room: str, entries: Sequence[bytes], head: bytes, answer: Answer | None = None
    ) -> int:
        self._check()
        if room in self.kept.rooms or room in self.kept.archive:
            raise RoomExists(room)
        self.kept.rooms[room] = Journal(self._token(), head, list(entries))
        self._remember(answer)
        return self.kept.tokens

    async def acquire(self, room: str) -> Owned | None:
        self._check()
        if room not in self.kept.rooms:
            return None
        journal = self.kept.rooms[room]
        journal.fence = self._token()
        return Owned(journal.fence, tuple(journal.entries))

    async def release(self, room: str, fence: int) -> None:
        self._check()

    def append(
        self,
        room: str,
        fence: int,
        first: int,
        entries: Sequence[bytes],
        head: bytes | None = None,
        answer: Answer | None = None,
    ) -> "Future[None]":
        self.appends += 1
        future: Future[None] = asyncio.get_running_loop().create_future()
        bodies = tuple(entries)

        def write() -> None:
            self._append(self._owned(room, fence), first, bodies, head)
            self._remember(answer)

        if self._holding and not self._closed:
            self._held.append((future, write))
        else:
            self._perform(future, write)
        return future

    async def archive(self, room: str, fence: int, head: bytes, record: bytes) -> None:
        self._check()
        self._owned(room, fence)
        self.kept.archive.setdefault(room, Archived(head, record))

    async def forget(self, room: str, fence: int) -> None:
        self._check()
        self._owned(room, fence)
        del self.kept.rooms[room]

    async def heads(self) -> list[Head]:
        self._check(writes=False)
        return [Head(room, journal.head) for room, journal in self.kept.rooms.items()]

    async def archived(self, room: str) -> Archived | None:
        self._check(writes=False)
        return self.kept.archive.get(room)

    async def remember(self, answer: Answer) -> None:
        self._check()
        self._remember(answer)

    async def recall(self, player: str, key: str, now: int) -> Answer | None:
        self._check(writes=False)
        answer = self.kept.answers.get((player, key))
        return answer if answer is not None and now < answer.until else None

    async def secret(self, name: str, offered: bytes) -> bytes:
        self._check()
        return self.kept.secrets.setdefault(name, offered)

    async def probe(self) -> None:
        self._check()

    async def close(self) -> None:
        self.let_go()
        self._closed = True

    # How it is done.

    def _check(self, *, writes: bool = True) -> None:
        if self._closed or self.down or (self.full and writes):
            raise Unavailable("closed" if self._closed else "down" if self.down else "full")

    def _perform(self, future: "Future[None]", write: Write) -> None:
        error: StoreError | None = None
        try:
            self._check()
            fault = self._faults.popleft() if self._faults else None
            if fault is not Fault.NOT_WRITTEN:
                write()
            if fault is not None:
                error = Unavailable(fault.value)
        except StoreError as refusal:
            error = refusal
        asyncio.get_running_loop().call_soon(_settle, future, error)

    def _append(
        self, journal: Journal, first: int, bodies: Sequence[bytes], head: bytes | None
    ) -> None:
        if first != len(journal.entries) + 1:
            raise OutOfOrder(f"{first} after {len(journal.entries)}")
        journal.entries.extend(bodies)
        if head is not None:
            journal.head = head

    def _owned(self, room: str, fence: int) -> Journal:
        journal = self.kept.rooms.get(room)
        if journal is None or journal.fence != fence:
            raise Fenced(room)
        return journal

    def _remember(self, answer: Answer | None) -> None:
        if answer is None:
            return
        first = self.kept.answers.get((answer.player, answer.key))
        if first is None or first.until <= self.clock():
            self.kept.answers[answer.player, answer.key] = answer

    def _token(self) -> int:
        self.kept.tokens += 1
        return self.kept.tokens


def _settle(future: "Future[None]", error: StoreError | None) -> None:
    if future.done():  # cancelled
        return
    if error is not None:
        future.set_exception(error)
    else:
        future.set_result(None)
