"""What is done to the data of a real server: backed up in mid-game, put back, given a new key."""

import asyncio
from itertools import pairwise
from pathlib import Path

import pytest

from saleroom_client import Lobby, Refused, connect
from saleroom_rules.replay import verify
from saleroom_server.store.backup import back_up, forget_token_key, restore
from tests.soak.crash import IMPATIENT
from tests.store.test_sqlite_backup import silently
from tests.support.servers import ServerProcess
from tests.system.table import player, three_seated, until, watch


async def test_a_room_goes_on_from_the_backup_and_nobody_is_misled(tmp_path: Path) -> None:
    data, backup, elsewhere = (tmp_path / name for name in ("data", "backup", "new"))
    with ServerProcess(data, env={"SALEROOM_ROOM_START_DELAY_MS": "0"}) as lost:
        lobbies, room_id = await three_seated(lost.url)
        windows: list[int] = []
        gone = asyncio.Event()
        async with (
            asyncio.TaskGroup() as tasks,
            connect(lost.url, checks=True, attempts=1000, outside=IMPATIENT) as line,
        ):
            room = await line.join(room_id, "spectator")
            watching = tasks.create_task(watch(room, windows))
            for lobby in lobbies:
                tasks.create_task(player(lost.url, lobby, room_id, gone))
            await until(room, 10)
            await asyncio.to_thread(back_up, data, backup, silently)
            await until(room, 20)
            await asyncio.to_thread(lost.kill)
            gone.set()
            await asyncio.to_thread(restore, backup, elsewhere, silently)
            port = int(lost.url.rpartition(":")[2])
            with ServerProcess(elsewhere, port=port) as server:
                await watching
                assert "error" not in server.log().lower()
                verify(await lobbies[0].record(room_id))
    before, after = next(pair for pair in pairwise(windows) if pair[0] > pair[1])
    assert 10 <= after < before
    assert before >= 20


async def test_with_a_new_key_no_old_token_counts(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data") as server:
        lobby = Lobby(server.url)
        await lobby.register("Ada")
        assert await asyncio.to_thread(server.stop) == 0
        await asyncio.to_thread(forget_token_key, tmp_path / "data")
        await asyncio.to_thread(server.start)
        with pytest.raises(Refused, match="bad_token"):
            await lobby.create_room("kunstmarkt", 3)
        await lobby.register("Ada")
        await lobby.create_room("kunstmarkt", 3)
