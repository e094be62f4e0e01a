"""The lobby's handlers, one for each request of PROTOCOL.md, "HTTP"."""

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import UNSET
from starlette.requests import Request
from starlette.responses import Response

from saleroom_protocol import schema
from saleroom_protocol.errors import Reason
from saleroom_protocol.http import (
    GameInfo,
    HouseBot,
    Mute,
    NewPlayer,
    NewRoom,
    RoomList,
    RoomSummary,
    SeatHeld,
    TakeSeat,
    Token,
)
from saleroom_rules.contract import AnyRules
from saleroom_rules.games import GAMES
from saleroom_rules.record import read
from saleroom_rules.replay import with_draws
from saleroom_server.http.lobby import Lobby, Post, Rendered, answered, answered_for, decoded
from saleroom_server.http.problems import Json
from saleroom_server.owner.founding import new_id
from saleroom_server.owner.head import Head
from saleroom_server.rooms import commands
from saleroom_server.rooms.commands import Caller, Refusal
from saleroom_server.rooms.seating import Seated

PLAYER_CHARS = 16
FOREVER = "public, max-age=31536000, immutable"


# Players


async def make_player(lobby: Lobby, request: Request) -> Response:
    """POST /v1/players."""
    asked = decoded(await lobby.body(request), NewPlayer, lobby.message_limits)
    if not asked.name.strip() or not asked.name.isprintable():
        raise Refusal(Reason.MALFORMED, field="name")
    caller = Caller(new_id("p", PLAYER_CHARS), asked.name, asked.kind)
    return Json(lobby.tokens.issue(caller, lobby.clock.now()), 201)


async def renew_token(lobby: Lobby, request: Request) -> Response:
    """POST /v1/players/me/token."""
    claims, now = lobby.tokens.read_expired(lobby.token(request)), lobby.clock.now()
    if claims.expires_at <= now:
        late = claims.expires_at + lobby.limits.token_grace_ms <= now
        if late or not lobby.hall.holds_seat(claims.player):
            raise Refusal(Reason.BAD_TOKEN)

    async def renew(post: Post) -> Response:
        fresh = lobby.tokens.issue(post.caller, now)
        return Json(Token(token=fresh.token, expires_at=fresh.expires_at), 201)

    return await answered_for(lobby, request, claims.caller, renew)


# Games


async def list_games(lobby: Lobby, request: Request) -> Response:
    """GET /v1/games."""
    return Json([_game(rules) for rules in GAMES.values()])


async def catalogue(lobby: Lobby, request: Request) -> Response:
    """GET /v1/games/{game}/editions/{edition}/catalogue: never changes, so it is asked for once."""
    game, edition = request.path_params["game"], request.path_params["edition"]
    rules = GAMES.get(game)
    if rules is None or edition != str(rules.edition):
        raise Refusal(Reason.UNKNOWN_GAME, game=game)
    tag = f'"{game}-{edition}"'
    headers = {"ETag": tag, "Cache-Control": FOREVER}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Json(rules.catalogue(), headers=headers)


# Rooms


async def make_room(lobby: Lobby, request: Request) -> Response:
    """POST /v1/rooms."""

    async def make(post: Post) -> Response:
        answering = post.answering(_created)
        info = await lobby.hall.create(post.read(NewRoom), post.caller, answering)
        return Json(info, 201)

    return await answered(lobby, request, make)


async def list_rooms(lobby: Lobby, request: Request) -> Response:
    """GET /v1/rooms: the newest first."""
    query = request.query_params
    limit, after = _page(lobby, query.get("limit")), query.get("after")
    wanted = {name: query[name] for name in ("game", "status") if name in query}
    found: list[RoomSummary] = []
    for summary in _listed(lobby, wanted, after):
        found.append(summary)
        if len(found) > limit:
            break
    more = len(found) > limit
    page = tuple(found[:limit])
    return Json(RoomList(rooms=page, next=_mark(page[-1]) if more else UNSET))


async def show_room(lobby: Lobby, request: Request) -> Response:
    """GET /v1/rooms/{room}."""
    room = request.path_params["room"]
    lobby.visible(request, room)
    return Json(lobby.hall.summary(room))


async def take_seat(lobby: Lobby, request: Request) -> Response:
    """POST /v1/rooms/{room}/seats."""

    async def take(post: Post) -> Response:
        asked = post.read(TakeSeat)
        watch = request.query_params.get("watch", "")
        command = commands.TakeSeat(post.caller, asked.seat, asked.entropy, asked.invite, watch)
        return await post.command(_actor(lobby, request), command, _seated)

    return await answered(lobby, request, take)


