"""The store of a service on one machine: SQLite, as it comes with Python.

Theory of operation. A service has many rooms, each with one append in flight, and a disk that takes
its time for every fsync. So appends are committed in groups:

1.  In the event loop a call becomes a piece of work and a future. All calls of one turn of the loop
    are handed to the writer's queue at the end of the turn: a writer woken by the first of them
    would commit it alone and leave the others waiting for two fsyncs.
2.  The writer, the only thread that writes, takes everything that waits, in order, into one
    transaction (`sqlite_writer`). Tokens and entry numbers are checked in memory (`sqlite_ledger`),
    so what is refused has written nothing and hurts no neighbour.
3.  After COMMIT, which returns when the WAL is on disk, it wakes the loop once, and the loop
    settles the futures of the whole batch. Nobody is told what would not survive a power cut.
4.  If anything of SQLite's fails, the whole batch is `Unavailable`, since nobody knows what it
    wrote. The writer forgets all it knew, and begins the next batch by reading what is there.

What only reads, and what only computes, runs aside in a second thread, so that neither the loop nor
the writer waits for it (`sqlite_reader`). A takeover needs both: the writer raises the token, after
which nobody but the caller can append, then the entries up to that moment are read aside.

One process at a time: the directory is locked (`sqlite_lock`). Every cache of knowledge in memory
rests on that. Tables and their versions are in `sqlite_schema`.
"""

import asyncio
import sqlite3
import time
import zlib
from asyncio import Future, Task
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Self, TypeVar

from msgspec import Struct

from saleroom_server.store.calls import Calls, closed
from saleroom_server.store.directory import Kind, keep_private, keep_to
from saleroom_server.store.interface import (
    Answer,
    Archived,
    Head,
    Owned,
    Store,
    Unavailable,
)
from saleroom_server.store.sqlite_ledger import Ledger, Pruning
from saleroom_server.store.sqlite_lock import DirectoryLock
from saleroom_server.store.sqlite_reader import Reader
from saleroom_server.store.sqlite_schema import FILE, connect, prepare
from saleroom_server.store.sqlite_writer import Asked, Writer

T = TypeVar("T")


class Limits(Struct, frozen=True, kw_only=True):
    """How much at once, how long, how often.

    Attributes:
        batch_calls: a transaction of so many calls takes no more of them.
        busy_timeout_ms: how long to wait for somebody else's lock on the database, a backup's say.
        prune_every_ms: how often answers whose time is over are deleted, if any are written.
        prune_rows: how many of them one transaction deletes.
    """

    batch_calls: int = 1_000
    busy_timeout_ms: int = 5_000
    prune_every_ms: int = 60_000
    prune_rows: int = 1_000


def _wall_clock() -> int:
    return time.time_ns() // 1_000_000


