"""How a worker is started: with what settings, and what of them others can see."""

import os
import signal
import socket

import pytest
from msgspec.structs import replace

from saleroom_server.settings import Settings, read
from saleroom_server.workers import process
from saleroom_server.workers.process import beginning

GIVEN = replace(
    Settings(), store="redis://:hush@h/1", node="east", metrics_port=9100, workers=3, port=8000
)


async def started(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> tuple[list[str], Settings]:
    """Return the command of the second worker, and the settings it reads."""
    seen: dict[str, object] = {}

    async def spawn(*command: str, **given: object) -> object:
        seen.update(given, command=list(command))
        return object()

    monkeypatch.setattr(process, "create_subprocess_exec", spawn)
    with socket.socket() as own, socket.socket() as other:
        own.bind(("127.0.0.1", 0))
        await beginning(settings, 2, [own, other])()
        assert seen["pass_fds"] == [own.fileno(), other.fileno()]
    command, variables = seen["command"], seen["env"]
    assert isinstance(command, list)
    assert isinstance(variables, dict)
    return command, read(variables, {})


async def test_a_worker_is_a_node_with_a_name_and_a_port_for_metrics_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SALEROOM_WORKERS", "7")  # what was given by a flag comes before it
    _, settings = await started(monkeypatch, GIVEN)
    assert settings == replace(GIVEN, workers=0, node="east-2", metrics_port=9101)


async def test_without_a_name_it_has_the_machines_and_without_metrics_no_port(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _, settings = await started(monkeypatch, replace(GIVEN, node="", metrics_port=0))
    assert settings.node.startswith(f"{socket.gethostname()}-")
    assert settings.node.endswith("-2")
    assert settings.metrics_port == 0


async def test_no_setting_is_in_the_command_line_where_others_could_read_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    command, _ = await started(monkeypatch, GIVEN)
    assert not any("hush" in word or "redis" in word for word in command)
    assert str(os.getpid()) in command, "whose end is its own"


def test_who_has_ended_is_told_nothing() -> None:
    class Gone:
        def send_signal(self, number: int) -> None:
            raise ProcessLookupError

    process.WorkerProcess(Gone()).tell(signal.SIGTERM)  # type: ignore[arg-type]
