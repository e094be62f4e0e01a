"""Real workers of a server that runs in the test itself."""

import asyncio
import os
import signal
import socket
import urllib.request
from asyncio import Future, Task
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from saleroom_server.serve import Serving
from saleroom_server.settings import Settings
from saleroom_server.store.sqlite_lock import DirectoryLock
from saleroom_server.workers.supervisor import serve_by_workers
from saleroom_server.workers.worker import NotStarted


async def started(
    settings: Settings, serve: Callable[..., Coroutine[Any, Any, None]] = serve_by_workers
) -> tuple[Serving, Task[None]]:
    listens: Future[Serving] = asyncio.get_running_loop().create_future()
    serving = asyncio.create_task(serve(settings, listens.set_result))
    both: list[Future[Any]] = [listens, serving]
    await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
    if serving.done():
        await serving
    return listens.result(), serving


def status(url: str) -> int:
    with urllib.request.urlopen(url, timeout=10) as answer:
        found: int = answer.status
    return found


async def test_it_serves_until_it_is_told_to_end_and_leaves_nothing(tmp_path: Path) -> None:
    settings = replace(Settings(), port=0, data=str(tmp_path), workers=1)
    told, serving = await started(settings)
    assert told.workers == 1
    assert await asyncio.to_thread(status, told.url + "/readyz") == 200
    os.kill(os.getpid(), signal.SIGTERM)
    await serving
    DirectoryLock(tmp_path).release()


async def test_told_to_end_before_it_serves_it_does_not_begin(tmp_path: Path) -> None:
    settings = replace(Settings(), port=0, data=str(tmp_path), workers=1)
    serving = asyncio.create_task(serve_by_workers(settings, lambda _: None))
    await asyncio.sleep(0)
    os.kill(os.getpid(), signal.SIGTERM)
    await serving
    DirectoryLock(tmp_path).release()


async def test_what_a_worker_cannot_have_is_said_in_its_words_and_leaves_nothing(
    tmp_path: Path,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        settings = replace(Settings(), port=0, data=str(tmp_path), workers=1, metrics_port=port)
        with pytest.raises(NotStarted, match=f"port {port}, for metrics: Address already in use"):
            await started(settings)
    DirectoryLock(tmp_path).release()


async def test_where_it_cannot_listen_no_store_is_made(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        settings = replace(Settings(), port=port, data=str(tmp_path / "data"), workers=1)
        with pytest.raises(OSError, match=f"cannot listen on 127.0.0.1, port {port}"):
            await started(settings)
    assert not (tmp_path / "data").exists()
