"""Redis and Valkey in processes of their own, to be killed, frozen, and started on the same data.

Both keep what they acknowledge: an append-only file, on disk before a command is answered.
"""

import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, Self, TypeAlias

from saleroom_server.leash import leashed
from saleroom_server.store import valkey_program
from saleroom_server.store.valkey_program import DURABLE, command

Kind: TypeAlias = Literal["valkey", "redis"]

KINDS: tuple[Kind, ...] = ("valkey", "redis")
# A replica is given what there is as soon as it asks, and has it at once.
SWIFT = {"repl-diskless-sync-delay": "0", "repl-diskless-load": "swapdb"}
PATIENCE = 30.0  # seconds until a server must be there, or gone


class RedisServer:
    """One server on a directory, at the same address over all its lives; closed by `with`.

    Attributes:
        url: where it is, as clients take it: of its port, if it has one, else of its Unix socket.
        path: of its Unix socket.
    """

    def __init__(
        self,
        directory: Path,
        kind: Kind = "valkey",
        *,
        port: int = 0,
        more: Mapping[str, str] | None = None,
    ) -> None:
        """Nothing is started yet.

        Args:
            directory: where its data is; made if there is none.
            kind: which program.
            port: on 127.0.0.1; 0: the Unix socket only.
            more: configuration, besides or instead of what makes it `DURABLE`.
        """
        self._directory, self._program, self._port = directory, program(kind), port
        self._more = {**DURABLE, **(more or {})}
        self._short = tempfile.TemporaryDirectory(prefix="redis-")  # a socket's path must be
        self._process: subprocess.Popen[bytes] | None = None
        self._log = directory / "redis.log"
        self.path = Path(self._short.name) / "socket"
        self.url = f"redis://127.0.0.1:{port}" if port else f"unix://{self.path}"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        self._directory.mkdir(parents=True, exist_ok=True)
        config = {
            "dir": str(self._directory),
            "bind": "127.0.0.1",
            "port": str(self._port),
            "unixsocket": str(self.path),
            **self._more,
        }
        with self._log.open("a") as log:
            self._process = subprocess.Popen(
                leashed(command(self._program, config)),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C is for the tests
            )
        self._wait_until_it_answers()

    def _wait_until_it_answers(self) -> None:
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until and self.runs:
            try:
                if self.ask("PING") == "+PONG":
                    return
            except OSError:
                pass
            time.sleep(0.01)
        raise AssertionError(f"no server: {self._log.read_text()}")

    @property
    def runs(self) -> bool:
        """Whether it has been started and has not ended, frozen or not."""
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int:
        """Its process."""
        assert self._process is not None
        return self._process.pid

    def stop(self) -> int:
        """End it as an operator does; return its exit code."""
        return self._end(signal.SIGTERM)

    def kill(self) -> None:
        """End it as a power cut would."""
        self._end(signal.SIGKILL)

    def restart(self) -> None:
        """Stop it and start it again."""
        self.stop()
        self.start()

    def freeze(self) -> None:
        """Let it do nothing, and hang up on nobody."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on after `freeze`."""
        self._signal(signal.SIGCONT)

    def follow(self, port: int) -> None:
        """Be a replica of the server at a port of this machine, and forget what else there was."""
        assert self.ask(f"REPLICAOF 127.0.0.1 {port}") == "+OK"

    def lead(self) -> None:
        """Be a master, with what has come until now."""
        assert self.ask("REPLICAOF NO ONE") == "+OK"

    @property
    def replicas(self) -> int:
        """How many follow it, and have all there was when they began to."""
        return self.ask("INFO replication").count("state=online")

    def ask(self, line: str, patience: float = PATIENCE) -> str:
        """Send a command of plain words; see `ask`."""
        return ask(self.path, line, patience)

    def _signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def _end(self, number: signal.Signals) -> int:
        assert self._process is not None
        self._process.send_signal(number)
        return self._process.wait(PATIENCE)

    def close(self) -> None:
        """Leave no process behind, nor its socket."""
        if self.runs:
            self.kill()
        self._short.cleanup()

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def ask(path: Path | str, line: str, patience: float = PATIENCE) -> str:
    """Send a command of plain words to a Unix socket; return what is answered, as it came.

    Raises:
        OSError: nobody is there, or hung up.
        TimeoutError: no answer comes within so many seconds.
    """
    with socket.socket(socket.AF_UNIX) as asking:
        asking.settimeout(patience)
        asking.connect(str(path))
        asking.sendall(f"{line}\r\nQUIT\r\n".encode())
        answer = asking.makefile(newline="").read()
    told, whole, _ = answer.rpartition("\r\n+OK\r\n")
    if not whole:
        raise ConnectionResetError(f"hung up after {line}")
    return told


def program(kind: Kind) -> str:
    """Return the path of a server's program.

    Raises:
        AssertionError: it is not installed.
        NoValkey: Valkey is not.
    """
    if kind == "valkey":
        return str(valkey_program.program())
    found = shutil.which("redis-server")
    assert found is not None, "install redis-server: .ci/tools does, on Debian"
    return found
