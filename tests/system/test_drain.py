"""Of two real nodes one is drained by command: it ends as by SIGTERM, and the game goes on."""

import asyncio
from pathlib import Path

from saleroom_client import connect
from tests.clients.test_record_command import run
from tests.support.redis_servers import RedisServer
from tests.support.servers import ServerProcess
from tests.system.table import player, three_seated, until, window_of
from tests.system.test_everybody_leaves import ending, opened
from tests.system.test_redis import QUICK


async def test_a_drained_node_ends_and_its_rooms_go_on_at_the_other(tmp_path: Path) -> None:
    with RedisServer(tmp_path / "redis") as redis:
        env = {**QUICK, "SALEROOM_STORE": redis.url}
        with (
            ServerProcess(tmp_path / "1" / "data", env={**env, "SALEROOM_NODE": "one"}) as one,
            ServerProcess(tmp_path / "2" / "data", env={**env, "SALEROOM_NODE": "two"}) as two,
        ):
            lobbies, room_id = await three_seated(one.url)
            leaving = await opened(one.url, None, room_id, 1)
            async with asyncio.TaskGroup() as tasks, connect(two.url, checks=True) as line:
                room = await line.join(room_id, "spectator")
                playing = [
                    tasks.create_task(player(two.url, lobby, room_id, asyncio.Event()))
                    for lobby in lobbies
                ]
                await until(room, 3)
                before = window_of(room.document)
                told = await asyncio.to_thread(
                    run, "admin", "drain", "one", SALEROOM_STORE=redis.url
                )
                assert told.exit_code == 0, told.output
                assert told.stdout.endswith(" has ended; rooms it had: 1\n")
                code, closing = await ending(leaving)
                assert (code, closing["type"], closing["reason"]) == (1012, "closing", "restart")
                assert await asyncio.to_thread(one.ended) == 0
                await until(room, before + 3)
                for task in playing:
                    task.cancel()
            for node in (one, two):
                assert "[error" not in node.log()
            assert "node_drained" in one.log()
