"""Backups of a data directory, whatever kind of store is in it."""

from pathlib import Path

from saleroom_server.store import sqlite_backup, valkey_backup
from saleroom_server.store.copying import BackupFault, Report
from saleroom_server.store.directory import Kind, kind_of

_OF_KIND = {Kind.SQLITE: sqlite_backup, Kind.VALKEY: valkey_backup}


def back_up(directory: Path, file: Path, report: Report) -> None:
    """Copy what a directory holds into a new file, as it is at one moment; a server may run.

    Raises:
        BackupFault: there is no store, or it cannot be read, or the copy not be written.
        StoreError: see the store's own.
        FileExistsError: there is a file of that name.
        OSError: the file cannot be made.
    """
    _OF_KIND[_kind(directory)].back_up(directory, file, report)


def restore(file: Path, directory: Path, report: Report) -> None:
    """Put a backup into a directory that is empty or not there, once it has been checked.

    Raises:
        BackupFault: the directory is not empty, or the file is no sound backup.
        StoreError: see the store's own.
        DirectoryInUse: a server has the directory.
        OSError: the file cannot be read or the directory not be written.
    """
    if not file.is_file():
        raise BackupFault(f"there is no file {file}")
    kind = Kind.VALKEY if valkey_backup.made(file) else Kind.SQLITE
    _OF_KIND[kind].restore(file, directory, report)


def forget_token_key(directory: Path) -> None:
    """Delete the key that signs tokens; the next start makes another, and no old token counts.

    Raises:
        BackupFault: there is no store, or it cannot be written.
        StoreError: see the store's own.
        DirectoryInUse: a server has the directory.
    """
    _OF_KIND[_kind(directory)].forget_token_key(directory)


def _kind(directory: Path) -> Kind:
    kind = kind_of(directory)
    if kind is None:
        raise BackupFault(f"there is no store in {directory}")
    return kind
