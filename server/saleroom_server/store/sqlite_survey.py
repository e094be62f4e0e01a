"""The rooms of a data directory, read while a server may be writing there, or none.

In WAL mode a reader keeps no writer waiting; it reads page by page, so the log can be emptied too.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from saleroom_server.store.interface import Head, StoreError
from saleroom_server.store.sqlite_schema import FILE, version_of

PAGE = 1_000  # rooms read at once


class NoRooms(StoreError):
    """There is no store in a directory, or it cannot be read."""


def database(directory: Path) -> Path:
    """Return where the database is.

    Raises:
        NoRooms: there is none.
    """
    path = directory / FILE
    if not path.is_file():
        raise NoRooms(f"there is no store in {directory}")
    return path


def rooms(directory: Path) -> Iterator[list[Head]]:
    """Yield the rooms that have a journal, in the order they were made, page by page.

    Raises:
        NoRooms: there is no store, or it cannot be read.
        NewerSchema: a newer version of this program has written it.
    """
    path = database(directory)
    with _told(path), closing(_opened(path)) as opened:
        if version_of(opened, path) == 0:
            raise NoRooms(f"{path} is no store of Saleroom's")
        after = 0
        while page := _page(opened, after):
            after = page[-1][0]
            yield [Head(room, head) for _, room, head in page]


def _opened(path: Path) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?mode=rw"  # it may have to make the files beside it
    opened = sqlite3.connect(uri, uri=True, isolation_level=None)
    opened.execute("PRAGMA query_only = ON")
    return opened


def _page(opened: sqlite3.Connection, after: int) -> list[tuple[int, str, bytes]]:
    words = "SELECT number, room, head FROM rooms WHERE number > ? ORDER BY number LIMIT ?"
    return opened.execute(words, (after, PAGE)).fetchall()


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise NoRooms(f"{path}: {error}") from error
