"""The commands as processes: interrupted, unread, without input, and when the server goes away."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Timer
from typing import IO

import pytest

from tests.support.commands import quick_server
from tests.support.servers import PATIENCE, ServerProcess, quiet_environment

COMMAND = [sys.executable, "-m", "saleroom_cli"]
PLAIN = quiet_environment({"NO_COLOR": "1", "COLUMNS": "60", "LC_ALL": "C.UTF-8"})


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with quick_server(tmp_path_factory.mktemp("commands")) as running:
        yield running


class Running:
    """A command that runs: what it prints is waited for, what it is typed is sent.

    One that takes too long is killed, so that nobody waits for it for ever.
    """

    def __init__(self, *words: str, stdin: int = subprocess.PIPE) -> None:
        self._process = subprocess.Popen(
            [*COMMAND, *words],
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=PLAIN,
        )
        self.told = ""
        self._watchdog = Timer(PATIENCE, self._process.kill)
        self._watchdog.start()

    def tells(self, words: str) -> str:
        """Read until it has printed some words; return all it has printed."""
        out = self._output
        while words not in self.told:
            line = out.readline()
            assert line, f"it ended without {words!r}:\n{self.told}"
            self.told += line.decode()
        return self.told

    def types(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n".encode())
        self._process.stdin.flush()

    def interrupted(self) -> int:
        """Press Ctrl-C; return the exit code."""
        self._process.send_signal(signal.SIGINT)
        return self.ends()

    def ends(self) -> int:
        """Wait for its end; return the exit code."""
        self.told += self._output.read().decode()
        return self._process.wait(PATIENCE)

    @property
    def _output(self) -> IO[bytes]:
        assert self._process.stdout is not None
        return self._process.stdout

    def __enter__(self) -> "Running":
        return self

    def __exit__(self, *_: object) -> None:
        self._watchdog.cancel()
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()


def room_in(told: str) -> str:
    return told.partition("Room ")[2].split()[0]


def test_who_plays_or_watches_can_interrupt_it(server: ServerProcess) -> None:
    with Running("play", "--url", server.url, "--seats", "3") as play:
        room = room_in(play.tells("Give up for good."))
        with Running("watch", room, "--url", server.url) as watch:
            watch.tells("has the turn")
            assert watch.interrupted() == 130
            assert "Traceback" not in watch.told
        assert play.interrupted() == 130
        assert "Your seat is kept." in play.told
        assert "Traceback" not in play.told
        assert "SALEROOM_TOKEN" not in play.told, "a log is no place for a secret"


def test_a_bot_can_be_interrupted(server: ServerProcess) -> None:
    with Running("bot", "--url", server.url) as bot:
        bot.tells("Waiting for others")
        assert bot.interrupted() == 130
        assert "Traceback" not in bot.told


def test_a_demo_can_be_interrupted() -> None:
    with Running("demo", "--pause", "1") as demo:
        demo.tells("seat 3  Dan")
        assert demo.interrupted() == 130
        assert "Traceback" not in demo.told


def test_a_server_can_be_interrupted(tmp_path: Path) -> None:
    with Running("serve", "--port", "0", "--data", str(tmp_path / "data")) as serve:
        serve.tells("Saleroom serves at ")
        assert serve.interrupted() == 0
        assert "server_stopped" in serve.told
        assert "Traceback" not in serve.told


def test_a_command_that_is_not_read_ends_quietly() -> None:
    process = subprocess.Popen(
        [*COMMAND, "demo", "--pause", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=PLAIN,
    )
    with process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(PATIENCE) == 1


def test_without_anything_typed_the_seat_is_taken_and_left(server: ServerProcess) -> None:
    with Running("play", "--url", server.url, stdin=subprocess.DEVNULL) as play:
        assert play.ends() == 0
        assert "Your seat is kept." in play.told


def test_with_standard_input_closed_it_is_said_why_nobody_can_play(server: ServerProcess) -> None:
    shell = " ".join([*COMMAND, "play", "--url", server.url, "<&-"])
    told = subprocess.run(["sh", "-c", shell], env=PLAIN, capture_output=True, check=False)
    assert told.returncode == 1
    assert told.stderr.decode() == (
        "error: Playing needs somebody who types, and standard input is closed.\n"
    )


def test_a_game_goes_on_after_the_server_was_killed(tmp_path: Path) -> None:
    with (
        quick_server(tmp_path) as server,
        Running("play", "--seats", "3", "--url", server.url) as play,
    ):
        play.tells("Give up for good.")
        server.kill()
        play.tells("The connection is lost; trying again.")
        server.start()
        play.tells("Connected again; this is how things stand.")
        play.tells("Guest is here.")
        play.types("1")
        play.tells("Guest draws a customer: ")
        play.types("q")
        assert play.ends() == 0


def test_a_person_at_a_terminal_is_given_the_token_to_come_back(server: ServerProcess) -> None:
    pty = pytest.importorskip("pty")
    mine, theirs = pty.openpty()
    with Terminal(mine, theirs, "play", "--url", server.url, "--seats", "3") as play:
        play.tells("Give up for good.")
        play.types("q")
        told = play.ends()
    assignment, _, *words = told.rpartition("To come back: ")[2].split()
    name, _, secret = assignment.partition("=")
    assert name == "SALEROOM_TOKEN"
    again = subprocess.run(
        [*COMMAND, *words],
        env=PLAIN | {name: secret},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    assert again.returncode == 0, again.stderr
    assert "You are Guest (seat 0)." in again.stdout.decode()


class Terminal:
    """A command at a terminal of its own, the other end of which is ours."""

    def __init__(self, mine: int, theirs: int, *words: str) -> None:
        self._process = subprocess.Popen(
            [*COMMAND, *words], stdin=theirs, stdout=theirs, stderr=theirs, env=PLAIN
        )
        os.close(theirs)
        self._fd, self._told = mine, ""

    def tells(self, words: str) -> None:
        while words not in self._told:
            self._told += os.read(self._fd, 4096).decode(errors="replace")

    def types(self, line: str) -> None:
        os.write(self._fd, f"{line}\n".encode())

    def ends(self) -> str:
        """Wait for its end; return all it has printed."""
        with suppress(OSError):  # how a terminal says that the other end is gone
            while part := os.read(self._fd, 4096):
                self._told += part.decode(errors="replace")
        assert self._process.wait(PATIENCE) == 0
        return self._told

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._fd)
