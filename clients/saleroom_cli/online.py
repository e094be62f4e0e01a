"""What the commands that talk to a server share: where it is, who one is, how errors are told."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Annotated, Any, NoReturn, cast

import typer
from msgspec import Struct

from saleroom_cli.console import Language, err, fail, shown, spoken
from saleroom_cli.telling import Teller, words
from saleroom_client import (
    Connection,
    ConnectionLost,
    Lobby,
    Refused,
    RoomLeft,
    SaleroomError,
    connect,
)
from saleroom_protocol.http import HouseBot, Level

CLIENT = "saleroom-cli/1"

Url = Annotated[str, typer.Option("--url", envvar="SALEROOM_URL", help="The server's address.")]
Token = Annotated[
    str | None,
    typer.Option("--token", envvar="SALEROOM_TOKEN", help="Be this player instead of a new guest."),
]
Named = Annotated[str, typer.Option("--name", help="What a new guest is called.")]
RoomId = Annotated[str, typer.Argument(metavar="ROOM", help="The room's id, as rab2cd3ef4gh5.")]
ToJoin = Annotated[
    str | None,
    typer.Argument(metavar="[ROOM]", help="Where to sit down; a new room if left out."),
]
Game = Annotated[str, typer.Option("--game", help="Of a new room.")]
Seats = Annotated[int, typer.Option("--seats", help="Of a new room.")]
Invite = Annotated[str | None, typer.Option("--invite", help="Of a private room, to sit down.")]
Watch = Annotated[str | None, typer.Option("--watch", help="Of a private room, to look on.")]
Tongue = Annotated[
    Language | None,
    typer.Option("--language", case_sensitive=False, help="Else that of the environment."),
]
HERE = "http://127.0.0.1:8000"


class Making(Struct, frozen=True):
    """The room to be made where none is named."""

    game: str
    seats: int
    house: str | None  # level of the house bots that fill it; None leaves the seats free
    pace: Any = "standard"


class Guest(Struct, frozen=True):
    """Somebody who has a token."""

    lobby: Lobby
    token: str

    @asynccontextmanager
    async def connected(self, url: str) -> AsyncIterator[Connection]:
        """Hold a line to the server that renews its token when it must."""
        async with connect(url, self.token, client=CLIENT, renew=self.lobby.renew) as line:
            yield line


async def guest(url: str, token: str | None, name: str, kind: Any) -> Guest:
    """Return the player of a token, or a new one.

    Raises:
        SaleroomError: the server cannot be reached, or does not want this name.
    """
    lobby = Lobby(url, token)
    if token is None:
        token = (await lobby.register(name, kind)).token
    return Guest(lobby, token)


async def seated(player: Guest, room: str | None, invite: str | None, making: Making) -> str:
    """Take a seat in a room, or in a new one; return its id.

    Raises:
        SaleroomError: there is none to take.
    """
    if room is not None:
        await player.lobby.take_seat(room, invite=invite)
        return room
    others = making.seats - 1 if making.house else 0
    bots = [HouseBot(level=cast("Level", making.house))] * others
    made = await player.lobby.create_room(making.game, making.seats, pace=making.pace, bots=bots)
    err.print(f"room {made.room}", soft_wrap=True)
    return made.room


async def teller_for(lobby: Lobby, document: dict[str, Any], language: Language) -> Teller:
    """Return one who can tell the game of a document.

    Raises:
        SaleroomError: the server does not say what its ids are.
    """
    catalogue = await lobby.catalogue(document["game"], document["edition"])
    titles = {game.game: game.title for game in await lobby.games()}
    return Teller(titles.get(document["game"], document["game"]), catalogue, language)


def without_server(missing: ModuleNotFoundError) -> NoReturn:
    """Say that the server's packages are not installed; a fault of ours is not that."""
    if (missing.name or "").startswith("saleroom"):
        raise missing
    fail(f"{missing.name} is not installed: pip install 'saleroom[server]'", 2)


def run(work: Coroutine[Any, Any, None], language: Language | None = None) -> None:
    """Run a command to its end; what goes wrong is told in one line."""
    try:
        asyncio.run(work)
    except KeyboardInterrupt:
        err.print()
        raise typer.Exit(130) from None
    except SaleroomError as error:
        fail(_told(error, language or spoken()))
    except ValueError as error:
        fail(shown(str(error)), 2)


def _told(error: SaleroomError, language: Language) -> str:
    match error:
        case Refused(reason=reason, message=message):
            return str(words(language)["refusals"].get(reason, message or reason))
        case RoomLeft(reason=reason):
            return str(words(language)["left"].get(reason, reason))
        case ConnectionLost():
            return f"{words(language)['common']['unreachable']} ({error})"
        case _:
            return str(error)
