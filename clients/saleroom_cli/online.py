"""What the commands that talk to a server share: who comes, where to, and how errors are told."""

import asyncio
import logging
import os
import re
import shlex
from collections.abc import (
    AsyncIterator,
    Callable,
    Coroutine,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Literal, NoReturn
from unicodedata import category
from urllib.parse import urlsplit

import msgspec
import typer
from msgspec import Struct

from saleroom_cli.console import Language, err, fail, shown
from saleroom_cli.options import HERE, Level, Pace
from saleroom_cli.problems import give_up, problem
from saleroom_cli.telling import Teller
from saleroom_cli.wording import words
from saleroom_client import Connection, Lobby, Refused, SaleroomError, connect
from saleroom_protocol.http import GameInfo, HouseBot
from saleroom_protocol.messages import Said

CLIENT = "saleroom-cli/1"
NAMELESS = frozenset({"Cc", "Cs"})  # a control, half a character: in no name anywhere
UNDER_UV = "UV_RUN_RECURSION_DEPTH"  # `uv run` sets it, and may be all there is on the path
REMINDER = 10.0  # seconds; that the connection is lost is told no more often


class Making(Struct, frozen=True, kw_only=True):
    """The room to be made where none is named."""

    game: str
    seats: int
    house: Level | None  # strength of its house bots; None: it has none
    bots: int | None = None  # how many of them; None: they take every seat that is left
    private: bool = False  # only for those who have its secrets
    pace: Pace | None = None  # None: the server's own
    options: Mapping[str, Any] = {}  # of the game


class Visit(Struct, frozen=True, kw_only=True):
    """What somebody who wants to sit down has typed."""

    url: str
    room: str | None
    name: str
    kind: Literal["person", "bot"]
    token: str | None
    invite: str | None
    making: Making
    language: Language

    def check(self) -> None:
        """End the command if anything of it makes no sense."""
        check_room(self.room, self.language)
        check_secrets(self.language, self.token, self.invite)
        if not 1 <= len(self.name) <= 40 or any(category(char) in NAMELESS for char in self.name):
            give_up(self.language, "no_name", 2)


class Seated(Struct, frozen=True):
    """Somebody who holds a seat."""

    lobby: Lobby
    url: str
    room: str

    @property
    def token(self) -> str:
        """What proves who they are; it changes when it is renewed."""
        return self.lobby.token or ""

    @asynccontextmanager
    async def connected(self, language: Language) -> AsyncIterator[Connection]:
        """Hold a line to the server; it renews its token when it must, and losses are told."""
        line = connect(self.url, self.token, client=CLIENT, renew=self.lobby.renew)
        with losses_told(language):
            async with line:
                yield line


async def sit_down(visit: Visit) -> Seated:
    """Take a seat in a room, or in a new one, as the player of a token or as a new guest.

    Raises:
        SaleroomError: there is none to take.
    """
    visit.check()
    lobby = lobby_at(visit.url, visit.language, visit.token)
    if visit.token is None:
        await lobby.register(visit.name, visit.kind)
    if visit.room is None:
        return Seated(lobby, visit.url, await _made(lobby, visit))
    await lobby.take_seat(visit.room, invite=visit.invite)
    return Seated(lobby, visit.url, visit.room)


async def _made(lobby: Lobby, visit: Visit) -> str:
    making, told = visit.making, words(visit.language)["play"]
    house = making.seats - 1 if making.bots is None else making.bots
    try:
        made = await lobby.create_room(
            making.game,
            making.seats,
            bots=[HouseBot(level=making.house)] * house if making.house else [],
            options=making.options,
            pace=making.pace,
            visibility="private" if making.private else "public",
        )
    except Refused:  # perhaps there is more to say than why
        _check_game(await lobby.games(), making, visit.language)
        raise
    err.print(told["room"].format(room=shown(made.room)), soft_wrap=True)
    ways = [("look_on", "watch", ("--watch", made.watch))]
    if len(made.seats) < making.seats:
        ways.insert(0, ("sit_down", "play", ("--invite", made.invite)))
    for what, command, secret in ways:
        typed = again(command, made.room, visit.url, *(secret if making.private else ()))
        err.print(told[what].format(command=typed), soft_wrap=True)
    return made.room


def _check_game(games: Sequence[GameInfo], making: Making, language: Language) -> None:
    """End the command if the server has no such game, or not with these seats or options."""
    info = next((game for game in games if game.game == making.game), None)
    if info is None:
        known = ", ".join(game.game for game in games)
        give_up(language, "no_game", game=making.game, games=known)
    if making.seats not in info.seats:
        seats = ", ".join(map(str, info.seats))
        give_up(language, "no_such_seats", title=info.title, seats=seats)
    options = info.options.get("$defs", {}).get("Options", {}).get("properties", {})
    if not making.options.keys() <= options.keys():
        give_up(language, "no_such_option", title=info.title, options=", ".join(options))


def options_of(pairs: Iterable[str], language: Language) -> dict[str, Any]:
    """Read `name=value` as the options of a game; end the command if that is not what it says."""
    options: dict[str, Any] = {}
    for pair in pairs:
        name, mark, value = pair.partition("=")
        if not mark:
            give_up(language, "no_option", 2, option=pair)
        try:
            options[name] = msgspec.json.decode(value)
        except (msgspec.DecodeError, UnicodeError):  # a word
            options[name] = value
    return options


def again(command: str, room: str, url: str, *more: str) -> str:
    """Return the command that leads to a room, as it can be typed where this one was."""
    before = ["uv", "run"] if UNDER_UV in os.environ else []
    there = [] if url == HERE else ["--url", url]
    return shown(shlex.join([*before, "saleroom", command, room, *there, *more]))


def lobby_at(url: str, language: Language, token: str | None = None) -> Lobby:
    """Return the lobby of a server; end the command if that is no address."""
    try:
        urlsplit(url).port  # noqa: B018  # a port that is none is found only when it is used
        shown(url).encode("ascii")
        return Lobby(url, token)
    except ValueError:
        give_up(language, "no_address", 2, url=url or "''")


def check_room(room: str | None, language: Language) -> None:
    """End the command if what is named cannot be a room."""
    if room is not None and not re.fullmatch("r[a-z2-7]{12}", room):
        give_up(language, "no_room", 2, room=room or "''")


def check_secrets(language: Language, *secrets: str | None) -> None:
    """End the command if one cannot be sent; none is printed."""
    for secret in secrets:
        if secret is not None and not (secret.isascii() and secret.isprintable()):
            give_up(language, "no_secret", 2)


async def teller_for(lobby: Lobby, document: Mapping[str, Any], language: Language) -> Teller:
    """Return one who can tell the game of a document.

    Raises:
        SaleroomError: the server does not say what its ids are.
    """
    catalogue = await lobby.catalogue(document["game"], document["edition"])
    titles = {game.game: game.title for game in await lobby.games()}
    return Teller(titles.get(document["game"], document["game"]), catalogue, language)


class Ears:
    """Passes on what is said in a room; what comes before anybody listens waits."""

    def __init__(self) -> None:
        self._early: list[Said] = []
        self.hear: Callable[[Said], None] = self._early.append

    def heard(self, said: Said) -> None:
        """Take it: this is for `Connection.join`."""
        self.hear(said)

    def listen(self, hear: Callable[[Said], None]) -> None:
        """Pass on to this from now on, what waits first."""
        self.hear = hear
        for said in self._early:
            hear(said)


class _Losses(logging.Handler):
    """Tells now and then what the SDK notes in its log: that the connection is lost."""

    def __init__(self, language: Language) -> None:
        super().__init__(logging.INFO)
        self._sentence = words(language)["errors"]["lost"]
        self._told = 0.0  # when it was told last

    def emit(self, record: logging.LogRecord) -> None:
        if record.created - self._told >= REMINDER:
            self._told = record.created
            err.print(self._sentence, style="yellow", soft_wrap=True)


@contextmanager
def losses_told(language: Language) -> Iterator[None]:
    """Tell whenever the connection is lost, while this lasts."""
    log, losses = logging.getLogger("saleroom_client"), _Losses(language)
    log.addHandler(losses)
    log.setLevel(logging.INFO)
    try:
        yield
    finally:
        log.removeHandler(losses)


def without_server(missing: ModuleNotFoundError) -> NoReturn:
    """Say that the server's packages are not installed; a fault of ours is not that."""
    if (missing.name or "").startswith("saleroom"):
        raise missing
    fail(f"{missing.name} is not installed: pip install 'saleroom[server]'", 2)


async def over(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancel tasks, and wait until they are over; what has become of them is of no interest."""
    ending = list(tasks)
    for task in ending:
        task.cancel()
    await asyncio.gather(*ending, return_exceptions=True)


def run(work: Coroutine[Any, Any, None], language: Language) -> None:
    """Run a command to its end; what goes wrong is told in one line."""
    try:
        asyncio.run(work)
    except KeyboardInterrupt:
        err.print()
        raise typer.Exit(130) from None
    except SaleroomError as error:
        fail(problem(language, error), language=language)
