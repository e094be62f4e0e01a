"""The programs shown in the documents play against a real server, as they stand there."""

import asyncio
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from saleroom_client import Lobby
from tests.golden.files import ROOT
from tests.support.servers import ServerProcess


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    env = {"SALEROOM_ROOM_HOUSE_BOT_MS": "1", "SALEROOM_ROOM_HOUSE_BOT_SPREAD_MS": "1"}
    folder = tmp_path_factory.mktemp("server")
    with ServerProcess(folder / "data", env={**env, "SALEROOM_ROOM_START_DELAY_MS": "10"}) as one:
        yield one


def example(document: str, name: str, folder: Path) -> Path:
    """Write a program out of a document into a file."""
    text = (ROOT / document).read_text(encoding="utf-8")
    found = re.search(rf"<!-- example: {name} -->\n```python\n(.*?)```", text, re.DOTALL)
    assert found is not None
    program = folder / name
    program.write_text(found[1])
    return program


def output(program: Path, *words: str) -> str:
    ran = subprocess.run(
        [sys.executable, str(program), *words],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


async def test_the_bot_of_the_sdk_plays_a_whole_game(server: ServerProcess, tmp_path: Path) -> None:
    bot = example("clients/README.md", "bot.py", tmp_path)
    assert "'places'" in await asyncio.to_thread(output, bot, server.url)


async def test_two_bots_of_the_sdk_meet_in_a_room(server: ServerProcess, tmp_path: Path) -> None:
    bot = example("clients/README.md", "bot.py", tmp_path)
    lobby = Lobby(server.url)
    await lobby.register("Ada")
    made = await lobby.create_room("kunstmarkt", 3, take_seat=False, bots=["easy"])
    one, other = await asyncio.gather(
        *(asyncio.to_thread(output, bot, server.url, made.room) for _ in range(2))
    )
    assert one == other


async def test_the_client_in_thirty_lines_plays_a_whole_game(
    server: ServerProcess, tmp_path: Path
) -> None:
    client = example("protocol/PROTOCOL.md", "client.py", tmp_path)
    lobby = Lobby(server.url)
    token = (await lobby.register("Ada")).token
    made = await lobby.create_room("kunstmarkt", 3, bots=["steady", "easy"])
    play = f"{server.url.replace('http', 'ws')}/v1/play"
    assert "'places'" in await asyncio.to_thread(output, client, play, token, made.room)


def test_the_bot_of_the_readme_plays_a_whole_game(server: ServerProcess, tmp_path: Path) -> None:
    (text,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    program = tmp_path / "readme.py"
    program.write_text(text.replace("http://127.0.0.1:8000", server.url))
    assert "'places'" in output(program)
