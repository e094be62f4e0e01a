"""The lobby: rooms are made, found, filled, started."""

from msgspec import UNSET
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response

from saleroom_protocol.errors import Reason
from saleroom_protocol.http import HouseBot, Mute, NewRoom, TakeSeat
from saleroom_server.http.answering import Nothing, Post, answered
from saleroom_server.http.lobby import Lobby, address_of
from saleroom_server.http.problems import Json
from saleroom_server.owner.actor import Actor
from saleroom_server.owner.elsewhere import Kept
from saleroom_server.rooms import commands
from saleroom_server.rooms.commands import Refusal


async def make_room(lobby: Lobby, request: Request) -> Response:
    """POST /v1/rooms."""

    async def make(post: Post) -> Response:
        asked = post.read(NewRoom)
        if asked.pace is UNSET:
            asked = replace(asked, pace=lobby.pace)
        keep, address = post.keeping("room"), address_of(request)
        try:
            info = await lobby.hall.create(asked, post.caller, keep, address)
        except Kept as kept:  # for another node
            return post.again(kept.answer)
        return Json(info, 201)

    return await answered(lobby, request, make)


async def show_room(lobby: Lobby, request: Request) -> Response:
    """GET /v1/rooms/{room}."""
    return Json(lobby.hall.summary(lobby.visible(request).name))


async def take_seat(lobby: Lobby, request: Request) -> Response:
    """POST /v1/rooms/{room}/seats."""

    async def take(post: Post) -> Response:
        asked = post.read(TakeSeat)
        watch = request.query_params.get("watch", "")
        command = commands.TakeSeat(post.caller, asked.seat, asked.entropy, asked.invite, watch)
        return await post.command(_actor(lobby, request), command, "seat")

    return await answered(lobby, request, take)


async def give_up_seat(lobby: Lobby, request: Request) -> Response:
    """DELETE /v1/rooms/{room}/seats/{seat}."""
    caller, actor = lobby.acting(request), lobby.visible(request)
    await actor.ask(commands.GiveUpSeat(caller, _seat(request)))
    return Response(status_code=204)


async def add_bot(lobby: Lobby, request: Request) -> Response:
    """POST /v1/rooms/{room}/bots."""

    async def add(post: Post) -> Response:
        asked = post.read(HouseBot)
        command = commands.AddBot(post.caller, asked.level, asked.seat)
        return await post.command(lobby.visible(request), command, "seat")

    return await answered(lobby, request, add)


async def start(lobby: Lobby, request: Request) -> Response:
    """POST /v1/rooms/{room}/start."""

    async def begin(post: Post) -> Response:
        post.read(Nothing)
        return await post.command(lobby.visible(request), commands.Start(post.caller), "accepted")

    return await answered(lobby, request, begin)


async def mute(lobby: Lobby, request: Request) -> Response:
    """POST /v1/rooms/{room}/mutes."""

    async def hush(post: Post) -> Response:
        asked = post.read(Mute)
        command = commands.Mute(post.caller, asked.player, asked.muted)
        await lobby.visible(request).ask(command)
        return Response(status_code=204)

    return await answered(lobby, request, hush)


def _actor(lobby: Lobby, request: Request) -> Actor:
    """Return a room's actor for somebody who may have an invitation; the room looks at it."""
    actor = lobby.hall.actor(request.path_params["room"])
    if actor is None:
        raise Refusal(Reason.UNKNOWN_ROOM)
    return actor


def _seat(request: Request) -> int:
    """Return the seat in a request's path."""
    given: str = request.path_params["seat"]
    if given not in tuple("0123456789"):
        raise Refusal(Reason.MALFORMED, field="seat")
    return int(given)
