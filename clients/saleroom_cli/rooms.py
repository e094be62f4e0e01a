"""`saleroom rooms`: what is played or waits for players on a server."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer
from rich.text import Text

from saleroom_cli.console import Language, shown, spoken, tell
from saleroom_cli.online import lobby_at, run
from saleroom_cli.options import HERE, Tongue, Url
from saleroom_cli.wording import words
from saleroom_protocol.document import Status
from saleroom_protocol.http import RoomSummary

PAGE = 50  # rooms

OfGame = Annotated[str | None, typer.Option("--game", help="Only rooms of this game.")]
InStatus = Annotated[Status | None, typer.Option("--status", help="Only rooms in this status.")]
Most = Annotated[int, typer.Option("--most", min=1, help="Rooms to list, the newest first.")]


def rooms_command(
    url: Url = HERE,
    game: OfGame = None,
    status: InStatus = None,
    most: Most = 20,
    language: Tongue = None,
) -> None:
    """List the public rooms of a server, the newest first.

    `saleroom play ROOM` sits down where it is still waiting, `saleroom watch ROOM` looks on.
    """
    language = language or spoken()
    run(_list(url, game, status, most, language), language)


async def _list(
    url: str, game: str | None, status: Status | None, most: int, language: Language
) -> None:
    lobby, told = lobby_at(url, language), words(language)["rooms"]
    after, left = None, most
    while left:
        page = await lobby.rooms(game=game, status=status, limit=min(left, PAGE), after=after)
        for room in page.rooms:
            tell(_line(room, told))
        left -= len(page.rooms)
        after = page.next or None
        if after is None:
            break
    if left == most:
        tell(told["none"])


def _line(room: RoomSummary, told: Mapping[str, Any]) -> Text:
    """Say of a room what decides whether to go there."""
    seats = told["seats"].format(taken=len(room.seats), seats=room.seat_count)
    facts = (room.game, seats, told["status"][room.status], told["pace"][room.pace])
    names = ", ".join(sitter.name for _, sitter in sorted(room.seats.items()))
    sitters = [told["sitters"].format(names=names)] if names else []
    return Text("  ".join(map(shown, (room.room, *facts, *sitters))))
