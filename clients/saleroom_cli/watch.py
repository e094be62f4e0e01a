"""`saleroom watch`: a game told as it is played, line by line."""

from collections.abc import Iterator
from datetime import UTC, datetime

from rich.text import Text

from saleroom_cli.console import Language, out, spoken
from saleroom_cli.online import CLIENT, HERE, RoomId, Tongue, Url, Watch, run, teller_for
from saleroom_cli.telling import Teller
from saleroom_client import Lobby, Room, Update, connect
from saleroom_protocol.games.record import OutcomeLine


def watch_command(
    room: RoomId, url: Url = HERE, watch: Watch = None, language: Tongue = None
) -> None:
    """Follow a room as a spectator: what happens, told line by line until the end."""
    run(_watch(room, url, watch, language or spoken()), language)


async def _watch(name: str, url: str, watch: str | None, language: Language) -> None:
    async with connect(url, client=CLIENT) as line:
        room = await line.join(name, "spectator", watch=watch)
        await tell(room, await teller_for(Lobby(url), room.document, language))


async def tell(room: Room, teller: Teller) -> None:
    """Tell a followed room until it has ended."""
    out.print(Text(f"{teller.title} · {room.room}", "bold"))
    out.print(teller.legend())
    asked = ""
    async for update in room:
        for line in _told(update, teller):
            out.print(line, soft_wrap=True)
        now = teller.window(update.document)
        if now and now != asked:
            out.print(Text.assemble(_time(update.at), ("… ", "dim"), (now, "dim")), soft_wrap=True)
        asked = now
    for line in places(room, teller):
        out.print(line, soft_wrap=True)


def places(room: Room, teller: Teller) -> Iterator[Text]:
    """Tell how a room has ended, with names."""
    result = room.document.get("result", {})
    outcome = OutcomeLine(
        reason=result.get("reason", ""),
        scores=result.get("scores", {}),
        places=result.get("places", {}),
    )
    names = {int(seat): sitter["name"] for seat, sitter in room.document["seats"].items()}
    yield from teller.places(outcome, names)


def _told(update: Update, teller: Teller) -> Iterator[Text]:
    for event in update.events:
        yield Text.assemble(_time(update.at), teller.event(event))


def _time(at: int) -> tuple[str, str]:
    clock = datetime.fromtimestamp(at / 1000, UTC).astimezone()
    return f"{clock:%H:%M:%S}  ", "dim"
