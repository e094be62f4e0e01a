"""Real servers in processes of their own, to be killed and started again on the same data."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Self
from urllib.error import URLError

from saleroom_cli.online import UNDER_UV

PATIENCE = 30.0  # seconds until a server must be there
WORKER = "saleroom_server.workers.main"
# To people, or in a log of JSON; with what follows, lest only half of it have been written.
TOLD_URL = re.compile(r'(?:^Saleroom serves at |"url": ")(http://[^\s"]+)[\s"]', re.MULTILINE)


def quiet_environment(more: Mapping[str, str]) -> dict[str, str]:
    """Return what a process of ours is started with: asyncio's debugging stays with the tests.

    It would tell on standard error of every slow moment of a busy machine. Nor does a process know
    that the tests run under uv: it prints commands as where `saleroom` is installed.
    """
    inherited = {name: value for name, value in os.environ.items() if name != UNDER_UV}
    return {**inherited, **more, "PYTHONASYNCIODEBUG": ""}


class ServerProcess:
    """`saleroom serve` on a directory; the port stays the same over all its lives.

    What it says goes into files beside the directory. It may have `workers`.
    """

    def __init__(self, data: Path, *, port: int = 0, env: Mapping[str, str] | None = None) -> None:
        self._data, self._port = data, port
        self._env = quiet_environment(env or {})
        self._process: subprocess.Popen[bytes] | None = None
        self._log = data
        self.url = ""
        self.starts = 0

    def start(self) -> None:
        """Start it, and wait until it serves."""
        command = [sys.executable, "-m", "saleroom_cli", "serve", "--data", str(self._data)]
        self._data.parent.mkdir(exist_ok=True)
        self._log = self._data.parent / f"server-{self.starts}.log"
        with self._log.open("w") as log:
            self._process = subprocess.Popen(
                [*command, "--port", str(self._port)], stderr=log, env=self._env
            )
        self.starts += 1
        self.url = self._told_url()
        self._port = int(self.url.rpartition(":")[2])

    def _told_url(self) -> str:
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until and self._process_runs():
            if told := TOLD_URL.search(self.log()):
                return told[1]
            time.sleep(0.02)
        raise AssertionError(f"no server: {self.log()}")

    def _process_runs(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def kill(self) -> None:
        """End it as a power cut would."""
        self._end(signal.SIGKILL)

    def stop(self) -> int:
        """End it as an operator does; return its exit code."""
        return self._end(signal.SIGTERM)

    def ended(self) -> int:
        """Wait until it ends of its own accord; return its exit code."""
        assert self._process is not None
        return self._process.wait(PATIENCE)

    def log(self) -> str:
        """Return what it has said in its present life."""
        return self._log.read_text()

    @property
    def pid(self) -> int:
        """Its process."""
        assert self._process is not None
        return self._process.pid

    @property
    def workers(self) -> list[int]:
        """The processes of its workers, the longest there first."""
        return [pid for pid in children(self.pid) if WORKER in command_of(pid)]

    def tell(self, number: signal.Signals) -> None:
        """Send it a signal that does not end it."""
        assert self._process is not None
        self._process.send_signal(number)

    def _end(self, number: signal.Signals) -> int:
        assert self._process is not None
        self._process.send_signal(number)
        return self._process.wait(PATIENCE)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._process_runs():
            self.kill()


def children(pid: int) -> list[int]:
    """Return the processes a process has started and that still are, in that order."""
    return [*map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())]


def command_of(pid: int) -> str:
    """Return what a process was started with; of one that has ended, nothing."""
    return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")


def memory_of(pid: int) -> int:
    """Return how many bytes of a process are in memory."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    (resident,) = (line for line in lines if line.startswith("VmRSS:"))
    return int(resident.split()[1]) * 1024


def comes_to_an_end(pid: int) -> bool:
    """Tell whether a process that is not a child of ours ends before long."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            told = Path(f"/proc/{pid}/stat").read_text()
        except (FileNotFoundError, ProcessLookupError):
            return True
        if told.rpartition(")")[2].split()[0] == "Z":  # dead, whoever has to notice it
            return True
        time.sleep(0.01)
    return False


def free_port() -> int:
    """Return a port nobody listens on."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port: int = listening.getsockname()[1]
    return port


def ready(url: str) -> bool:
    """Tell whether a server answers that it can take on work."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            with urllib.request.urlopen(url + "/readyz", timeout=5) as answer:
                return bool(answer.status == 200)
        except (URLError, OSError):
            time.sleep(0.05)
    return False
