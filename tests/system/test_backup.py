"""A server backed up in the middle of a game, lost, and put back elsewhere."""

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

from saleroom_bots.registry import strategy_for
from saleroom_client import Lobby, Room, connect, play
from saleroom_rules.replay import verify
from tests.soak.crash import IMPATIENT
from tests.support.servers import ServerProcess, quiet_environment

THINK = 0.1  # seconds, until the server is lost


async def admin(*words: str | Path) -> None:
    """Run an operator's command to its end."""
    command = [sys.executable, "-m", "saleroom_cli", "admin", *map(str, words)]
    environment = quiet_environment({})
    process = await asyncio.create_subprocess_exec(
        *command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    _, complaints = await process.communicate()
    assert process.returncode == 0, complaints.decode()


async def test_a_room_goes_on_from_the_backup_and_nobody_is_misled(tmp_path: Path) -> None:
    data, backup, elsewhere = (tmp_path / name for name in ("data", "backup", "new"))
    lost = ServerProcess(data, env={"SALEROOM_ROOM_START_DELAY_MS": "0"})
    lost.start()
    lobbies = [Lobby(lost.url, attempts=200, outside=IMPATIENT) for _ in range(3)]
    for number, lobby in enumerate(lobbies):
        await lobby.register(f"Player {number}")
    made = await lobbies[0].create_room("kunstmarkt", 3)
    for lobby in lobbies[1:]:
        await lobby.take_seat(made.room)
    seen: list[dict[str, Any]] = []
    gone = asyncio.Event()
    async with (
        asyncio.TaskGroup() as tasks,
        connect(lost.url, checks=True, attempts=1000, outside=IMPATIENT) as line,
    ):
        room = await line.join(made.room, "spectator")
        watching = tasks.create_task(watch(room, seen))
        for lobby in lobbies:
            tasks.create_task(player(lost.url, lobby, made.room, gone))
        await until(room, 10)
        await admin("backup", backup, "--data", data)
        await until(room, 20)
        await asyncio.to_thread(lost.kill)
        gone.set()
        ahead = window_of(room.document)
        await admin("restore", backup, "--data", elsewhere)
        port = int(lost.url.rpartition(":")[2])
        with ServerProcess(elsewhere, port=port) as server:
            await watching
            assert server.log().count("\n") == 1, "nothing went wrong"
            record = await lobbies[0].record(made.room)
    windows = [window_of(document) for document in seen if "window" in document]
    back = next(n for n in range(1, len(windows)) if windows[n] < windows[n - 1])
    assert 10 <= windows[back] < windows[back - 1] == ahead
    verify(record)


async def watch(room: Room, seen: list[dict[str, Any]]) -> None:
    seq = 0
    async for update in room:
        assert update.seq >= seq, "seq never falls"
        seq = update.seq
        seen.append(update.document)


async def player(url: str, lobby: Lobby, name: str, gone: asyncio.Event) -> None:
    """Play slowly, and from when the server is gone on as fast as can be, with the same socket."""
    async with connect(url, lobby.token, checks=True, attempts=1000, outside=IMPATIENT) as line:
        room, choose = await line.join(name), strategy_for("kunstmarkt", "easy")
        catalogue = await lobby.catalogue("kunstmarkt", 1)
        slow = asyncio.create_task(play(room, choose, catalogue=catalogue, pause=THINK))
        await gone.wait()
        slow.cancel()
        await asyncio.wait({slow})
        await play(room, choose, catalogue=catalogue)


async def until(room: Room, window: int) -> None:
    while window_of(room.document) < window:
        assert room.document["status"] != "finished", "too fast"
        await asyncio.sleep(0.01)


def window_of(document: dict[str, Any]) -> int:
    number: int = document.get("window", {}).get("number", 0)
    return number
