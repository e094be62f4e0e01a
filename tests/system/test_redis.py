"""A real server on a real Redis: either is killed in mid-game, and the game goes on."""

import asyncio
import subprocess
import sys
from pathlib import Path

from tests.support.redis_servers import RedisServer
from tests.support.servers import ServerProcess, quiet_environment
from tests.system.table import playing, until

QUICK = {"SALEROOM_ROOM_START_DELAY_MS": "0", "SALEROOM_REDIS_SETTLING_MS": "0"}


async def test_a_game_goes_on_when_its_server_and_its_redis_are_killed(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with (
        RedisServer(tmp_path / "redis") as redis,
        ServerProcess(data, env={**QUICK, "SALEROOM_STORE": redis.url}) as server,
    ):
        async with playing(server.url) as room:
            await until(room, 5)
            await asyncio.to_thread(server.kill)
            await asyncio.to_thread(server.start)
            await until(room, 10)
            await asyncio.to_thread(redis.kill)
            await asyncio.to_thread(redis.start)
            await until(room, 15)
        assert "[error" not in server.log()
    assert not data.exists()


def test_a_second_server_of_a_name_says_who_has_it(tmp_path: Path) -> None:
    with RedisServer(tmp_path / "redis") as redis:
        own = {**QUICK, "SALEROOM_STORE": redis.url, "SALEROOM_NODE": "one"}
        with ServerProcess(tmp_path / "data", env=own) as server:
            refused = subprocess.run(
                [sys.executable, "-m", "saleroom_cli", "serve", "--port", "0"],
                env=quiet_environment(own),
                capture_output=True,
                text=True,
                timeout=60,
            )
            assert (refused.returncode, refused.stdout) == (1, "")
            assert "is in use by node one" in refused.stderr
            assert f" at {server.url}: stop it" in refused.stderr
            assert server.stop() == 0
            assert "[error" not in server.log()
        assert redis.ask("KEYS n:*") == "*0", "it has left"
