"""`saleroom serve`: its flags, what it says, and how it fails."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from saleroom_server import settings
from saleroom_server.app import opened
from saleroom_server.store.interface import Unavailable
from saleroom_server.workers.worker import NotStarted
from tests.clients.test_record_command import run
from tests.support.commands import QUICK


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The settings of servers that would have run; none does."""
    ran: list[Any] = []

    async def serve(chosen: Any, ready: Callable[[Any], None]) -> None:
        ran.append(chosen)
        await asyncio.sleep(0)
        address = f"[{chosen.host}]" if ":" in chosen.host else chosen.host
        ready(SimpleNamespace(url=f"http://{address}:{chosen.port}", workers=chosen.workers))

    monkeypatch.setattr("saleroom_server.serve.serve", serve)
    monkeypatch.setattr("saleroom_server.workers.supervisor.serve_by_workers", serve)
    return ran


def test_flags_come_before_variables_and_variables_before_defaults(served: list[Any]) -> None:
    told = run(
        "serve",
        "--port",
        "9001",
        "--pace",
        "quick",
        SALEROOM_PORT="9000",
        SALEROOM_DATA="elsewhere",
    )
    assert told.exit_code == 0, told.output
    assert told.stderr == "Saleroom serves at http://127.0.0.1:9001\n"
    (chosen,) = served
    assert (chosen.port, chosen.pace, chosen.data) == (9001, "quick", "elsewhere")
    assert chosen.log_level == "info"


def test_of_several_workers_one_line_says_where_they_are_and_how_many(served: list[Any]) -> None:
    told = run("serve", "--workers", "4")
    assert told.stderr == "Saleroom serves at http://127.0.0.1:8000 with 4 workers\n"
    assert served[0].workers == 4


@pytest.mark.parametrize("code", [1, 2])
def test_if_workers_cannot_be_started_their_reason_is_the_last_word(
    code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(*_: Any) -> None:
        raise NotStarted("the port is taken", code)

    monkeypatch.setattr("saleroom_server.workers.supervisor.serve_by_workers", fails)
    refused = run("serve", SALEROOM_WORKERS="2")
    assert (refused.exit_code, refused.stderr) == (code, "error: the port is taken\n")


@pytest.mark.parametrize(
    ("host", "warned"),
    [("127.0.0.1", False), ("::1", False), ("0.0.0.0", True), ("::", True), ("192.0.2.7", True)],
)
def test_who_serves_others_is_told_that_nothing_is_encrypted(
    host: str, warned: bool, served: list[Any]
) -> None:
    told = run("serve", "--host", host)
    assert served
    assert ("put a proxy with TLS before it" in told.stderr) == warned


def test_a_server_runs_where_there_is_no_uvloop(
    served: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "uvloop", None)
    assert run("serve").exit_code == 0
    assert served


@pytest.mark.parametrize(
    ("problem", "says"),
    [
        (OSError(98, "Address already in use"), "Address already in use"),
        (OSError(17, "File exists", "/etc/passwd"), "/etc/passwd: File exists"),
        (OSError("odd"), "odd"),
        (Unavailable("the disk is gone"), "the disk is gone"),
    ],
)
def test_what_keeps_a_server_from_running_is_said_in_one_line(
    problem: Exception, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(*_: Any) -> None:
        raise problem

    monkeypatch.setattr("saleroom_server.serve.serve", fails)
    refused = run("serve")
    assert (refused.exit_code, refused.stderr) == (1, f"error: {says}\n")


@pytest.mark.parametrize(
    ("words", "environment", "says"),
    [
        (("--port", "99999"), {}, "--port is between 0 and 65535, not 99999"),
        (("--metrics-port", "65536"), {}, "--metrics-port is between 0 and 65535, not 65536"),
        (("--log-format", "xml"), {}, "--log-format is one of console, json"),
        (("--log-level", "loud"), {}, "--log-level is one of debug, info, warning, error"),
        (("--pace", "slow"), {}, "--pace is one of relaxed, standard, quick, untimed"),
        (("--data", ""), {}, "--data is empty"),
        (("--workers", "257"), {}, "--workers is between 0 and 256, not 257"),
        ((), {"SALEROOM_PRT": "1"}, "SALEROOM_PRT is no setting"),
    ],
)
def test_settings_that_cannot_be_are_said_in_one_line(
    words: tuple[str, ...], environment: dict[str, str], says: str, served: list[Any]
) -> None:
    refused = run("serve", *words, stdin=b"", **environment)
    assert refused.exit_code == 2
    assert refused.stderr.startswith(f"error: {says}")
    assert refused.stderr.count("\n") == 1
    assert served == []


def test_every_setting_is_listed_with_meaning_variable_and_default(served: list[Any]) -> None:
    lines = run("serve", "--settings", COLUMNS="60").stdout.splitlines()
    for setting in settings.known():
        line = lines.index(f"{setting.variable}={setting.default}")
        assert lines[line - 1] == f"# {setting.meaning}"
    assert served == []


def test_what_the_tests_of_commands_set_are_settings() -> None:
    assert {setting.variable for setting in settings.known()} >= QUICK.keys()


def test_the_list_of_settings_can_be_read_back(served: list[Any]) -> None:
    lines = run("serve", "--settings").stdout.splitlines()
    variables = dict(line.split("=", 1) for line in lines if not line.startswith("#"))
    assert settings.read(variables, {}) == settings.read({}, {})


def test_without_the_servers_packages_it_is_said_how_to_get_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, "saleroom_server.serve", raising=False)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    refused = run("serve")
    assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1)
    assert "pip install 'saleroom[server]'" in refused.stderr


