"""The Redis servers of the tests keep what they acknowledge, stand still, and leave nothing."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import PIPE

import pytest

from tests.support.redis_servers import KINDS, PATIENCE, SWIFT, Kind, RedisServer, program
from tests.support.servers import comes_to_an_end, free_port

STARTS_ONE = """
import sys
from pathlib import Path
from tests.support.redis_servers import RedisServer
server = RedisServer(Path(sys.argv[1]))
server.start()
print(server.pid, flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_acknowledged_is_there_after_any_end(kind: Kind, tmp_path: Path) -> None:
    with RedisServer(tmp_path, kind) as server:
        for end in (server.kill, server.stop, server.restart):
            assert server.ask(f"RPUSH ends {end.__name__}").startswith(":")
            end()
            if not server.runs:
                server.start()
        assert server.ask("LLEN ends") == ":3"
    assert not server.runs


@pytest.mark.parametrize("kind", KINDS)
def test_a_frozen_one_answers_when_it_is_thawed(kind: Kind, tmp_path: Path) -> None:
    with RedisServer(tmp_path, kind, port=free_port()) as server:
        server.freeze()
        with pytest.raises(TimeoutError):
            server.ask("PING", 0.05)
        server.thaw()
        assert server.ask("PING") == "+PONG"
        server.freeze()
    assert not server.runs, "a frozen one can be ended too"


@pytest.mark.parametrize("kind", KINDS)
def test_a_replica_has_what_its_master_has_until_it_leads(tmp_path: Path, kind: Kind) -> None:
    port = free_port()
    with (
        RedisServer(tmp_path / "a", kind, port=port, more=SWIFT) as master,
        RedisServer(tmp_path / "b", kind, more=SWIFT) as replica,
    ):
        replica.follow(port)
        assert master.ask("SET key value") == "+OK"
        waits_until(lambda: replica.ask("EXISTS key") == ":1" and master.replicas == 1)
        replica.lead()
        assert master.ask("DEL key") == ":1"
        assert replica.ask("INCR other") == ":1"
        assert replica.ask("EXISTS key") == ":1"


def waits_until(true: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < until
        time.sleep(0.01)


def test_what_does_not_start_says_why(tmp_path: Path) -> None:
    mistaken = RedisServer(tmp_path, more={"no-such-word": "1"})
    with pytest.raises(AssertionError, match=r"(?s)no server.*no-such-word"), mistaken:
        pass


def test_a_program_that_is_missing_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(AssertionError, match="install redis-server"):
        program("redis")


def test_none_outlives_its_tests(tmp_path: Path) -> None:
    command = [sys.executable, "-c", STARTS_ONE, str(tmp_path)]
    here = {**os.environ, "TMPDIR": str(tmp_path)}  # where a killed process leaves its own
    with subprocess.Popen(command, stdin=PIPE, stdout=PIPE, text=True, env=here) as tests:
        assert tests.stdout is not None
        pid = int(tests.stdout.readline())
        os.kill(pid, 0)
        tests.kill()
    assert comes_to_an_end(pid)
