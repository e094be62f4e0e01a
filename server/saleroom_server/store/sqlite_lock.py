"""One process per data directory: a lock the kernel gives back when its holder dies."""

import fcntl
import os
from pathlib import Path

from saleroom_server.store.interface import StoreError

FILE = "lock"


class DirectoryInUse(StoreError):
    """Another process has the data directory open.

    Attributes:
        pid: whose; empty if that process has not yet written it down.
    """

    def __init__(self, directory: Path, pid: str) -> None:
        super().__init__(
            f"the data directory {directory} is in use by process {pid or '(starting)'}: "
            "stop it, or give this one a directory of its own"
        )
        self.pid = pid


class DirectoryLock:
    """Held from the moment it is made until `release`.

    The lock belongs to the open file, so a forked child that keeps the file open keeps the lock.
    """

    def __init__(self, directory: Path) -> None:
        """Take the lock.

        Raises:
            DirectoryInUse: somebody else has it.
        """
        self._path = directory / FILE
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            pid = os.read(self._file, 32).decode(errors="replace").strip()
            os.close(self._file)
            raise DirectoryInUse(directory, pid) from None
        os.ftruncate(self._file, 0)
        os.write(self._file, b"%d\n" % os.getpid())

    def holds(self) -> bool:
        """Whether the directory still has the file: else others may use it, and all is lost."""
        try:
            return os.path.samestat(self._path.stat(), os.fstat(self._file))
        except OSError:
            return False

    def fileno(self) -> int:
        """Return its open file, for a child process to hold the lock too, until both are done."""
        return self._file

    def release(self) -> None:
        """Let the next one in. The file stays: deleting it would let two hold two locks."""
        os.close(self._file)
