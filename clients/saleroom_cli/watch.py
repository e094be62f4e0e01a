"""`saleroom watch`: a game told as it is played, line by line."""

from collections.abc import Callable
from datetime import UTC, datetime

from rich.text import Text

from saleroom_cli import scene
from saleroom_cli.console import Language, spoken, tell
from saleroom_cli.online import (
    CLIENT,
    Ears,
    check_room,
    check_secrets,
    lobby_at,
    losses_told,
    run,
    teller_for,
)
from saleroom_cli.options import HERE, RoomId, Tongue, Url, Watch
from saleroom_cli.table import table_lines
from saleroom_cli.telling import Teller
from saleroom_client import Room, Update, connect
from saleroom_protocol.messages import Said


def watch_command(
    room: RoomId, url: Url = HERE, watch: Watch = None, language: Tongue = None
) -> None:
    """Follow a room as a spectator: what happens, told line by line until the end."""
    language = language or spoken()
    run(_watch(room, url, watch, language), language)


async def _watch(name: str, url: str, watch: str | None, language: Language) -> None:
    check_room(name, language)
    check_secrets(language, watch)
    lobby, ears = lobby_at(url, language), Ears()
    await lobby.room(name, watch=watch)  # whatever is wrong with it is known at once
    with losses_told(language):
        async with connect(url, client=CLIENT) as line:
            room = await line.join(name, "spectator", watch=watch, heard=ears.heard)
            teller = await teller_for(lobby, room.document, language)
            await Watcher(room, teller, line.server_time).watch(ears)


class Watcher:
    """Tells a followed room."""

    def __init__(self, room: Room, teller: Teller, clock: Callable[[], int]) -> None:
        self._room, self._teller, self._clock = room, teller, clock
        self._asked = ""

    async def watch(self, ears: Ears) -> None:
        """Tell it until it has ended, and what is said in it."""
        tell(Text(f"{self._teller.title} · {self._room.room}", "bold"))
        tell(self._teller.legend())
        ears.listen(self._hear)
        async for update in self._room:
            self._tell(update)
        for line in scene.ending(self._teller, self._room.document):
            tell(line)

    def _hear(self, said: Said) -> None:
        """Tell what was said."""
        tell(Text.assemble(_time(said.at), scene.said(self._teller, self._room.document, said)))

    def _tell(self, update: Update) -> None:
        self._teller.meet(update.document)
        for event in update.events:
            tell(Text.assemble(_time(update.at), self._teller.event(event)))
        if update.whole:
            self._show(update)
        now = self._teller.window(update.document)
        if now and now != self._asked:
            tell(Text.assemble(_time(update.at), ("… ", "dim"), (now, "dim")))
        self._asked = now

    def _show(self, update: Update) -> None:
        """Show how things stand: what led to it was not told."""
        document = update.document
        if document["status"] == "waiting":
            tell(Text(scene.standing(self._teller, document, self._clock()), "dim"))
        for line in (*scene.seats(self._teller, document), *table_lines(self._teller, document)):
            tell(line)


def _time(at: int) -> tuple[str, str]:
    clock = datetime.fromtimestamp(at / 1000, UTC).astimezone()
    return f"{clock:%H:%M:%S}  ", "dim"
