"""A store in memory that several nodes share, each alive until a test says that it is not."""

from collections.abc import Callable, Collection, Sequence

from msgspec import Struct, field

from saleroom_server.store.interface import Answer, Head, Held, Owned
from saleroom_server.store.shared import News, SharedStore, TooLongAgo
from tests.support.memory_store import Kept, MemoryStore

HASTE_MS = 200  # in which a node could say that it is alive


class Shared(Struct):
    """What all nodes have in common.

    Attributes:
        owners: the node that took a room over last, unless it gave it up.
        alive: the nodes that say so.
        dying: those of them that will not again, since they are no more.
        changes: rooms whose heads were written, in order.
        trimmed: so many of them, the first ones, are not known any more.
    """

    kept: Kept = field(default_factory=Kept)
    owners: dict[str, str] = field(default_factory=dict)
    alive: set[str] = field(default_factory=set)
    dying: set[str] = field(default_factory=set)
    changes: list[str] = field(default_factory=list)
    trimmed: int = 0


class SharedMemoryStore(MemoryStore, SharedStore):
    """See `SharedStore`, and `MemoryStore` for what a test can do to it."""

    def __init__(self, shared: Shared, node: str, clock: Callable[[], int]) -> None:
        super().__init__(shared.kept, clock)
        self.shared, self._node = shared, node
        shared.alive.add(node)
        self._drained = False
        self._end: Callable[[], None] = lambda: None

    def drains(self) -> None:
        """Ask the node to end."""
        self._drained = True
        self._end()

    @property
    def node(self) -> str:
        return self._node

    async def create(
        self, room: str, entries: Sequence[bytes], head: bytes, answer: Answer | None = None
    ) -> int:
        token = await super().create(room, entries, head, answer)
        self.shared.owners[room] = self._node
        self.shared.changes.append(room)
        return token

    async def acquire(self, room: str) -> Owned | None:
        self._check()
        owner = self.shared.owners.get(room, self._node)
        if room in self.kept.rooms and owner != self._node and owner in self.shared.alive:
            raise Held(room, owner)
        owned = await super().acquire(room)
        if owned is not None:
            self.shared.owners[room] = self._node
        return owned

    async def release(self, room: str, fence: int) -> None:
        await super().release(room, fence)
        if self.kept.rooms[room].fence == fence:
            del self.shared.owners[room]

    async def alive(self) -> Collection[str]:
        self._check(writes=False)
        return {*self.shared.alive}

    def when_drained(self, end: Callable[[], None]) -> None:
        self._end = end
        if self._drained:
            end()

    async def hasten(self, node: str) -> int:
        self._check(writes=False)
        if node in self.shared.dying:
            self.shared.alive.discard(node)
        return HASTE_MS

    async def news(self, mark: int | None) -> News:
        self._check(writes=False)
        mark = len(self.shared.changes) if mark is None else mark
        if not self.shared.trimmed <= mark <= len(self.shared.changes):
            raise TooLongAgo
        rooms = dict.fromkeys(self.shared.changes[mark:])
        heads = [
            Head(room, self.kept.rooms[room].head) for room in rooms if room in self.kept.rooms
        ]
        gone = [room for room in rooms if room not in self.kept.rooms]
        return News(len(self.shared.changes), tuple(heads), tuple(gone))

    async def forget(self, room: str, fence: int) -> None:
        await super().forget(room, fence)
        self.shared.changes.append(room)

    def _write_head(self, room: str, head: bytes) -> None:
        super()._write_head(room, head)
        self.shared.changes.append(room)
