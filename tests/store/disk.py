"""A disk that counts, gets stuck, is full or fails when a test says so."""

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any


class Disk:
    """The disk under a store: tells how often it was asked to commit, and fails when told to."""

    def __init__(self) -> None:
        self.commits = 0
        self.fails_at = ""  # a statement that begins so is an I/O error
        self.full = False
        self.committing, self.free = threading.Event(), threading.Event()
        self.free.set()
        self.connections: list[sqlite3.Connection] = []

    def fill(self) -> None:
        """No page more fits; what SQLite says then is its own."""
        self.full = True
        for connection in self.connections:
            _limit(connection)

    def clear(self) -> None:
        """There is room again."""
        self.full = False
        for connection in self.connections:
            connection.execute(f"PRAGMA max_page_count = {1 << 30}")

    @asynccontextmanager
    async def stuck(self) -> AsyncIterator[None]:
        """Nothing gets beyond its COMMIT meanwhile; begins when the first has come so far."""
        self.committing.clear()
        self.free.clear()
        try:
            await asyncio.to_thread(self.committing.wait)
            yield
        finally:
            self.free.set()

    def connection(self) -> type[sqlite3.Connection]:
        """Return the class of connections that go to this disk."""
        disk = self

        class Connection(sqlite3.Connection):
            def __init__(self, *arguments: Any, **options: Any) -> None:
                super().__init__(*arguments, **options)
                disk.connections.append(self)
                if disk.full:
                    _limit(self)

            def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
                if disk.fails_at and sql.startswith(disk.fails_at):
                    raise sqlite3.OperationalError("disk I/O error")
                if sql == "COMMIT":
                    disk.commits += 1
                    disk.committing.set()
                    disk.free.wait()
                return super().execute(sql, *values)

            def close(self) -> None:
                disk.connections.remove(self)
                super().close()

        return Connection


def _limit(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA max_page_count = 1")  # never less than there are


def rows(path: Path, statement: str) -> list[tuple[Any, ...]]:
    """Run a statement on a database from outside, and return what it returns."""
    database = sqlite3.connect(path)
    found = database.execute(statement).fetchall()
    database.close()
    return found
