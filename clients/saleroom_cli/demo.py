"""`saleroom demo`: a whole game on a server of its own, told live and checked afterwards."""

import asyncio
from asyncio import Future, Task
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer
from msgspec.structs import replace
from rich.text import Text

from saleroom_bots.registry import strategy_for
from saleroom_cli.console import Language, err, fail, out, shown, spoken, tell
from saleroom_cli.online import Ears, over, run, teller_for, without_server
from saleroom_cli.options import Game, Tongue
from saleroom_cli.watch import Watcher
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


def demo_command(
    game: Game = "kunstmarkt",
    pause: Pause = 0.1,
    record: Record = None,
    language: Tongue = None,
) -> None:
    """Play a whole game: a server in a temporary folder, four bots, told live, then verified.

    The record is checked as anybody could: the cards are dealt again from the revealed seed.
    """
    language = language or spoken()
    try:
        if record is not None:
            record.touch()  # known now, not after the game
    except OSError as error:
        fail(f"{record}: {error.strerror}")
    run(_demo(game, pause, record, language), language)


async def _demo(key: str, pause: float, file: Path | None, language: Language) -> None:
    try:
        from saleroom_server.serve import serve
        from saleroom_server.settings import Settings
    except ModuleNotFoundError as missing:
        without_server(missing)
    with TemporaryDirectory(prefix="saleroom-demo-") as folder:
        listens: Future[Any] = asyncio.get_running_loop().create_future()
        settings = replace(Settings(), port=0, data=folder)
        server = asyncio.create_task(serve(settings, listens.set_result))
        game = asyncio.create_task(_game(listens, key, pause, language))
        data = await _played(server, game, listens)
    _check(data, file)


async def _played(server: "Task[None]", game: "Task[bytes]", listens: "Future[Any]") -> bytes:
    """Return the game's record; a server that ends first was told to, and the game ends too."""
    try:
        await asyncio.wait({server, game}, return_when=asyncio.FIRST_COMPLETED)
        if game.done():
            return game.result()
    finally:
        await over([game])
        if listens.done():
            listens.result().stop()
        else:
            server.cancel()
        await asyncio.wait({server})
    server.result()
    err.print()
    raise typer.Exit(130)


async def _game(listens: "Future[Any]", key: str, pause: float, language: Language) -> bytes:
    """Play a game and return its record."""
    url = (await listens).url
    lobbies = [Lobby(url) for _ in LEVELS]
    for lobby, name in zip(lobbies, NAMES, strict=True):
        await lobby.register(name, "bot")
    made = await lobbies[0].create_room(key, len(LEVELS))
    for lobby in lobbies[1:]:
        await lobby.take_seat(made.room)
    async with connect(url) as line:
        ears = Ears()
        room = await line.join(made.room, "spectator", heard=ears.heard)
        teller = await teller_for(lobbies[0], room.document, language)
        watching = Watcher(room, teller, line.server_time).watch(ears)
        seats = zip(lobbies, LEVELS, strict=True)
        playing = (_bot(url, key, seat, made.room, pause) for seat in seats)
        tasks = [asyncio.create_task(work) for work in (watching, *playing)]
        try:  # a bot that failed would be waited for without end
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
            for task in done:
                task.result()
        finally:
            await over(tasks)
    return await lobbies[0].record(made.room)


async def _bot(url: str, key: str, seat: tuple[Lobby, str], room: str, pause: float) -> None:
    """Play one seat, taking the same time whatever the hand holds."""
    lobby, level = seat
    async with connect(url, lobby.token) as line:
        await play(await line.join(room), strategy_for(key, level), pause=pause)


def _check(data: bytes, file: Path | None) -> None:
    try:
        record = verify(data)
    except RecordError as error:
        fail(f"the record is wrong: {error}")
    out.print(Text.assemble(("verified", "bold green"), f" {len(record.lines)} entries, digest "))
    tell(f"  {record.closing.digest}")
    if file is not None:
        file.write_bytes(data)
        tell(shown(str(file)))
