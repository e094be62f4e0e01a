"""A real server among clients that do nothing but hold on."""

import asyncio
from pathlib import Path

from saleroom_client import Lobby
from tests.support.servers import ServerProcess

ENV = {"SALEROOM_DOOR_CONNECTIONS_PER_ADDRESS": "200", "SALEROOM_DOOR_REQUEST_MS": "1500"}
CROWD = "127.0.0.2"  # all of them; on Linux this machine has it too


async def test_three_hundred_idle_connections_do_not_keep_a_player_from_getting_in(
    tmp_path: Path,
) -> None:
    with ServerProcess(tmp_path / "data", env=ENV) as server:
        port = int(server.url.rpartition(":")[2])
        crowd = [
            await asyncio.open_connection("127.0.0.1", port, local_addr=(CROWD, 0))
            for _ in range(300)
        ]
        for number, (_, writer) in enumerate(crowd):
            writer.write(b"GET /v1/rooms HTTP/1.1\r\nHost: x"[: number % 20])
        lobby = Lobby(server.url)
        await lobby.register("Ada")
        assert (await lobby.create_room("kunstmarkt", 3)).status == "waiting"
        async with asyncio.timeout(10):
            await asyncio.gather(*(reader.read() for reader, _ in crowd), return_exceptions=True)
        for _, writer in crowd:
            writer.close()
        assert server.stop() == 0
    assert "too_many_of_address=100" in server.log()
    assert "request_late" in server.log()
