"""What a worker does beside serving who comes to its own socket."""

import asyncio
import os
import signal
import socket
import time
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from saleroom_server.door import DoorLimits
from saleroom_server.listening import listen_together
from saleroom_server.serve import Serving, _Server, serve
from saleroom_server.settings import Settings
from saleroom_server.workers.limits import WorkerLimits
from tests.test_listening import waiting_at
from tests.workers.test_supervisor import started, status

BACKLOG = Settings().door.backlog


@asynccontextmanager
async def serving(settings: Settings, *sockets: socket.socket) -> AsyncIterator[Serving]:
    """Serve until the end, then be told to end; the sockets are closed."""
    told, task = await started(settings, partial(serve, listening=sockets))
    yield told
    os.kill(os.getpid(), signal.SIGTERM)
    await task


def copy_of(kept: socket.socket) -> socket.socket:
    """Return another file for the same socket: it outlives the server that closes this one."""
    return socket.socket(fileno=os.dup(kept.fileno()))


async def test_what_waits_at_anothers_socket_is_taken_and_what_comes_at_the_end_waits(
    tmp_path: Path,
) -> None:
    with listen_together("127.0.0.1", 0, 2, backlog=BACKLOG) as kept:
        settings = replace(Settings(), data=str(tmp_path))
        async with serving(settings, *map(copy_of, kept)) as told:
            url = told.url + "/healthz"
            assert [await asyncio.to_thread(status, url) for _ in range(8)] == [200] * 8
        with socket.create_connection(kept[0].getsockname(), timeout=5) as waiting:
            assert waiting.getpeername(), "it is not refused: the next one will take it"


async def test_after_a_fault_what_waits_at_anothers_socket_is_taken_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    faults, protocol = [KeyError("p07")], _Server._protocol

    def breaks_once(server: _Server) -> asyncio.Protocol:
        if faults:
            raise faults.pop()
        return protocol(server)

    monkeypatch.setattr(_Server, "_protocol", breaks_once)
    with listen_together("127.0.0.1", 0, 2, backlog=BACKLOG) as kept:
        settings = replace(Settings(), data=str(tmp_path))
        async with serving(settings, *map(copy_of, kept)) as told:
            url = told.url + "/healthz"
            while faults:  # which socket a connection comes to is for the system to say
                with suppress(OSError):
                    await asyncio.to_thread(status, url)
            assert [await asyncio.to_thread(status, url) for _ in range(16)] == [200] * 16
    assert "help_fault" in caplog.messages


class Watched(socket.socket):
    """A socket that notes when a connection was taken from it."""

    taken: list[float]

    def accept(self) -> tuple[socket.socket, Any]:
        connection = super().accept()
        self.taken.append(time.monotonic())
        return connection


async def test_of_what_waits_at_anothers_socket_so_many_are_taken_at_a_look(tmp_path: Path) -> None:
    with (
        listen_together("127.0.0.1", 0, 1, backlog=BACKLOG) as (kept,),
        listen_together("127.0.0.1", 0, 1, backlog=BACKLOG) as (busy,),
        ExitStack() as clients,
    ):
        address = busy.getsockname()
        waiting = [clients.enter_context(socket.create_connection(address, 5)) for _ in range(4)]
        other = Watched(fileno=os.dup(busy.fileno()))
        other.taken = []
        limits = WorkerLimits(help_ms=200, helped_at_once=2)
        settings = replace(Settings(), data=str(tmp_path), worker=limits)
        async with serving(settings, copy_of(kept), other):
            for client in waiting:
                client.sendall(b"GET /healthz HTTP/1.1\r\nHost: inn\r\n\r\n")
                assert (await asyncio.to_thread(client.recv, 4096)).startswith(b"HTTP/1.1 200")
        assert len(other.taken) == 4
        assert other.taken[2] - other.taken[1] > 0.19, "the others wait for the next look"


async def test_at_its_own_socket_wait_as_many_as_are_set(tmp_path: Path) -> None:
    with listen_together("127.0.0.1", 0, 1, backlog=BACKLOG) as (kept,):
        settings = replace(Settings(), data=str(tmp_path), door=DoorLimits(backlog=3))
        async with serving(settings, copy_of(kept)):
            pass
        assert waiting_at(kept) in (3, 4)


async def test_a_worker_names_no_setting_as_changed_that_is_given_to_it_in_any_case(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    settings = replace(
        Settings(), data=str(tmp_path), node="inn-8000-1", origins="https://a.example"
    )
    with listen_together("127.0.0.1", 0, 1, backlog=BACKLOG) as (kept,):
        async with serving(settings, copy_of(kept)):
            pass
    (started,) = (each for each in caplog.records if each.message == "server_started")
    assert started.__dict__["changed"] == ["SALEROOM_DATA", "SALEROOM_ORIGINS"]


async def test_told_to_reload_a_server_without_workers_notes_it_and_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.isatty", lambda _: False)
    async with serving(replace(Settings(), data=str(tmp_path), port=0)) as told:
        os.kill(os.getpid(), signal.SIGHUP)
        assert await asyncio.to_thread(status, told.url + "/healthz") == 200
        assert [each.message for each in caplog.records] == ["no_workers_to_roll"]
