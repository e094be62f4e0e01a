"""`saleroom bot`: a strategy plays a seat, as anybody's program could."""

from typing import Annotated

import typer

from saleroom_bots.registry import UnknownStrategy, strategy_for
from saleroom_cli.console import Language, err, spoken, tell
from saleroom_cli.online import Making, Seated, Visit, run, sit_down, teller_for
from saleroom_cli.options import (
    HERE,
    Game,
    Invite,
    Level,
    Named,
    Seats,
    ToJoin,
    Token,
    Tongue,
    Url,
)
from saleroom_cli.problems import give_up
from saleroom_cli.scene import ending
from saleroom_cli.wording import words
from saleroom_client import Strategy, play

Strength = Annotated[Level, typer.Option("--level", help="easy plays at random, steady thinks.")]
House = Annotated[
    Level | None,
    typer.Option(
        "--house", help="Fill the new room with bots of the house; else it waits for others."
    ),
]


def bot_command(
    room: ToJoin = None,
    url: Url = HERE,
    level: Strength = "steady",
    name: Named = "Bot",
    game: Game = "kunstmarkt",
    seats: Seats = 4,
    house: House = None,
    invite: Invite = None,
    token: Token = None,
    language: Tongue = None,
) -> None:
    """Let a bot play a seat to the end of the game.

    It sees what a player in its seat sees, and comes back by itself when the connection breaks.
    """
    language = language or spoken()
    making = Making(game=game, seats=seats, house=house)
    visit = Visit(
        url=url,
        room=room,
        name=name,
        kind="bot",
        token=token,
        invite=invite,
        making=making,
        language=language,
    )
    run(_play(visit, level), language)


async def _play(visit: Visit, level: Level) -> None:
    seated = await sit_down(visit)
    if visit.room is None and visit.making.house is None:
        err.print(words(visit.language)["play"]["alone"], soft_wrap=True)
    await _game(seated, level, visit.language)


async def _game(seated: Seated, level: Level, language: Language) -> None:
    async with seated.connected(language) as line:
        room = await line.join(seated.room)
        await play(room, _strategy(room.document["game"], level, language))
        teller = await teller_for(seated.lobby, room.document, language)
        for told in ending(teller, room.document):
            tell(told)


def _strategy(game: str, level: Level, language: Language) -> Strategy:
    try:
        return strategy_for(game, level)
    except UnknownStrategy:
        give_up(language, "no_level", 2, game=game, level=level)
