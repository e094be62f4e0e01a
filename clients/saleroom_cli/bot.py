"""`saleroom bot`: a strategy plays a seat, as anybody's program could."""

from typing import Annotated

import typer

from saleroom_bots.registry import UnknownStrategy, strategy_for
from saleroom_cli.console import Language, fail, out, shown, spoken
from saleroom_cli.online import (
    HERE,
    Game,
    Invite,
    Making,
    Named,
    Seats,
    ToJoin,
    Token,
    Tongue,
    Url,
    guest,
    run,
    seated,
    teller_for,
)
from saleroom_cli.watch import places
from saleroom_client import play

Strength = Annotated[str, typer.Option("--level", help="easy plays at random, steady thinks.")]
House = Annotated[
    str | None,
    typer.Option("--house", metavar="LEVEL", help="Fill the new room with house bots."),
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
    making, chosen = Making(game, seats, house), language or spoken()
    run(_play(room, url, level, name, making, invite, token, chosen), chosen)


async def _play(
    wanted: str | None,
    url: str,
    level: str,
    name: str,
    making: Making,
    invite: str | None,
    token: str | None,
    language: Language,
) -> None:
    player = await guest(url, token, name, "bot")
    room = await seated(player, wanted, invite, making)
    async with player.connected(url) as line:
        followed = await line.join(room)
        try:
            strategy = strategy_for(followed.document["game"], level)
        except UnknownStrategy as unknown:
            fail(shown(str(unknown)), 2)
        await play(followed, strategy)
        teller = await teller_for(player.lobby, followed.document, language)
        for told in places(followed, teller):
            out.print(told, soft_wrap=True)
