"""The lobby: records of games that have ended, for as long as there is a store."""

from starlette.requests import Request
from starlette.responses import Response

from saleroom_protocol.errors import Reason
from saleroom_server.http.lobby import Lobby
from saleroom_server.owner.actor import Actor
from saleroom_server.owner.head import head_from
from saleroom_server.rooms.commands import Refusal

ENDED = ("finished", "closed")  # and so, soon at least, with a record


async def record(lobby: Lobby, request: Request) -> Response:
    """GET /v1/rooms/{room}/record."""
    room, caller = request.path_params["room"], lobby.anybody(request)
    has_journal = lobby.hall.actor(room) is not None
    status = await _settled(lobby, lobby.visible(request)) if has_journal else None
    kept = await lobby.store.archived(room)
    if kept is None and status in ENDED:  # its node has died; who takes it over will see to it
        raise Refusal(Reason.UNAVAILABLE, retry_after_ms=lobby.limits.retry_ms)
    if kept is None and status is not None:
        raise Refusal(Reason.NOT_FINISHED, status=status)
    watch = request.query_params.get("watch", "")
    head = None if kept is None else head_from(room, kept.head)
    if kept is None or head is None or not head.sees(caller, watch):
        raise Refusal(Reason.UNKNOWN_ROOM)
    body = kept.record
    if request.query_params.get("draws") == "1":
        body = await lobby.replays.with_draws(body)
    headers = {"Content-Disposition": f'attachment; filename="{room}.jsonl"'}
    return Response(body, 200, headers, media_type="application/jsonl")


async def _settled(lobby: Lobby, actor: Actor) -> str:
    """Return a room's status; of one that is over, once its record is in the archive."""
    room = await actor.loaded()
    if room is None:
        return await lobby.hall.fresh_status(actor.name)
    if room.standing.is_over:
        await actor.settled()
    return room.standing.status
