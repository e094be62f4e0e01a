"""The one thread that writes: what waits together is committed together.

While a batch is being committed the next one gathers, so the slower the disk the larger the
batches. The thread outlives every failure of the disk: the batch at hand fails, the ledger is
thrown away, and the next batch begins by connecting and reading again.
"""

import contextlib
import sqlite3
from asyncio import AbstractEventLoop, Future
from collections.abc import Callable
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from msgspec import Struct

from saleroom_server.store.interface import StoreError, Unavailable
from saleroom_server.store.sqlite_ledger import Ledger


class Asked(Struct, frozen=True):
    """One call: what it does to the ledger, and who waits for it."""

    work: Callable[[Ledger], Any]
    future: "Future[Any]"


class _Outcome(Struct, frozen=True):
    future: "Future[Any]"
    result: Any = None
    error: StoreError | None = None


class Writer:
    """Runs what it is given in the order it is given, and settles the futures in `loop`."""

    def __init__(
        self, loop: AbstractEventLoop, make_ledger: Callable[[], Ledger], batch_calls: int
    ) -> None:
        """Start the thread.

        Args:
            loop: whose the futures are.
            make_ledger: connects and reads; called in the thread.
            batch_calls: a batch that has so many calls waits for no more.
        """
        self._loop, self._make_ledger, self._batch_calls = loop, make_ledger, batch_calls
        self._queue: SimpleQueue[list[Asked] | None] = SimpleQueue()
        self._ledger: Ledger | None = None
        self._ended: Future[None] = loop.create_future()
        # A daemon, lest a store that was never closed keep the process from ending: whatever was
        # acknowledged is on disk.
        self._thread = Thread(target=self._run, name="saleroom-writer", daemon=True)
        self._thread.start()

    def put(self, asked: list[Asked]) -> None:
        """Hand over calls; never waits. The list belongs to the writer from now on."""
        self._queue.put(asked)

    async def stop(self) -> None:
        """Finish what was handed over, close the database, end the thread."""
        self._queue.put(None)
        await self._ended
        self._thread.join()

    def _run(self) -> None:
        going = True
        while going:
            batch, going = self._gather()
            if batch:
                self._in_loop(_settle, self._commit(batch))
        self._drop_ledger()
        self._in_loop(_end, self._ended)

    def _gather(self) -> tuple[list[Asked], bool]:
        """Wait for the first calls and take all that wait beside them; False: they are the last."""
        batch: list[Asked] = []
        asked = self._queue.get()
        while asked is not None:
            batch += asked
            if len(batch) >= self._batch_calls:
                return batch, True
            try:
                asked = self._queue.get_nowait()
            except Empty:
                return batch, True
        return batch, False

    def _commit(self, batch: list[Asked]) -> list[_Outcome]:
        try:
            return self._transact(batch)
        except Exception as error:  # whatever it is: a thread that died would leave all waiting
            self._drop_ledger()
            return [_Outcome(asked.future, error=_unavailable(error)) for asked in batch]

    def _transact(self, batch: list[Asked]) -> list[_Outcome]:
        if self._ledger is None:
            self._ledger = self._make_ledger()
        self._ledger.begin()
        outcomes = [_outcome(asked, self._ledger) for asked in batch]
        self._ledger.commit()
        return outcomes

    def _drop_ledger(self) -> None:
        ledger, self._ledger = self._ledger, None
        if ledger is not None:
            with contextlib.suppress(sqlite3.Error):
                ledger.close()

    def _in_loop(self, function: Callable[[Any], None], argument: object) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            self._loop.call_soon_threadsafe(function, argument)


def _outcome(asked: Asked, ledger: Ledger) -> _Outcome:
    try:
        return _Outcome(asked.future, asked.work(ledger))
    except StoreError as refusal:
        return _Outcome(asked.future, error=refusal)


def _unavailable(cause: Exception) -> Unavailable:
    error = Unavailable(f"the database failed: {cause}")
    error.__cause__ = cause
    return error


def _settle(outcomes: list[_Outcome]) -> None:
    for outcome in outcomes:
        if outcome.future.done():  # cancelled
            continue
        if outcome.error is not None:
            outcome.future.set_exception(outcome.error)
        else:
            outcome.future.set_result(outcome.result)


def _end(ended: "Future[None]") -> None:
    if not ended.done():
        ended.set_result(None)
