"""What a data directory holds. Each kind of store keeps to its own, and looks into no other's.

Else a server that is started another way than before would find no rooms, and nobody would know
why: they are there, where it does not look.
"""

from enum import Enum
from pathlib import Path

from saleroom_server.logs import logger
from saleroom_server.store.interface import StoreError
from saleroom_server.store.sqlite_schema import FILE as DATABASE
from saleroom_server.store.valkey_program import LOGS

OTHERS = 0o077  # of a file's mode: what it lets group and others do

log = logger("store")


class Kind(Enum):
    """The stores there may be in a directory, by the name that shows it."""

    SQLITE = DATABASE
    VALKEY = LOGS


_ADVICE = {
    Kind.SQLITE: "holds rooms of a server without workers: start it without --workers",
    Kind.VALKEY: "holds rooms of a server with workers: start it with --workers, 1 or more",
}


class HoldsOther(StoreError):
    """The directory holds rooms, of another kind of store."""

    def __init__(self, directory: Path, kind: Kind) -> None:
        super().__init__(
            f"the data directory {directory} {_ADVICE[kind]}, or name another directory"
        )


def kind_of(directory: Path) -> Kind | None:
    """Tell what a directory holds; None if that is no store."""
    return next((kind for kind in Kind if (directory / kind.value).exists()), None)


def keep_to(kind: Kind, directory: Path) -> None:
    """See that a directory is of a kind, or of none yet.

    Raises:
        HoldsOther: it is of another.
    """
    found = kind_of(directory)
    if found not in (kind, None):
        raise HoldsOther(directory, found)


def keep_private(directory: Path) -> None:
    """Let nobody else read the store, whoever could before; warn of a directory that is open.

    Raises:
        OSError: a file is another user's.
    """
    for path in (*directory.glob(f"{DATABASE}*"), *directory.glob(f"{LOGS}/*")):
        if path.stat().st_mode & OTHERS:
            path.chmod(0o600)
    mode = directory.stat().st_mode & 0o777
    if mode & OTHERS:
        log.warning("directory_open_to_others", data=str(directory), mode=f"{mode:03o}")
