"""`saleroom demo`: a whole game on a server of its own, told live and checked afterwards."""

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer
from msgspec.structs import replace
from rich.text import Text

from saleroom_bots.registry import strategy_for
from saleroom_cli.console import Language, fail, out, shown, spoken
from saleroom_cli.online import Tongue, run, teller_for, without_server
from saleroom_cli.watch import tell
from saleroom_client import Lobby, connect, play
from saleroom_rules.record import RecordError
from saleroom_rules.replay import verify

LEVELS = ("steady", "easy", "steady", "easy")
NAMES = ("Ada", "Bo", "Cleo", "Dan")

Pause = Annotated[
    float, typer.Option("--pause", min=0, max=10, help="Seconds a bot waits before it answers.")
]
Record = Annotated[
    Path | None, typer.Option("--record", metavar="FILE", help="Keep the record there.")
]


def demo_command(pause: Pause = 0.1, record: Record = None, language: Tongue = None) -> None:
    """Play a whole game: a server in a temporary folder, four bots, told live, then verified.

    The record is checked as anybody could: the cards are dealt again from the revealed seed.
    """
    run(_demo(pause, record, language or spoken()), language)


async def _demo(pause: float, file: Path | None, language: Language) -> None:
    try:
        from saleroom_server.serve import serve
        from saleroom_server.settings import Settings
    except ModuleNotFoundError as missing:
        without_server(missing)
    with TemporaryDirectory(prefix="saleroom-demo-") as folder:
        settings = replace(Settings(), port=0, data=folder)
        listens: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(serve(settings, listens.set_result))
            serving = await listens
            try:
                data = await _game(serving.url, pause, language)
            finally:
                serving.stop()
    _check(data, file)


async def _game(url: str, pause: float, language: Language) -> bytes:
    """Play the game and return its record."""
    lobbies = [Lobby(url) for _ in LEVELS]
    for lobby, name in zip(lobbies, NAMES, strict=True):
        await lobby.register(name, "bot")
    made = await lobbies[0].create_room("kunstmarkt", len(LEVELS))
    for lobby in lobbies[1:]:
        await lobby.take_seat(made.room)
    async with connect(url) as line, asyncio.TaskGroup() as bots:
        room = await line.join(made.room, "spectator")
        for lobby, level in zip(lobbies, LEVELS, strict=True):
            bots.create_task(_bot(url, lobby, made.room, level, pause))
        await tell(room, await teller_for(lobbies[0], room.document, language))
    return await lobbies[0].record(made.room)


async def _bot(url: str, lobby: Lobby, room: str, level: str, pause: float) -> None:
    """Play one seat, taking the same time whatever the hand holds."""
    strategy = strategy_for("kunstmarkt", level)
    async with connect(url, lobby.token) as line:
        await play(await line.join(room), strategy, pause=pause)


def _check(data: bytes, file: Path | None) -> None:
    try:
        record = verify(data)
    except RecordError as error:
        fail(f"the record is wrong: {error}")
    out.print(Text.assemble(("verified", "bold green"), f" {len(record.lines)} entries, digest "))
    out.print(f"  {record.closing.digest}", soft_wrap=True)
    if file is not None:
        file.write_bytes(data)
        out.print(shown(str(file)), soft_wrap=True)
