"""A store, and an eye on it: how long it takes, how often it fails, when that began and ended."""

from asyncio import Future
from collections.abc import Awaitable, Sequence
from time import perf_counter
from typing import TypeVar

from saleroom_server.clock import Clock
from saleroom_server.logs import logger
from saleroom_server.metrics import Metrics
from saleroom_server.store.interface import (
    Answer,
    Archived,
    Fenced,
    Head,
    Held,
    OutOfOrder,
    Owned,
    RoomExists,
    Store,
    StoreError,
    Unavailable,
)

T = TypeVar("T")
log = logger("store")

_REASONS = {
    Unavailable: "unavailable",
    Fenced: "fenced",
    OutOfOrder: "out_of_order",
    RoomExists: "room_exists",
}


class Trouble:
    """Whether the store fails, told when it begins and when it is over, and not in between.

    It is over when something is written again: what is full can still be read. It is told no more
    often than every `told_ms`: a store that fails every other time would fill the log.
    """

    def __init__(self, clock: Clock, told_ms: int) -> None:
        self._clock, self._told_ms = clock, told_ms
        self._since: int | None = None
        self._told_at: int | None = None

    def failed(self, error: Unavailable) -> None:
        """Take note that a call failed."""
        now = self._clock.now()
        if self._since is None and (self._told_at is None or now >= self._told_at + self._told_ms):
            self._since = self._told_at = now
            log.warning("store_failed", problem=_problem(error))

    def wrote(self) -> None:
        """Take note that something was written."""
        if self._since is not None:
            log.info("store_works_again", ms=self._clock.now() - self._since)
            self._since = None


class WatchedStore(Store):
    """Another store, to the letter; what it does is counted and its troubles are logged."""

    def __init__(self, store: Store, metrics: Metrics, clock: Clock, *, told_ms: int) -> None:
        """Watch a store.

        Args:
            store: it does what there is to do.
            metrics: count it.
            clock: tells for how long the store has failed.
            told_ms: that it fails is logged no more often.
        """
        self._store, self._metrics = store, metrics
        self._trouble = Trouble(clock, told_ms)

    async def create(
        self, room: str, entries: Sequence[bytes], head: bytes, answer: Answer | None = None
    ) -> int:
        """See `Store.create`."""
        return await self._writing(self._store.create(room, entries, head, answer))

    async def acquire(self, room: str) -> Owned | None:
        """See `Store.acquire`."""
        return await self._writing(self._store.acquire(room))

    async def release(self, room: str, fence: int) -> None:
        """See `Store.release`."""
        await self._reading(self._store.release(room, fence))  # it may have written nothing

    def append(
        self,
        room: str,
        fence: int,
        first: int,
        entries: Sequence[bytes],
        head: bytes | None = None,
        answer: Answer | None = None,
    ) -> "Future[None]":
        """See `Store.append`."""
        began = perf_counter()
        future = self._store.append(room, fence, first, entries, head, answer)
        future.add_done_callback(lambda done: self._appended(done, began))
        return future

    async def archive(self, room: str, fence: int, head: bytes, record: bytes) -> None:
        """See `Store.archive`."""
        await self._writing(self._store.archive(room, fence, head, record))

    async def forget(self, room: str, fence: int) -> None:
        """See `Store.forget`."""
        await self._writing(self._store.forget(room, fence))

    async def heads(self) -> list[Head]:
        """See `Store.heads`."""
        return await self._reading(self._store.heads())

    async def archived(self, room: str) -> Archived | None:
        """See `Store.archived`."""
        return await self._reading(self._store.archived(room))

    async def remember(self, answer: Answer) -> None:
        """See `Store.remember`."""
        await self._writing(self._store.remember(answer))

    async def recall(self, player: str, key: str, now: int) -> Answer | None:
        """See `Store.recall`."""
        return await self._reading(self._store.recall(player, key, now))

    async def secret(self, name: str, offered: bytes) -> bytes:
        """See `Store.secret`."""
        return await self._writing(self._store.secret(name, offered))

    async def probe(self) -> None:
        """See `Store.probe`."""
        await self._writing(self._store.probe())

    async def close(self) -> None:
        """See `Store.close`."""
        await self._store.close()

    async def _writing(self, call: Awaitable[T]) -> T:
        result = await self._reading(call)
        self._trouble.wrote()
        return result

    async def _reading(self, call: Awaitable[T]) -> T:
        try:
            return await call
        except StoreError as error:
            self._failed(error)
            raise

    def _appended(self, done: "Future[None]", began: float) -> None:
        if done.cancelled():
            return
        error = done.exception()
        if error is None:
            self._metrics.appends.observe(perf_counter() - began)
            self._trouble.wrote()
        else:
            assert isinstance(error, StoreError), "a store raises nothing else"
            self._failed(error)

    def _failed(self, error: StoreError) -> None:
        if isinstance(error, Held):  # another node answers for the room, as it should
            return
        self._metrics.store_failures[_REASONS[type(error)]].inc()
        if isinstance(error, Unavailable):
            self._trouble.failed(error)


def _problem(error: Unavailable) -> str:
    """Name what is wrong: as SQLite does, by kind, or in our own words."""
    cause = error.__cause__
    return str(error) if cause is None else getattr(cause, "sqlite_errorname", type(cause).__name__)
