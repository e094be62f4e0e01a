"""What the lobby's handlers share: who asks, what they sent, and answers given once."""

import asyncio
from collections.abc import Awaitable, Callable
from hashlib import blake2b
from typing import Any, TypeAlias, TypeVar
from weakref import WeakValueDictionary

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from saleroom_protocol.bounds import OutOfBounds, scan_json
from saleroom_protocol.codec import unacceptable
from saleroom_protocol.errors import Reason
from saleroom_protocol.limits import Limits
from saleroom_server.clock import Clock
from saleroom_server.http.problems import Json, problem_of
from saleroom_server.owner.actor import Actor
from saleroom_server.owner.hall import Hall
from saleroom_server.rooms.commands import Caller, Command, Refusal
from saleroom_server.store.interface import Answer, Store, StoreError
from saleroom_server.tokens import Tokens

T = TypeVar("T")
Rendered: TypeAlias = tuple[int, Any]  # status and body
Handler: TypeAlias = Callable[["Lobby", Request], Awaitable[Response]]


class LobbyLimits(Struct, frozen=True, kw_only=True):
    """The bounds of the lobby. All are settings; units are in the names."""

    page: int = 50  # rooms a list has unless asked otherwise
    page_most: int = 200
    key_chars: int = 100  # of an Idempotency-Key
    key_kept_ms: int = 24 * 3_600_000
    token_grace_ms: int = 30 * 24 * 3_600_000  # a token can be renewed so long after its end
    retry_ms: int = 1_000  # told with `unavailable`


class Lobby(Struct, frozen=True, kw_only=True):
    """What handlers need."""

    hall: Hall
    store: Store
    tokens: Tokens
    clock: Clock
    limits: LobbyLimits
    message_limits: Limits
    in_hand: WeakValueDictionary[tuple[str, str], asyncio.Lock]  # keys being answered right now

    def caller(self, request: Request) -> Caller:
        """Return who asks.

        Raises:
            Refusal: `bad_token`: nobody who could be told from others.
        """
        token = self.token(request)
        return self.tokens.read(token, self.clock.now()).caller

    def anybody(self, request: Request) -> Caller:
        """Return who asks; somebody without a token is nobody.

        Raises:
            Refusal: `bad_token`: there is one, and it is wrong.
        """
        return self.caller(request) if "authorization" in request.headers else Caller()

    def token(self, request: Request) -> str:
        """Return the token of a request.

        Raises:
            Refusal: `bad_token`: there is none.
        """
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not token:
            raise Refusal(Reason.BAD_TOKEN)
        return token.strip()

    def visible(self, request: Request, room: str) -> Actor:
        """Return the actor of a room the caller may know of.

        Raises:
            Refusal: `unknown_room`, `bad_token`.
        """
        caller, actor = self.anybody(request), self.hall.actor(room)
        if actor is None or not self.hall.sees(room, caller, request.query_params.get("watch", "")):
            raise Refusal(Reason.UNKNOWN_ROOM)
        return actor

    async def body(self, request: Request) -> bytes:
        """Return a request's body as it is, if it is not too large.

        Raises:
            Refusal: `malformed`.
        """
        parts, size = [], 0
        async for part in request.stream():
            size += len(part)
            if size > self.message_limits.client_message_bytes:
                raise Refusal(Reason.MALFORMED)
            parts.append(part)
        return b"".join(parts)


class Post:
    """One POST with a token, to be answered once and for all for its Idempotency-Key."""

    def __init__(self, lobby: Lobby, caller: Caller, key: str, request: bytes, body: bytes) -> None:
        self.caller = caller
        self._lobby, self._key, self._request, self._body = lobby, key, request, body
        self._kept = False

    def read(self, wanted: type[T]) -> T:
        """Return the request's body; an empty one is an empty map.

        Raises:
            Refusal: `malformed`, `unknown_field`.
        """
        return decoded(self._body or b"{}", wanted, self._lobby.message_limits)

    async def command(
        self, actor: Actor, command: Command, render: Callable[[Any], Rendered]
    ) -> Response:
        """Have a room carry out a command; its answer is kept together with what it caused.

        Raises:
            Refusal: it was not carried out.
        """
        status, body = render(await actor.ask(command, self.answering(render)))
        return Json(body, status)

    def answering(self, render: Callable[[Any], Rendered]) -> Callable[[Any], Answer] | None:
        """Return what makes an answer to be kept out of a result."""
        if not self._key:
            return None

        def answer(result: Any) -> Answer:
            self._kept = True
            status, body = render(result)
            return self._answer(status, msgspec.json.encode(body))

        return answer

    async def keep(self, response: Response) -> None:
        """Keep an answer that was not kept with entries of a journal."""
        if self._key and not self._kept:
            await self._lobby.store.remember(
                self._answer(response.status_code, bytes(response.body))
            )

    def _answer(self, status: int, body: bytes) -> Answer:
        until = self._lobby.clock.now() + self._lobby.limits.key_kept_ms
        player = self.caller.player or ""
        return Answer(player, self._key, self._request, status, body, until)


async def answered(
    lobby: Lobby, request: Request, carry_out: Callable[[Post], Awaitable[Response]]
) -> Response:
    """Answer a POST with a token: the first time by carrying it out, then with the same again.

    Raises:
        Refusal: `bad_token`, `malformed`, `id_reused`, and whatever `carry_out` raises.
    """
    return await answered_for(lobby, request, lobby.caller(request), carry_out)


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
    told = f"{request.method} {request.url.path}\n".encode() + body
    digest = blake2b(told, digest_size=16).digest()
    post = Post(lobby, caller, key, digest, body)
    if not key:
        return await carry_out(post)
    async with lobby.in_hand.setdefault((player, key), asyncio.Lock()):
        before = await lobby.store.recall(player, key, lobby.clock.now())
        if before is None:
            response = await carry_out(post)
            await post.keep(response)
            return response
    if before.request != digest:
        raise Refusal(Reason.ID_REUSED)
    return Json(before.body, before.status)


def endpoint(lobby: Lobby, handler: Handler) -> Callable[[Request], Awaitable[Response]]:
    """Return a handler as Starlette wants it: refusals become problem details."""

    async def answer(request: Request) -> Response:
        try:
            return await handler(lobby, request)
        except Refusal as refusal:
            return problem_of(refusal)
        except StoreError:
            return problem_of(Refusal(Reason.UNAVAILABLE, retry_after_ms=lobby.limits.retry_ms))

    return answer


def decoded(body: bytes, wanted: type[T], limits: Limits) -> T:
    """Read a body.

    Raises:
        Refusal: `malformed`, `unknown_field`.
    """
    try:
        scan_json(body, limits)
        return msgspec.json.decode(body, type=wanted)
    except msgspec.ValidationError as error:
        problem = unacceptable(str(error))
        facts = {"field": problem.field} if problem.field else {}
        raise Refusal(problem.reason, **facts) from error
    except (OutOfBounds, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Refusal(Reason.MALFORMED) from error
