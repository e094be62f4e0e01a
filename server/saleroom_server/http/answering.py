"""POSTs with a token: for the same Idempotency-Key, carried out once and answered alike ever after.

The answer is kept by the store in the same write as what the request caused, where it caused
entries of a journal; so there is no moment at which a crash could part the two.
"""

import asyncio
from collections.abc import Awaitable, Callable
from hashlib import blake2b
from typing import TypeVar

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from saleroom_protocol.errors import Reason
from saleroom_server.http.lobby import Lobby, address_of, decoded
from saleroom_server.http.problems import Json
from saleroom_server.owner.actor import Actor
from saleroom_server.owner.elsewhere import Kept
from saleroom_server.owner.keeping import RENDERERS, Keep, Kind
from saleroom_server.rooms.commands import Caller, Command, Refusal
from saleroom_server.store.interface import Answer

T = TypeVar("T")


class Nothing(Struct, frozen=True, forbid_unknown_fields=True):
    """The body of a POST that has nothing to say."""


class Post:
    """One POST with a token."""

    def __init__(self, lobby: Lobby, caller: Caller, key: str, request: bytes, body: bytes) -> None:
        self.caller = caller
        self._lobby, self._key, self._request, self._body = lobby, key, request, body
        self._keep: Keep | None = None

    def read(self, wanted: type[T]) -> T:
        """Return the request's body; an empty one is an empty map.

        Raises:
            Refusal: `malformed`, `unknown_field`.
        """
        return decoded(self._body or b"{}", wanted, self._lobby.message_limits)

    async def command(self, actor: Actor, command: Command, kind: Kind) -> Response:
        """Have a room carry out a command; its answer is kept together with what it caused.

        Raises:
            Refusal: it was not carried out.
        """
        try:
            status, body = RENDERERS[kind](await actor.ask(command, self.keeping(kind)))
        except Kept as kept:  # for another node, or by an owner that is no more
            return self.again(kept.answer)
        return Json(body, status)

    def again(self, before: Answer) -> Response:
        """Return the answer the key was given before.

        Raises:
            Refusal: `id_reused`: it was given to another request.
        """
        if before.request != self._request:
            raise Refusal(Reason.ID_REUSED)
        if not before.body:
            return Response(status_code=before.status)
        return Json(before.body, before.status)

    def keeping(self, kind: Kind) -> Keep | None:
        """Return what the store is to keep with what the request causes."""
        if self._key:
            player = self.caller.player or ""
            self._keep = Keep(player, self._key, self._request, self._until, kind)
        return self._keep

    async def keep(self, response: Response) -> None:
        """Keep an answer that was not kept with entries of a journal."""
        if self._keep is None or not self._keep.used:
            player, status = self.caller.player or "", response.status_code
            body = bytes(response.body)
            answer = Answer(player, self._key, self._request, status, body, self._until)
            await self._lobby.store.remember(answer)

    @property
    def _until(self) -> int:
        return self._lobby.clock.now() + self._lobby.limits.key_kept_ms


async def answered(
    lobby: Lobby, request: Request, carry_out: Callable[[Post], Awaitable[Response]]
) -> Response:
    """Answer a POST with a token: the first time by carrying it out, then with the same again.

    Raises:
        Refusal: `bad_token`, `rate_limited`, `malformed`, `id_reused`, and whatever `carry_out`
            raises.
    """
    return await answered_for(lobby, request, lobby.acting(request), carry_out)


async def answered_for(
    lobby: Lobby,
    request: Request,
    caller: Caller,
    carry_out: Callable[[Post], Awaitable[Response]],
) -> Response:
    """As `answered`, for a caller who is known already."""
    key, player = request.headers.get("idempotency-key", ""), caller.player or ""
    if len(key) > lobby.limits.key_chars:
        raise Refusal(Reason.MALFORMED, field="idempotency-key")
    body = await lobby.body(request)
    post = Post(lobby, caller, key, _digest(request, body), body)
    if not key:
        return await carry_out(post)
    async with lobby.in_hand.setdefault((player, key), asyncio.Lock()):
        before = await lobby.store.recall(player, key, lobby.clock.now())
        if before is None:
            lobby.budgets.keep(address_of(request))
            response = await carry_out(post)
            await post.keep(response)
            return response
    return post.again(before)


def _digest(request: Request, body: bytes) -> bytes:
    """Tell requests apart. The path is as the server read it: what Host says is of no account."""
    told = f"{request.method} {request.scope['path']}\n".encode() + body
    return blake2b(told, digest_size=16).digest()