class SqliteStore(Store):
    """A store in a directory of its own. Made by `open`; to be closed in the same event loop."""

    def __init__(
        self,
        directory: Path,
        clock: Callable[[], int],
        limits: Limits,
        connection: type[sqlite3.Connection],
    ) -> None:
        """Use `open` instead."""
        self._directory = directory
        self._connect = partial(
            connect, directory / FILE, limits.busy_timeout_ms, connection=connection
        )
        pruning = Pruning(limits.prune_every_ms, limits.prune_rows)
        self._loop = asyncio.get_running_loop()
        self._writer = Writer(
            self._loop, lambda: Ledger(self._connect(), clock, pruning), limits.batch_calls
        )
        self._asked: list[Asked] = []  # in this turn of the loop
        self._thread = ThreadPoolExecutor(1, "saleroom-aside")
        self._lock: DirectoryLock | None = None
        self._reader: Reader | None = None
        self._calls = Calls()  # that may ask again before they are done; appends do not
        self._closing: Task[None] | None = None

    @classmethod
    async def open(
        cls,
        directory: Path,
        *,
        clock: Callable[[], int] = _wall_clock,
        limits: Limits | None = None,
        connection: type[sqlite3.Connection] = sqlite3.Connection,
    ) -> Self:
        """Open the store in a directory, which is made if there is none.

        Directory and files can be read by their owner only: the seeds of running games are there.

        Args:
            directory: nobody else's.
            clock: tells server milliseconds; decides which answers may be forgotten.
            limits: else the defaults.
            connection: makes the connections to the database.

        Raises:
            DirectoryInUse: another process, or another store of this one, has it open.
            HoldsOther: it holds the rooms of several workers.
            NewerSchema: a newer version of this program has written it.
            OSError: the directory or the lock in it cannot be made.
            Unavailable: the database cannot be opened.
        """
        store = cls(directory, clock, limits or Limits(), connection)
        try:
            await store._aside(store._start)
        except BaseException:
            await store.close()
            raise
        return store

    async def create(
        self, room: str, entries: Sequence[bytes], head: bytes, answer: Answer | None = None
    ) -> int:
        """See `Store.create`."""
        entries = tuple(entries)
        with self._calls.call():
            return await self._ask(lambda ledger: ledger.create(room, entries, head, answer))

    async def acquire(self, room: str) -> Owned | None:
        """See `Store.acquire`."""
        with self._calls.call():
            claim = await self._ask(lambda ledger: ledger.acquire(room))
            if claim is None:
                return None
            entries = await self._read(lambda reader: reader.journal(claim))
        return None if entries is None else Owned(claim.fence, entries)

    async def release(self, room: str, fence: int) -> None:
        """See `Store.release`. There is no other node."""
        with self._calls.call():
            pass

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
        if self._calls.refused:
            refused: Future[None] = self._loop.create_future()
            refused.set_exception(closed())
            return refused
        entries = tuple(entries)
        return self._ask(lambda ledger: ledger.append(room, fence, first, entries, head, answer))

    async def archive(self, room: str, fence: int, head: bytes, record: bytes) -> None:
        """See `Store.archive`."""
        with self._calls.call():
            packed = await self._aside(lambda: zlib.compress(record))
            await self._ask(lambda ledger: ledger.archive(room, fence, head, packed))

    async def forget(self, room: str, fence: int) -> None:
        """See `Store.forget`."""
        with self._calls.call():
            await self._ask(lambda ledger: ledger.forget(room, fence))

    async def heads(self) -> list[Head]:
        """See `Store.heads`."""
        with self._calls.call():
            return await self._read(Reader.heads)

    async def archived(self, room: str) -> Archived | None:
        """See `Store.archived`."""
        with self._calls.call():
            return await self._read(lambda reader: reader.archived(room))

    async def remember(self, answer: Answer) -> None:
        """See `Store.remember`."""
        with self._calls.call():
            await self._ask(lambda ledger: ledger.remember(answer))

    async def recall(self, player: str, key: str, now: int) -> Answer | None:
        """See `Store.recall`."""
        with self._calls.call():
            return await self._read(lambda reader: reader.recall(player, key, now))

    async def secret(self, name: str, offered: bytes) -> bytes:
        """See `Store.secret`."""
        with self._calls.call():
            return await self._ask(lambda ledger: ledger.secret(name, offered))

    async def probe(self) -> None:
        """See `Store.probe`. A directory that was removed would take everything with it."""
        with self._calls.call():
            if self._lock is None or not self._lock.holds():
                raise Unavailable(f"the data directory {self._directory} is gone")
            await self._ask(Ledger.probe)

    async def close(self) -> None:
        """See `Store.close`. Closing again waits for the same end."""
        if self._closing is None:
            self._calls.refused = True
            self._closing = self._loop.create_task(self._close())
        await asyncio.shield(self._closing)  # half closed would be neither

    async def _close(self) -> None:
        await self._calls.ended()
        self._hand_over()  # what this turn of the loop asked for
        await self._writer.stop()
        await self._aside(self._finish)
        self._thread.shutdown()

    def _start(self) -> None:
        self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._lock = DirectoryLock(self._directory)
        keep_to(Kind.SQLITE, self._directory)
        keep_private(self._directory)
        prepare(self._directory / FILE)
        self._reader = Reader(self._connect())

    def _finish(self) -> None:
        if self._reader is not None:
            self._reader.close()
        if self._lock is not None:
            self._lock.release()

    def _ask(self, work: Callable[[Ledger], T]) -> "Future[T]":
        future: Future[T] = self._loop.create_future()
        if not self._asked:
            self._loop.call_soon(self._hand_over)
        self._asked.append(Asked(work, future))
        return future

    def _hand_over(self) -> None:
        if self._asked:
            asked, self._asked = self._asked, []
            self._writer.put(asked)

    async def _read(self, work: Callable[[Reader], T]) -> T:
        assert self._reader is not None
        return await self._aside(partial(work, self._reader))

    async def _aside(self, work: Callable[[], T]) -> T:
        try:
            return await self._loop.run_in_executor(self._thread, work)
        except sqlite3.Error as error:
            raise Unavailable(f"the database failed: {error}") from error