def test_a_part_of_saleroom_that_is_missing_is_a_fault_and_no_excuse(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "saleroom_server.serve", None)
    assert isinstance(run("serve").exception, ModuleNotFoundError)


def test_the_log_is_as_loud_as_it_is_wanted(
    served: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted: list[tuple[str, ...]] = []
    monkeypatch.setattr("saleroom_server.logs.configure", lambda *how: wanted.append(how))
    assert run("serve", "--log-level", "debug").exit_code == 0
    assert run("serve", "--log-format", "json").exit_code == 0
    assert wanted == [("debug", "console"), ("info", "json")]


def test_a_log_of_objects_has_no_sentence_in_it(served: list[Any]) -> None:
    assert run("serve", "--host", "0.0.0.0", "--log-format", "json").stderr == ""


def test_metrics_are_served_where_it_is_wanted_and_else_nowhere(served: list[Any]) -> None:
    run("serve")
    run("serve", "--metrics-port", "9100")
    assert [chosen.metrics_port for chosen in served] == [0, 9100]
    assert served[1].metrics_host == "127.0.0.1"


def test_the_data_directory_is_named_in_what_is_wrong_with_it(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("")
    refused = run("serve", "--port", "0", "--data", taken)
    assert (refused.exit_code, refused.stderr) == (1, f"error: {taken}: File exists\n")


def test_told_to_end_before_there_is_a_server_it_ends_well(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def told(*_: Any) -> None:
        signal.raise_signal(signal.SIGTERM)
        raise AssertionError("it went on")

    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr("saleroom_server.serve.serve", told)
    assert run("serve").exit_code == 0
    assert signal.getsignal(signal.SIGTERM) is before


def test_told_to_end_while_it_starts_it_ends_well_and_its_data_are_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slowly: list[Any] = []

    @asynccontextmanager
    async def opened_slowly(*given: Any) -> AsyncIterator[Any]:
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.sleep(0.05)
        async with opened(*given) as store:
            slowly.append(store)
            yield store

    monkeypatch.setattr("saleroom_server.serve.opened", opened_slowly)
    for _ in range(2):
        ended = run("serve", "--port", "0", "--data", tmp_path / "data")
        assert (ended.exit_code, ended.stderr.count("\n")) == (0, 1)
    assert len(slowly) == 2
