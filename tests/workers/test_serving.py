"""What a worker does beside serving who comes to its own socket."""

import asyncio
import os
import signal
import socket
from asyncio import Future
from pathlib import Path

import pytest
from msgspec.structs import replace

from saleroom_server.door import DoorLimits
from saleroom_server.listening import listen_together
from saleroom_server.serve import Serving, serve
from saleroom_server.settings import Settings
from tests.test_listening import waiting_at
from tests.workers.test_supervisor import status

BACKLOG = Settings().door.backlog


async def test_what_waits_at_anothers_socket_is_taken_and_what_comes_at_the_end_waits(
    tmp_path: Path,
) -> None:
    with listen_together("127.0.0.1", 0, 2, backlog=BACKLOG) as kept:
        listening = [socket.socket(fileno=os.dup(each.fileno())) for each in kept]
        listens: Future[Serving] = asyncio.get_running_loop().create_future()
        settings = replace(Settings(), data=str(tmp_path))
        serving = asyncio.create_task(serve(settings, listens.set_result, listening))
        url = (await listens).url + "/healthz"
        assert [await asyncio.to_thread(status, url) for _ in range(8)] == [200] * 8
        os.kill(os.getpid(), signal.SIGTERM)
        await serving
        with socket.create_connection(kept[0].getsockname(), timeout=5) as waiting:
            assert waiting.getpeername(), "it is not refused: the next one will take it"


async def test_at_its_own_socket_wait_as_many_as_are_set(tmp_path: Path) -> None:
    with listen_together("127.0.0.1", 0, 1, backlog=BACKLOG) as (kept,):
        own = socket.socket(fileno=os.dup(kept.fileno()))
        listens: Future[Serving] = asyncio.get_running_loop().create_future()
        settings = replace(Settings(), data=str(tmp_path), door=DoorLimits(backlog=3))
        serving = asyncio.create_task(serve(settings, listens.set_result, [own]))
        await listens
        os.kill(os.getpid(), signal.SIGTERM)
        await serving
        assert waiting_at(kept) in (3, 4)


async def test_a_worker_names_no_setting_as_changed_that_is_given_to_it_in_any_case(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    listens: Future[Serving] = asyncio.get_running_loop().create_future()
    settings = replace(
        Settings(), data=str(tmp_path), node="inn-8000-1", origins="https://a.example"
    )
    with listen_together("127.0.0.1", 0, 1, backlog=BACKLOG) as (kept,):
        own = socket.socket(fileno=os.dup(kept.fileno()))
        serving = asyncio.create_task(serve(settings, listens.set_result, [own]))
        await listens
        os.kill(os.getpid(), signal.SIGTERM)
        await serving
    (started,) = (each for each in caplog.records if each.message == "server_started")
    assert started.__dict__["changed"] == ["SALEROOM_DATA", "SALEROOM_ORIGINS"]


async def test_told_to_reload_a_server_without_workers_notes_it_and_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.isatty", lambda _: False)
    listens: Future[Serving] = asyncio.get_running_loop().create_future()
    settings = replace(Settings(), data=str(tmp_path), port=0)
    serving = asyncio.create_task(serve(settings, listens.set_result))
    url = (await listens).url + "/healthz"
    os.kill(os.getpid(), signal.SIGHUP)
    assert await asyncio.to_thread(status, url) == 200
    assert [each.message for each in caplog.records] == ["no_workers_to_roll"]
    os.kill(os.getpid(), signal.SIGTERM)
    await serving
