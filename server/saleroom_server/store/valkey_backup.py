"""Copies of what our own Valkey keeps: taken while it serves, put back while none runs.

A backup is a snapshot as Valkey sends it to a replica, of one moment: one file, complete in itself,
whose name appears when it is whole. It holds all secrets there are, so it is readable by its owner
only.
"""

import asyncio
import subprocess
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from io import BufferedIOBase
from pathlib import Path
from tempfile import TemporaryDirectory

from saleroom_server.store import redis_keys as keys
from saleroom_server.store.copying import (
    BackupFault,
    Report,
    empty,
    not_there,
    sync_directory,
    unfinished,
)
from saleroom_server.store.valkey import Valkey, answers
from saleroom_server.store.valkey_program import LOGS, path_in, program

CHUNK_BYTES = 1 << 20
MARK_BYTES = 40  # of what Valkey sends behind a snapshot; it says before what that will be
SILENCE_S = 60.0  # without a byte so long, and Valkey is given up
MAGIC = (b"REDIS", b"VALKEY")  # what a snapshot begins with
CHECKER = "valkey-check-rdb"  # what the program is when it is called so

BASE, REST = "appendonly.aof.1.base.rdb", "appendonly.aof.1.incr.aof"
MANIFEST = "appendonly.aof.manifest"


def made(file: Path) -> bool:
    """Tell whether a file is a backup that was made here.

    Raises:
        OSError: it cannot be read.
    """
    with file.open("rb") as opened:
        return opened.read(max(map(len, MAGIC))).startswith(MAGIC)


def back_up(directory: Path, file: Path, report: Report) -> None:
    """Copy what a directory holds into a new file, as it is at one moment; a server may run.

    Raises:
        BackupFault: it cannot be read, or the copy not be written.
        NoValkey: there is no program to be run on this machine.
        ValkeyFailed: none runs there, and none can.
        DirectoryInUse: one is being started there, or ended.
        FileExistsError: there is a file of that name.
        OSError: the file cannot be made.
    """
    not_there(file)
    with unfinished(file) as path:
        with path.open("wb") as written:
            asyncio.run(_snapshot(directory, written, report))
        _check(path, directory)


def restore(file: Path, directory: Path, report: Report) -> None:
    """Put a backup into a directory that is empty or not there, once a Valkey has read it.

    Raises:
        BackupFault: the directory is not empty, or the file is no sound backup.
        NoValkey: there is no program to be run on this machine.
        ValkeyFailed: Valkey cannot read it.
        DirectoryInUse: a server has the directory.
        OSError: the file cannot be read or the directory not be written.
    """
    _check(file, file)
    with (
        empty(directory),
        TemporaryDirectory(prefix=".restoring-", dir=directory) as aside,  # mode 0700
    ):
        logs = Path(aside) / LOGS
        _lay_out(file, logs, report)
        asyncio.run(_try(Path(aside), file))
        logs.rename(directory / LOGS)
        sync_directory(directory)


def forget_token_key(directory: Path) -> None:
    """Delete the key that signs tokens; the next start makes another, and no old token counts.

    Raises:
        NoValkey: there is no program to be run on this machine.
        ValkeyFailed: Valkey does not start there.
        DirectoryInUse: a server has the directory.
    """
    asyncio.run(_forget_token_key(directory))


async def _forget_token_key(directory: Path) -> None:
    async with Valkey(directory):
        await _asked(directory, f"DEL {keys.secret('token')}")


async def _try(directory: Path, file: Path) -> None:
    """See that a Valkey starts on what was laid out, and that it is ours."""
    async with Valkey(directory):
        if await _asked(directory, f"EXISTS {keys.secret('token')}") != b":1":
            raise BackupFault(f"{file} is no store of Saleroom's")


async def _snapshot(directory: Path, written: BufferedIOBase, report: Report) -> None:
    async with _running(directory), _connected(directory) as (reader, writer):
        writer.write(b"REPLCONF capa eof\r\n")
        _expect(await _line(reader), b"+OK")
        writer.write(b"SYNC\r\n")
        mark = _expect(await _line(reader), b"$EOF:")
        if len(mark) != MARK_BYTES:
            raise BackupFault("Valkey sends no snapshot that it says the end of")
        await _until(mark, reader, written, report)


async def _until(
    mark: bytes, reader: StreamReader, written: BufferedIOBase, report: Report
) -> None:
    """Write down what comes before a mark."""
    done, held = 0, b""
    while mark not in held:
        keep = held[-MARK_BYTES:]  # the mark may have begun there
        written.write(held[: len(held) - len(keep)])
        done += len(held) - len(keep)
        report(done, None)
        held = keep + await _in_time(reader.read(CHUNK_BYTES))
    written.write(held[: held.index(mark)])


@asynccontextmanager
async def _running(directory: Path) -> AsyncIterator[None]:
    """Have a Valkey run on a directory: a server's, or else one of our own meanwhile."""
    if await answers(path_in(directory)):
        yield
    else:
        async with Valkey(directory):
            yield


@asynccontextmanager
async def _connected(directory: Path) -> AsyncIterator[tuple[StreamReader, StreamWriter]]:
    reader, writer = await asyncio.open_unix_connection(path_in(directory))
    try:
        yield reader, writer
    finally:
        writer.close()


async def _asked(directory: Path, line: str) -> bytes:
    async with _connected(directory) as (reader, writer):
        writer.write(f"{line}\r\n".encode())
        return await _line(reader)


async def _line(reader: StreamReader) -> bytes:
    """Return the next line that says something; empty ones say that there will be one."""
    while True:
        line = await _in_time(reader.readline())
        if line.strip():
            return line.strip()


async def _in_time(wanted: Awaitable[bytes]) -> bytes:
    try:
        async with asyncio.timeout(SILENCE_S):
            some = await wanted
    except TimeoutError:
        raise BackupFault(f"Valkey says nothing for {SILENCE_S} s") from None
    except ConnectionError:
        some = b""
    if not some:
        raise BackupFault("Valkey has hung up before it was done")
    return some


def _expect(line: bytes, beginning: bytes) -> bytes:
    """Return what comes after the beginning a line is to have."""
    if not line.startswith(beginning):
        raise BackupFault(f"Valkey says {line.decode(errors='replace')}")
    return line.removeprefix(beginning)


def _check(file: Path, source: Path) -> None:
    """See that a snapshot is whole, and undamaged by its check sum."""
    told = subprocess.run(
        [CHECKER, str(file)], executable=program(), capture_output=True, check=False
    )
    if told.returncode:
        said = told.stdout.decode(errors="replace").partition("ERROR DETECTED ---\n")[2]
        raise BackupFault(f"{source} is damaged: {said.partition(chr(10))[0]}")


def _lay_out(file: Path, logs: Path, report: Report) -> None:
    """Make of a snapshot what Valkey starts from: a log that begins with it, and has no more."""
    logs.mkdir(mode=0o700)
    with unfinished(logs / BASE) as base, base.open("wb") as written, file.open("rb") as read:
        whole, done = file.stat().st_size, 0
        while part := read.read(CHUNK_BYTES):
            written.write(part)
            done += len(part)
            report(done, whole)
    with unfinished(logs / REST):
        pass  # nothing yet
    with unfinished(logs / MANIFEST) as manifest:
        manifest.write_text(f"file {BASE} seq 1 type b\nfile {REST} seq 1 type i\n")
