"""Several workers of one server: any of them ends, all of them do, and no game loses a move."""

import asyncio
import os
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path

from saleroom_client import Room, connect
from tests.soak.crash import IMPATIENT
from tests.support.servers import (
    WORKER,
    ServerProcess,
    children,
    comes_to_an_end,
    free_port,
    quiet_environment,
)
from tests.system.table import playing, until, window_of

THINK = 0.3  # seconds: the game is to last until all has been done to the server
TWO = {
    "SALEROOM_WORKERS": "2",
    "SALEROOM_ROOM_START_DELAY_MS": "0",
    "SALEROOM_REDIS_SETTLING_MS": "0",
    "SALEROOM_REDIS_LEASE_MS": "400",
    "SALEROOM_REDIS_RENEW_MS": "100",
    "SALEROOM_SOCKET_CLOSING_SPREAD_MS": "100",
}


async def comes_true(claim: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not claim():  # noqa: ASYNC110, for nothing will say so
            await asyncio.sleep(0.02)


async def test_a_game_goes_on_when_a_worker_stands_still_or_is_killed_and_when_all_are_replaced(
    tmp_path: Path,
) -> None:
    port = free_port()
    env = {**TWO, "SALEROOM_METRICS_PORT": str(port)}
    with ServerProcess(tmp_path / "data", env=env) as server:
        first, second = server.workers
        assert f"Saleroom serves at {server.url} with 2 workers" in server.log()
        async with playing(server.url, think=THINK) as room, AsyncExitStack() as more:
            await spread(server, room, [port, port + 1], more)
            await asyncio.to_thread(all_are_answered, server.url, while_frozen=second)
            os.kill(first, signal.SIGKILL)
            await comes_true(lambda: server.log().count("worker_started") == 3)
            await until(room, window_of(room.document) + 2)
            server.tell(signal.SIGHUP)
            await comes_true(lambda: "workers_rolled" in server.log())
            assert {first, second}.isdisjoint(server.workers)
            await until(room, window_of(room.document) + 2)
        log = server.log()
        workers = server.workers
        assert len(workers) == 2
        assert await asyncio.to_thread(server.stop) == 0
        assert all(map(comes_to_an_end, workers))
    assert log.count("[error") == log.count("worker_ended") == 1
    assert re.search(r"worker_ended .*code=-9 .*worker=1\n", log)


async def test_if_the_one_that_keeps_them_is_killed_nothing_is_left_and_nothing_is_lost(
    tmp_path: Path,
) -> None:
    with ServerProcess(tmp_path / "data", env={**TWO, "SALEROOM_WORKERS": "1"}) as server:
        async with playing(server.url, think=THINK) as room:
            left = children(server.pid)
            assert len(left) == 2, "a worker and a Valkey"
            await asyncio.to_thread(server.kill)
            assert all(map(comes_to_an_end, left))
            await asyncio.to_thread(server.start)
            await until(room, window_of(room.document) + 2)
        assert "[error" not in server.log()


def test_a_worker_says_in_a_line_which_setting_cannot_be_and_ends_with_2() -> None:
    told = subprocess.run(
        [sys.executable, "-m", WORKER, "1"],
        env=quiet_environment({"SALEROOM_PRT": "1"}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (told.returncode, told.stdout) == (2, "SALEROOM_PRT is no setting\n")


async def spread(server: ServerProcess, room: Room, ports: list[int], more: AsyncExitStack) -> None:
    """Look on from more sockets, until each worker has one; its metrics say so."""
    while "saleroom_sockets 0.0" in [await asyncio.to_thread(sockets, port) for port in ports]:
        line = await more.enter_async_context(connect(server.url, checks=True, outside=IMPATIENT))
        await line.join(room.room, "spectator")


def all_are_answered(url: str, while_frozen: int) -> None:
    """Try ten times to reach a server of whose two workers one does nothing."""
    os.kill(while_frozen, signal.SIGSTOP)
    try:
        for _ in range(10):
            with urllib.request.urlopen(url + "/healthz", timeout=5) as answer:
                assert answer.status == 200
    finally:
        os.kill(while_frozen, signal.SIGCONT)


def sockets(port: int) -> str:
    """Return how many sockets are open, as the metrics at a port have it."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
        lines: list[str] = answer.read().decode().splitlines()
    return next(line for line in lines if line.startswith("saleroom_sockets "))
