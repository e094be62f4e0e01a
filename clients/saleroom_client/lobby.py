"""The lobby: players, rooms and seats, over HTTP. PROTOCOL.md, "HTTP"."""

import asyncio
import secrets
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeVar
from urllib.parse import quote

import msgspec
from msgspec import UNSET

from saleroom_client.errors import ConnectionLost, Refused, VersionMismatch
from saleroom_client.exchange import LOST, PASSING, Call, Reply, exchange, root_of
from saleroom_client.outside import Outside
from saleroom_protocol.document import Status
from saleroom_protocol.errors import Reason
from saleroom_protocol.games.record import Pace
from saleroom_protocol.http import (
    Asked,
    GameInfo,
    HouseBot,
    Identity,
    Level,
    Mute,
    NewPlayer,
    NewRoom,
    NewRoomInfo,
    RoomList,
    RoomSummary,
    SeatHeld,
    TakeSeat,
    Token,
)

T = TypeVar("T")

ATTEMPTS = 5  # of one request
PATIENCE = 60.0  # seconds; a server that wants a longer pause is reported, not waited for


class Lobby:
    """Everything that is done before and after playing.

    A request that meets 429, 503 or a broken connection is tried again, a POST of a player with
    the same Idempotency-Key, so that it happens once. What DELETE does may look different the
    second time; it is tried again only when the first has surely done nothing. Every method raises

    * `Refused` with the problem's `reason`, `facts` and HTTP status;
    * `ConnectionLost` if no answer came, however often it was tried;
    * `VersionMismatch` if the answer cannot be read.

    Attributes:
        token: of the player who acts; `register` and `renew` set it.
    """

    def __init__(
        self,
        url: str,
        token: str | None = None,
        *,
        timeout: float = 10.0,
        attempts: int = ATTEMPTS,
        outside: Outside | None = None,
    ) -> None:
        """Make one; nothing is sent yet.

        Args:
            url: the server's root, as `https://example.org`.
            token: of a player who exists already.
            timeout: seconds for each step of a request.
            attempts: how often a request is tried.
            outside: time and chance; for tests.

        Raises:
            ValueError: it is no address of a server.
        """
        self.token = token
        self._root = root_of(url)
        self._timeout = timeout
        self._attempts = attempts
        self._outside = outside or Outside()

    # Players

    async def register(self, name: str, kind: Literal["person", "bot"] = "bot") -> Identity:
        """Make a guest and act for them from now on."""
        body = NewPlayer(name=name, kind=kind)
        identity = _read(await self._post("/v1/players", body, acting=False), Identity)
        self.token = identity.token
        return identity

    async def renew(self) -> Token:
        """Get a fresh token for the same player and use it; also the `renew` of `connect`."""
        token = _read(await self._post("/v1/players/me/token"), Token)
        self.token = token.token
        return token

    # Games

    async def games(self) -> list[GameInfo]:
        """Return what can be played here."""
        return _read(await self._get("/v1/games"), list[GameInfo])

    async def catalogue(self, game: str, edition: int) -> dict[str, Any]:
        """Return what every id of a game is; it never changes."""
        path = f"/v1/games/{_part(game)}/editions/{edition}/catalogue"
        return _read(await self._get(path), dict[str, Any])

    # Rooms

    async def create_room(
        self,
        game: str,
        seats: int,
        *,
        options: Mapping[str, Any] | None = None,
        pace: Pace | None = None,
        visibility: Literal["public", "private"] = "public",
        take_seat: bool = True,
        bots: Sequence[HouseBot | Level] = (),
        autostart: bool = True,
        entropy: str | None = None,
    ) -> NewRoomInfo:
        """Make a room; return its summary with its secrets and one's own seat.

        Args:
            game: its key.
            seats: how many.
            options: of the game.
            pace: how long windows last; as the server is set if left out.
            visibility: whether strangers may see it.
            take_seat: whether to sit down at seat 0.
            bots: house bots, by level alone where the seat does not matter.
            autostart: whether it starts by itself once it is full.
            entropy: one's own contribution to the luck of the game, 16 to 32 bytes in hex.
        """
        body = NewRoom(
            game=game,
            seats=seats,
            options=dict(options or {}),
            pace=UNSET if pace is None else pace,
            visibility=visibility,
            take_seat=take_seat,
            bots=tuple(bot if isinstance(bot, HouseBot) else HouseBot(level=bot) for bot in bots),
            autostart=autostart,
            entropy=UNSET if entropy is None else entropy,
        )
        return _read(await self._post("/v1/rooms", body), NewRoomInfo)

    async def rooms(
        self,
        *,
        game: str | None = None,
        status: Status | None = None,
        limit: int | None = None,
        after: str | None = None,
    ) -> RoomList:
        """Return a page of the public rooms; the `next` of one page is the `after` of another."""
        query: dict[str, str | int | None]
        query = {"game": game, "status": status, "limit": limit, "after": after}
        return _read(await self._get("/v1/rooms", query), RoomList)

    async def room(self, room: str, *, watch: str | None = None) -> RoomSummary:
        """Return a room's summary; `watch` is a private one's secret."""
        return _read(await self._get(_of(room), {"watch": watch}), RoomSummary)

    async def take_seat(
        self,
        room: str,
        seat: int | None = None,
        *,
        invite: str | None = None,
        entropy: str | None = None,
    ) -> int:
        """Sit down; return the seat, also if it was held already.

        Args:
            room: its id.
            seat: which; None for the lowest free one.
            invite: a private room's secret.
            entropy: one's own contribution, 16 to 32 bytes in hex; counts if the seat has none.
        """
        body = TakeSeat(
            seat=UNSET if seat is None else seat,
            invite=UNSET if invite is None else invite,
            entropy=UNSET if entropy is None else entropy,
        )
        return _read(await self._post(_of(room, "seats"), body), SeatHeld).seat

    async def give_up_seat(self, room: str, seat: int) -> None:
        """Give up one's own seat, or as the host any, while the room waits."""
        await self._call(Call(method="DELETE", path=_of(room, f"seats/{seat}")))

    async def add_bot(self, room: str, level: Level = "steady", *, seat: int | None = None) -> int:
        """Have a house bot sit down; return its seat. For the host."""
        body = HouseBot(seat=UNSET if seat is None else seat, level=level)
        return _read(await self._post(_of(room, "bots"), body), SeatHeld).seat

    async def start(self, room: str) -> None:
        """Start a full room. For the host."""
        await self._post(_of(room, "start"))

    async def mute(self, room: str, player: str, muted: bool = True) -> None:
        """Take a player's voice away, or give it back. For the host."""
        await self._post(_of(room, "mutes"), Mute(player=player, muted=muted))

    async def record(self, room: str, *, draws: bool = False, watch: str | None = None) -> bytes:
        """Return a finished game's record, JSON Lines; with all that was drawn if `draws`."""
        query: dict[str, str | int | None] = {"draws": 1 if draws else None, "watch": watch}
        return (await self._get(_of(room, "record"), query)).body

    # Requests

    async def _get(self, path: str, query: dict[str, str | int | None] | None = None) -> Reply:
        return await self._call(Call(method="GET", path=path, query=query or {}))

    async def _post(self, path: str, body: Asked | None = None, *, acting: bool = True) -> Reply:
        written = None if body is None else msgspec.json.encode(body)
        key = {"Idempotency-Key": secrets.token_hex(16)} if acting and self.token else {}
        return await self._call(Call(method="POST", path=path, body=written, headers=key))

    async def _call(self, call: Call) -> Reply:
        """Send a request as often as it takes."""
        if self.token:
            call.headers["Authorization"] = f"Bearer {self.token}"
        failures = 0
        while True:
            reply = await self._try(call)
            if isinstance(reply, Reply) and 200 <= reply.status < 300:
                return reply
            problem = reply.refusal() if isinstance(reply, Reply) else reply
            pause = self._pause(reply, failures)
            failures += 1
            last = failures >= self._attempts or pause > PATIENCE
            if last or not _worth_repeating(call, problem):
                raise problem
            await self._outside.sleep(pause)

    async def _try(self, call: Call) -> Reply | ConnectionLost:
        try:
            return await asyncio.to_thread(exchange, self._root, call, self._timeout)
        except LOST as error:
            lost = ConnectionLost(f"{call.method} {call.path}: {error!r}")
            lost.__cause__ = error
            return lost

    def _pause(self, reply: Reply | ConnectionLost, failures: int) -> float:
        told = reply.wait if isinstance(reply, Reply) else None
        return self._outside.backoff(failures) if told is None else told


def _worth_repeating(call: Call, problem: Refused | ConnectionLost) -> bool:
    """Tell whether the same request may have another outcome, and no second effect."""
    if isinstance(problem, ConnectionLost) or problem.reason == Reason.UNAVAILABLE:
        return call.method != "DELETE"
    return problem.status in PASSING


def _read(reply: Reply, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(reply.body, type=kind)
    except msgspec.DecodeError as error:
        raise VersionMismatch(f"cannot read the answer: {error}") from error


def _of(room: str, part: str = "") -> str:
    return f"/v1/rooms/{_part(room)}" + (f"/{part}" if part else "")


def _part(name: str) -> str:
    return quote(name, safe="")
