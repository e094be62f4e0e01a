"""The options that several commands share, as they are typed and explained."""

from typing import Annotated, Literal

import typer

from saleroom_cli.console import Language
from saleroom_protocol.games import VOCABULARIES

HERE = "http://127.0.0.1:8000"

Url = Annotated[str, typer.Option("--url", envvar="SALEROOM_URL", help="The server's address.")]
Token = Annotated[
    str | None,
    typer.Option(
        "--token", envvar="SALEROOM_TOKEN", help="Be this player instead of a new guest; a secret."
    ),
]
Named = Annotated[str, typer.Option("--name", help="What a new guest is called.")]
RoomId = Annotated[str, typer.Argument(metavar="ROOM", help="The room's id, as rab2cd3ef4gh5.")]
ToJoin = Annotated[
    str | None,
    typer.Argument(metavar="[ROOM]", help="Id of the room to sit down in; a new one if left out."),
]
Game = Annotated[
    str, typer.Option("--game", help=f"Game of a new room; one of: {', '.join(VOCABULARIES)}.")
]
Seats = Annotated[int, typer.Option("--seats", min=1, max=10, help="Seats of a new room.")]
Invite = Annotated[
    str | None, typer.Option("--invite", help="Secret to sit down in a private room.")
]
Watch = Annotated[str | None, typer.Option("--watch", help="Secret to look on in a private room.")]
Level = Literal["easy", "steady"]
Pace = Literal["relaxed", "standard", "quick", "untimed"]
Tongue = Annotated[
    Language | None,
    typer.Option(
        "--language",
        case_sensitive=False,
        help="Language of the telling; else that of the environment.",
    ),
]
