"""What copies of any kind of store have in common: whole, secret, and in nothing else's place."""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkstemp

from saleroom_server.store.interface import StoreError
from saleroom_server.store.sqlite_lock import FILE as LOCK
from saleroom_server.store.sqlite_lock import DirectoryLock

Report = Callable[[int, int | None], None]  # how much is copied, of how much if that is known


class BackupFault(StoreError):
    """Why there is no copy, or none to be trusted; nothing was changed."""


def not_there(file: Path) -> None:
    """See that there is no file of a name.

    Raises:
        FileExistsError: there is.
    """
    if file.exists():
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(file))


@contextmanager
def unfinished(target: Path) -> Iterator[Path]:
    """Yield another name for what is being written, its owner's only; then it gets its own.

    It is on disk by then. If anything fails nothing is left.

    Raises:
        OSError: it cannot be made.
    """
    descriptor, name = mkstemp(prefix=f".{target.name}.", dir=target.parent)  # mode 0600
    path = Path(name)
    try:
        yield path
        os.fsync(descriptor)
        path.rename(target)
        sync_directory(target.parent)
    finally:
        os.close(descriptor)
        path.unlink(missing_ok=True)


@contextmanager
def empty(directory: Path) -> Iterator[None]:
    """Have a directory, which is empty or not there, to oneself, and its owner's only.

    Raises:
        BackupFault: it is not empty.
        DirectoryInUse: a server has it.
        OSError: it cannot be made.
    """
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    if _strangers(directory) and not (directory / LOCK).exists():
        raise _not_empty(directory)
    with locked(directory):
        if _strangers(directory):
            raise _not_empty(directory)
        directory.chmod(0o700)
        yield


@contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Have a directory to oneself.

    Raises:
        DirectoryInUse: a server has it.
    """
    lock = DirectoryLock(directory)
    try:
        yield
    finally:
        lock.release()


def sync_directory(directory: Path) -> None:
    """Make a new name durable."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _strangers(directory: Path) -> list[Path]:
    return [path for path in directory.iterdir() if path.name != LOCK]


def _not_empty(directory: Path) -> BackupFault:
    return BackupFault(f"{directory} is not empty: name a directory that is, or move it away")
