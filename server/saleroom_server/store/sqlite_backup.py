"""Copies of the database: taken while a server plays, put back while none runs.

A backup is one file, complete in itself, whose name appears when it is whole. It holds all secrets
there are, so it is readable by its owner only.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from saleroom_server.store.copying import (
    BackupFault,
    Report,
    empty,
    locked,
    not_there,
    unfinished,
)
from saleroom_server.store.sqlite_schema import FILE, version_of

STEP_PAGES = 1_024  # copied between two reports


def back_up(directory: Path, file: Path, report: Report) -> None:
    """Copy a store's database into a new file, as it is at one moment; a server may be writing.

    One read transaction sees it all: nothing waits for it, and nothing written meanwhile makes it
    begin again. Only the write-ahead log cannot be emptied until it ends.

    Raises:
        BackupFault: it cannot be read, or the copy not be written.
        NewerSchema: a newer version of this program has written it.
        FileExistsError: there is a file of that name.
        OSError: the file cannot be made.
    """
    not_there(file)
    _copy(directory / FILE, file, report)


def restore(file: Path, directory: Path, report: Report) -> None:
    """Put a backup into a directory that is empty or not there, once it has been checked.

    Raises:
        BackupFault: the directory is not empty, or the file is no sound backup.
        NewerSchema: a newer version of this program has written it.
        DirectoryInUse: a server has the directory.
        OSError: the file cannot be read or the directory not be written.
    """
    with empty(directory):
        _copy(file, directory / FILE, report)


def forget_token_key(directory: Path) -> None:
    """Delete the key that signs tokens; the next start makes another, and no old token counts.

    Raises:
        BackupFault: it cannot be written.
        DirectoryInUse: a server has the directory.
    """
    path = directory / FILE
    with locked(directory), _told_by_sqlite(path), closing(_opened(path)) as database:
        database.execute("PRAGMA secure_delete = ON")
        database.execute("DELETE FROM secrets WHERE name = 'token'")


def _copy(source: Path, target: Path, report: Report) -> None:
    """Copy a database to where it is not yet: under another name, until it is whole and sound."""
    with unfinished(target) as path, _told_by_sqlite(source):
        _copy_pages(source, path, report)
        _check(source, path)


def _copy_pages(source: Path, target: Path, report: Report) -> None:
    with closing(_opened(source)) as read, closing(_opened(target)) as written:
        read.execute("BEGIN")
        read.execute("SELECT 1 FROM sqlite_master").fetchall()  # from here on one moment is read
        read.backup(
            written,
            pages=STEP_PAGES,
            progress=lambda _, left, pages: report(pages - left, pages),
        )
        written.execute("PRAGMA journal_mode = DELETE")  # one file, with no log beside it


def _check(source: Path, copy: Path) -> None:
    with closing(_opened(copy)) as database:
        if version_of(database, source) == 0:
            raise BackupFault(f"{source} is no store of Saleroom's")
        ((found, *_),) = database.execute("PRAGMA integrity_check(1)").fetchall()
        if found != "ok":
            raise BackupFault(f"{source} is damaged: {found}")


def _opened(path: Path) -> sqlite3.Connection:
    """Open a database that is there."""
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, isolation_level=None)


@contextmanager
def _told_by_sqlite(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise BackupFault(f"{path}: {error}") from error
