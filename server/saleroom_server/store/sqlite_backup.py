"""Copies of the database: taken while a server plays, put back while none runs.

A backup is one file, complete in itself, whose name appears when it is whole. It holds all secrets
there are, so it is readable by its owner only.
"""

import errno
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import mkstemp

from saleroom_server.store.interface import StoreError
from saleroom_server.store.sqlite_lock import FILE as LOCK
from saleroom_server.store.sqlite_lock import DirectoryLock
from saleroom_server.store.sqlite_schema import FILE, version_of

STEP_PAGES = 1_024  # copied between two reports

Report = Callable[[int, int], None]  # pages copied, pages in all


class BackupFault(StoreError):
    """Why there is no copy, or none to be trusted; nothing was changed."""


def back_up(directory: Path, file: Path, report: Report) -> None:
    """Copy a store's database into a new file, as it is at one moment; a server may be writing.

    One read transaction sees it all: nothing waits for it, and nothing written meanwhile makes it
    begin again. Only the write-ahead log cannot be emptied until it ends.

    Raises:
        BackupFault: there is no database, or it cannot be read, or the copy not be written.
        NewerSchema: a newer version of this program has written it.
        FileExistsError: there is a file of that name.
        OSError: the file cannot be made.
    """
    if not (directory / FILE).is_file():
        raise BackupFault(f"there is no store in {directory}")
    if file.exists():
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(file))
    _copy(directory / FILE, file, report)


def restore(file: Path, directory: Path, report: Report) -> None:
    """Put a backup into a directory that is empty or not there, once it has been checked.

    Raises:
        BackupFault: the directory is not empty, or the file is no sound backup.
        NewerSchema: a newer version of this program has written it.
        DirectoryInUse: a server has the directory.
        OSError: the file cannot be read or the directory not be written.
    """
    if not file.is_file():
        raise BackupFault(f"there is no file {file}")
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    if _strangers(directory) and not (directory / LOCK).exists():
        raise _not_empty(directory)
    with _locked(directory):
        if _strangers(directory):
            raise _not_empty(directory)
        directory.chmod(0o700)
        _copy(file, directory / FILE, report)


def forget_token_key(directory: Path) -> None:
    """Delete the key that signs tokens; the next start makes another, and no old token counts.

    Raises:
        BackupFault: there is no database, or it cannot be written.
        DirectoryInUse: a server has the directory.
    """
    if not (directory / FILE).is_file():
        raise BackupFault(f"there is no store in {directory}")
    path = directory / FILE
    with _locked(directory), _told_by_sqlite(path), closing(_opened(path)) as database:
        database.execute("PRAGMA secure_delete = ON")
        database.execute("DELETE FROM secrets WHERE name = 'token'")


def _copy(source: Path, target: Path, report: Report) -> None:
    """Copy a database to where it is not yet: under another name, until it is whole and sound."""
    descriptor, name = mkstemp(prefix=f".{target.name}.", dir=target.parent)  # mode 0600
    unfinished = Path(name)
    try:
        with _told_by_sqlite(source):
            _copy_pages(source, unfinished, report)
            _check(source, unfinished)
        os.fsync(descriptor)
        unfinished.rename(target)
        _sync_directory(target.parent)
    finally:
        os.close(descriptor)
        unfinished.unlink(missing_ok=True)


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


@contextmanager
def _locked(directory: Path) -> Iterator[None]:
    lock = DirectoryLock(directory)
    try:
        yield
    finally:
        lock.release()


def _strangers(directory: Path) -> list[Path]:
    return [path for path in directory.iterdir() if path.name != LOCK]


def _not_empty(directory: Path) -> BackupFault:
    return BackupFault(f"{directory} is not empty: name a directory that is, or move it away")


def _sync_directory(directory: Path) -> None:
    """Make a new name durable."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
