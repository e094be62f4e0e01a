"""`saleroom play`: a seat played at a plain prompt, from what is listed as legal."""

import asyncio
from typing import Annotated, TextIO

import typer
from rich.text import Text

from saleroom_cli.console import Language, err, spoken, tell
from saleroom_cli.keyboard import Keyboard, standard_input
from saleroom_cli.online import (
    Ears,
    Making,
    Seated,
    Visit,
    again,
    options_of,
    run,
    sit_down,
    teller_for,
)
from saleroom_cli.options import (
    HERE,
    Game,
    Invite,
    Level,
    Named,
    Pace,
    Seats,
    ToJoin,
    Token,
    Tongue,
    Url,
)
from saleroom_cli.player import Player
from saleroom_cli.problems import give_up
from saleroom_cli.scene import ending
from saleroom_cli.wording import words
from saleroom_client import ConnectionLost

House = Annotated[Level, typer.Option("--level", help="Strength of the bots in a new room.")]
Bots = Annotated[
    int | None,
    typer.Option(
        "--bots",
        min=0,
        max=9,
        help="House bots in a new room, 0 for none; seats beyond them wait for others.",
        show_default="all other seats",
    ),
]
Private = Annotated[
    bool, typer.Option("--private", help="Keep a new room for those who get its secrets.")
]
Slowness = Annotated[
    Pace | None,
    typer.Option("--pace", help="How long decisions may take in a new room; else as served."),
]
Options = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        metavar="NAME=VALUE",
        help="An option of the game of a new room, as general_trend=false; may be repeated.",
    ),
]


def play_command(
    room: ToJoin = None,
    url: Url = HERE,
    name: Named = "Guest",
    game: Game = "kunstmarkt",
    seats: Seats = 4,
    level: House = "steady",
    bots: Bots = None,
    private: Private = False,
    pace: Slowness = None,
    option: Options = None,
    invite: Invite = None,
    token: Token = None,
    language: Tongue = None,
) -> None:
    """Play a seat: in a room, or in a new one against house bots and whoever else sits down.

    Whatever you may do is listed with a number; type it. Enter alone shows the whole table, b goes
    back to the first question, /rules explains the game, /say TEXT talks to the table, q leaves.
    The seat is kept, and the line printed then brings you back to it.

    Numbers that do not come from a terminal wait until you are asked.
    """
    language = language or spoken()
    making = Making(
        game=game,
        seats=seats,
        house=level,
        bots=bots,
        private=private,
        pace=pace,
        options=options_of(option or (), language),
    )
    visit = Visit(
        url=url,
        room=room,
        name=name,
        kind="person",
        token=token,
        invite=invite,
        making=making,
        language=language,
    )
    typing = standard_input()
    if typing is None:
        give_up(language, "no_input")
    run(_play(visit, typing), language)


async def _play(visit: Visit, typing: TextIO) -> None:
    seated = await sit_down(visit)
    try:
        left = await _game(seated, visit.language, typing)
    except (asyncio.CancelledError, ConnectionLost):
        _say_how_to_come_back(seated, visit)
        raise
    if left:
        _say_how_to_come_back(seated, visit)


async def _game(seated: Seated, language: Language, typing: TextIO) -> bool:
    """Play until the end; return whether the player left before."""
    ears = Ears()
    async with seated.connected(language) as line:
        room = await line.join(seated.room, heard=ears.heard)
        teller = await teller_for(seated.lobby, room.document, language)
        tell(Text(f"{teller.title} · {room.room}", "bold"))
        tell(teller.legend())
        player = Player(room, teller, Keyboard(typing), line.server_time)
        ears.listen(player.hear)
        await player.play()
        for told in ending(teller, room.document):
            tell(told)
    return player.left


def _say_how_to_come_back(seated: Seated, visit: Visit) -> None:
    """Give a new guest the token, which nobody else has; to a person's eyes only, not to a log."""
    told = words(visit.language)["play"]
    err.print(told["kept"], soft_wrap=True)
    if visit.token is None and err.is_terminal:
        command = f"SALEROOM_TOKEN={seated.token} {again('play', seated.room, seated.url)}"
        err.print(Text(told["back"].format(command=command)), soft_wrap=True)
