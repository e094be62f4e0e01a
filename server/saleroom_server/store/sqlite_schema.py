"""The database file: its tables, their versions, who may read it, how one connects.

A version is the number of steps of `STEPS` taken, kept in `PRAGMA user_version`. A step that has
been released is never edited; a change is one more step.
"""

import sqlite3
from pathlib import Path

from saleroom_server.store.interface import StoreError

FILE = "saleroom.sqlite3"

STEPS = (
    """
    CREATE TABLE rooms (  -- those that have a journal
        number INTEGER PRIMARY KEY,  -- the token of its first owner: rises from room to room
        room TEXT NOT NULL UNIQUE,
        fence INTEGER NOT NULL,  -- the newest token
        head BLOB NOT NULL
    );
    CREATE TABLE journal (
        number INTEGER NOT NULL,  -- the room's
        entry INTEGER NOT NULL,
        body BLOB NOT NULL,
        PRIMARY KEY (number, entry)
    ) WITHOUT ROWID;
    CREATE TABLE archive (
        room TEXT PRIMARY KEY,
        head BLOB NOT NULL,
        record BLOB NOT NULL  -- zlib
    );
    CREATE TABLE answers (
        player TEXT NOT NULL,
        key TEXT NOT NULL,
        request BLOB NOT NULL,
        status INTEGER NOT NULL,
        body BLOB NOT NULL,
        until INTEGER NOT NULL,  -- server milliseconds
        PRIMARY KEY (player, key)
    );
    CREATE INDEX answers_by_age ON answers (until);
    CREATE TABLE secrets (name TEXT PRIMARY KEY, secret BLOB NOT NULL);
    CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL);
    INSERT INTO counters VALUES ('token', 0), ('probe', 0);
    """,
)


class NewerSchema(StoreError):
    """The database was written by a newer version of this program."""

    def __init__(self, path: Path, found: int, known: int) -> None:
        super().__init__(
            f"{path} has schema version {found}, this program knows versions up to {known}: "
            "run the newer program again, or restore a backup made before it ran"
        )
        self.found, self.known = found, known


def connect(
    path: Path, busy_timeout_ms: int, connection: type[sqlite3.Connection]
) -> sqlite3.Connection:
    """Connect; transactions are begun and ended by hand, and durable when COMMIT returns.

    Raises:
        sqlite3.Error: it cannot be opened.
    """
    opened = sqlite3.connect(
        path,
        timeout=busy_timeout_ms / 1000,
        isolation_level=None,
        check_same_thread=False,  # opened in one thread, used in another, never in two at once
        factory=connection,
    )
    try:
        opened.execute("PRAGMA journal_mode = WAL")
        opened.execute("PRAGMA synchronous = FULL")  # fsync at every COMMIT, also in WAL mode
    except sqlite3.Error:
        opened.close()
        raise
    return opened


def version_of(database: sqlite3.Connection, path: Path, steps: tuple[str, ...] = STEPS) -> int:
    """Return a database's version; 0: it has nothing of ours.

    Raises:
        NewerSchema: it is one this program does not know.
    """
    version: int = database.execute("PRAGMA user_version").fetchone()[0]
    if version > len(steps):
        raise NewerSchema(path, version, len(steps))
    return version


def prepare(path: Path, steps: tuple[str, ...] = STEPS) -> None:
    """Make the database if there is none, and bring it to the newest version.

    The file is readable by its owner only; SQLite makes the files beside it likewise.

    Raises:
        NewerSchema: it is of a version this program does not know; nothing was changed.
        sqlite3.Error: it cannot be opened or written.
    """
    path.touch(mode=0o600)
    database = sqlite3.connect(path, isolation_level=None)
    try:
        version = version_of(database, path, steps)
        for number, step in enumerate(steps[version:], version + 1):
            database.executescript(
                f"BEGIN IMMEDIATE; {step}; PRAGMA user_version = {number}; COMMIT;"
            )
    finally:
        database.close()  # rolls back a step that was not finished
