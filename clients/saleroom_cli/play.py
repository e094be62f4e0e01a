"""`saleroom play`: a seat played at a plain prompt, from what is listed as legal."""

import asyncio
import sys
from collections.abc import Mapping
from contextlib import suppress
from threading import Thread
from typing import Annotated, Any, Literal

import typer
from rich.text import Text

from saleroom_cli.console import Language, err, out, spoken
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
from saleroom_cli.prompting import Menu, Question
from saleroom_cli.table import table_lines
from saleroom_cli.telling import Teller
from saleroom_cli.watch import places
from saleroom_client import Refused, Room, Update

Level = Annotated[
    Literal["easy", "steady"], typer.Option("--level", help="Of the house bots in a new room.")
]
Pace = Annotated[
    Literal["relaxed", "standard", "quick", "untimed"],
    typer.Option("--pace", help="Of a new room: how long decisions take."),
]


def play_command(
    room: ToJoin = None,
    url: Url = HERE,
    name: Named = "Guest",
    game: Game = "kunstmarkt",
    seats: Seats = 4,
    level: Level = "steady",
    pace: Pace = "relaxed",
    invite: Invite = None,
    token: Token = None,
    language: Tongue = None,
) -> None:
    """Play a seat: in a room, or in a new one against house bots.

    Whatever you may do is listed with a number; type it. Enter alone shows the table again, q
    leaves; the seat is kept, and the line printed then brings you back to it.
    """
    making, chosen = Making(game, seats, level, pace), language or spoken()
    run(_play(room, url, name, making, invite, token, chosen), chosen)


async def _play(
    wanted: str | None,
    url: str,
    name: str,
    making: Making,
    invite: str | None,
    token: str | None,
    language: Language,
) -> None:
    player = await guest(url, token, name, "person")
    room = await seated(player, wanted, invite, making)
    try:
        async with player.connected(url) as line:
            followed = await line.join(room)
            teller = await teller_for(player.lobby, followed.document, language)
            out.print(teller.legend())
            await Player(followed, teller).play()
            for told in places(followed, teller):
                out.print(told, soft_wrap=True)
    finally:
        back = f"SALEROOM_TOKEN={player.token} saleroom play {room} --url {url}"
        err.print(Text(back, "dim"), soft_wrap=True)


class Player:
    """Somebody at a terminal: told what happens, asked when it is their turn."""

    def __init__(self, room: Room, teller: Teller) -> None:
        self._room, self._teller = room, teller
        self._menu: Menu | None = None
        self._left = False

    async def play(self) -> None:
        """Tell and ask until the game has ended or the player leaves."""
        lines: asyncio.Queue[str | None] = asyncio.Queue()
        _read_lines(lines)
        typed = asyncio.create_task(lines.get())
        news = asyncio.create_task(self._next())
        try:
            self._offer(self._room.document)
            while not self._left:
                done, _ = await asyncio.wait({typed, news}, return_when=asyncio.FIRST_COMPLETED)
                if news in done:
                    update = news.result()
                    if update is None:
                        break
                    self._tell(update)
                    news = asyncio.create_task(self._next())
                if typed in done:
                    await self._take(typed.result())
                    typed = asyncio.create_task(lines.get())
        finally:
            for task in (typed, news):
                task.cancel()

    async def _next(self) -> Update | None:
        return await anext(self._room, None)

    def _tell(self, update: Update) -> None:
        for event in update.events:
            out.print(self._teller.event(event), soft_wrap=True)
        self._offer(update.document)

    def _offer(self, document: Mapping[str, Any]) -> None:
        """List what may be done now, once for each decision."""
        number = document.get("window", {}).get("number")
        if not document.get("legal"):
            self._menu = None
        elif self._menu is None or self._menu.window != number:
            self._menu = Menu(number, document["legal"], document["you"]["anytime"], self._teller)
            self._show(document)

    def _show(self, document: Mapping[str, Any]) -> None:
        for line in table_lines(self._teller, document):
            out.print(line, soft_wrap=True)
        if self._menu is not None:
            self._ask(self._menu.question)

    def _ask(self, question: Question) -> None:
        for line in question.lines():
            out.print(line, soft_wrap=True)

    async def _take(self, line: str | None) -> None:
        """Do what was typed."""
        if line is None or line in ("q", "quit"):
            self._left = True
        elif not line or self._menu is None:
            self._show(self._room.document)
        else:
            answered = self._menu.answer(line)
            if isinstance(answered, Question):
                self._ask(answered)
            else:
                await self._act(*answered)

    async def _act(self, action: Mapping[str, Any], window: int | None) -> None:
        self._menu = None
        try:
            await self._room.act(action, window=window)
        except Refused as refused:
            out.print(self._teller.refusal(refused.reason, refused.facts), style="yellow")
            self._offer(self._room.document)


def _read_lines(lines: "asyncio.Queue[str | None]") -> None:
    """Put each line that is typed into the queue, then None.

    A thread waits for the keyboard; it is a daemon, for nothing else can end such waiting.
    """
    loop = asyncio.get_running_loop()

    def put(line: str | None) -> None:
        with suppress(RuntimeError):  # the program is ending
            loop.call_soon_threadsafe(lines.put_nowait, line)

    def read() -> None:
        for line in sys.stdin:
            put(line.strip().lower())
        put(None)

    Thread(target=read, daemon=True).start()