async def give_up_seat(lobby: Lobby, request: Request) -> Response:
    """DELETE /v1/rooms/{room}/seats/{seat}."""
    caller, seat = lobby.caller(request), request.path_params["seat"]
    actor = lobby.visible(request, request.path_params["room"])
    await actor.ask(commands.GiveUpSeat(caller, seat))
    return Response(status_code=204)


async def add_bot(lobby: Lobby, request: Request) -> Response:
    """POST /v1/rooms/{room}/bots."""

    async def add(post: Post) -> Response:
        asked = post.read(HouseBot)
        actor = lobby.visible(request, request.path_params["room"])
        command = commands.AddBot(post.caller, asked.level, asked.seat)
        return await post.command(actor, command, _seated)

    return await answered(lobby, request, add)


async def start(lobby: Lobby, request: Request) -> Response:
    """POST /v1/rooms/{room}/start."""

    async def begin(post: Post) -> Response:
        actor = lobby.visible(request, request.path_params["room"])
        return await post.command(actor, commands.Start(post.caller), _accepted)

    return await answered(lobby, request, begin)


async def mute(lobby: Lobby, request: Request) -> Response:
    """POST /v1/rooms/{room}/mutes."""

    async def hush(post: Post) -> Response:
        asked = post.read(Mute)
        actor = lobby.visible(request, request.path_params["room"])
        await actor.ask(commands.Mute(post.caller, asked.player, asked.muted))
        return Response(status_code=204)

    return await answered(lobby, request, hush)


async def record(lobby: Lobby, request: Request) -> Response:
    """GET /v1/rooms/{room}/record."""
    room = request.path_params["room"]
    caller, watch = lobby.anybody(request), request.query_params.get("watch", "")
    actor = lobby.hall.actor(room)
    if actor is not None and await actor.is_over():
        await actor.settled()  # the record is being put into the archive
    kept = await lobby.store.archived(room)
    if kept is None:
        lobby.visible(request, room)
        status = lobby.hall.summary(room).status
        raise Refusal(Reason.NOT_FINISHED, status=status)
    if not msgspec.msgpack.decode(kept.head, type=Head).sees(caller, watch):
        raise Refusal(Reason.UNKNOWN_ROOM)
    body = kept.record
    if request.query_params.get("draws") == "1":
        body = with_draws(read(body))
    name = f'attachment; filename="{room}.jsonl"'
    headers = {"Content-Disposition": name}
    return Response(body, 200, headers, media_type="application/jsonl")


# For machines


async def show_schema(lobby: Lobby, request: Request) -> Response:
    """GET /v1/schemas/{name}.json."""
    body = _SCHEMAS.get(f"{request.path_params['name']}.json")
    if body is None:
        return Response(status_code=404)
    return Response(body, media_type="application/schema+json")


async def healthz(lobby: Lobby, request: Request) -> Response:
    """GET /healthz: this program runs."""
    return Json({"status": "alive"})


async def readyz(lobby: Lobby, request: Request) -> Response:
    """GET /readyz: it can take on work; that is, the store writes."""
    await lobby.store.probe()
    return Json({"status": "ready"})


_SCHEMAS = schema.encoded()


def _game(rules: AnyRules) -> GameInfo:
    options: dict[str, Any] = msgspec.json.schema(rules.options)
    return GameInfo(
        game=rules.key,
        title=rules.title,
        seats=rules.seats,
        edition=rules.edition,
        options=options,
    )


def _actor(lobby: Lobby, request: Request) -> Any:
    """Return a room's actor for somebody who may have an invitation; the room looks at it."""
    actor = lobby.hall.actor(request.path_params["room"])
    if actor is None:
        raise Refusal(Reason.UNKNOWN_ROOM)
    return actor


def _listed(lobby: Lobby, wanted: dict[str, str], after: str | None) -> Iterator[RoomSummary]:
    for summary in lobby.hall.summaries():
        if summary.visibility != "public" or (after is not None and _mark(summary) >= after):
            continue
        if all(getattr(summary, name) == value for name, value in wanted.items()):
            yield summary


def _mark(summary: RoomSummary) -> str:
    """Return a room's place in the list; the newest is the greatest."""
    return f"{summary.created_at:015}-{summary.room}"


def _page(lobby: Lobby, given: str | None) -> int:
    if given is None:
        return lobby.limits.page
    if not given.isascii() or not given.isdecimal() or not 0 < len(given) < 10 or not int(given):
        raise Refusal(Reason.MALFORMED, field="limit")
    return min(int(given), lobby.limits.page_most)


def _created(info: Any) -> Rendered:
    return 201, info


def _seated(seated: Seated) -> Rendered:
    return 201 if seated.new else 200, SeatHeld(seat=seated.seat)


def _accepted(_: Any) -> Rendered:
    return 202, {}
