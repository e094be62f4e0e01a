"""What the lobby's responders share: who asks, what they sent, and how a refusal is told."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeAlias, TypeVar
from weakref import WeakValueDictionary

import msgspec
from msgspec import Struct
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from saleroom_protocol.bounds import OutOfBounds, scan_json
from saleroom_protocol.codec import unacceptable
from saleroom_protocol.errors import Reason
from saleroom_protocol.games.record import Pace
from saleroom_protocol.limits import Limits
from saleroom_protocol.messages import Join
from saleroom_server.addresses import payer_of
from saleroom_server.clock import Clock
from saleroom_server.http.budgets import Budgets
from saleroom_server.http.limits import LobbyLimits
from saleroom_server.http.problems import problem_of
from saleroom_server.http.readiness import Readiness
from saleroom_server.http.replays import Replays
from saleroom_server.owner.actor import Actor
from saleroom_server.owner.hall import Hall
from saleroom_server.rooms.commands import Caller, Refusal
from saleroom_server.store.interface import Store, StoreError
from saleroom_server.tokens import Tokens

T = TypeVar("T")
UNCOUNTED = {"/healthz", "/readyz"}  # whoever asks these must not be told anything else
Responder: TypeAlias = Callable[["Lobby", Request], Awaitable[Response]]
# Lets somebody at an address follow a room, which the response tells of.
Follow: TypeAlias = Callable[[Actor, Caller, Join, str], Awaitable[Response]]


class Lobby(Struct, frozen=True, kw_only=True):
    """What responders need."""

    hall: Hall
    follow: Follow
    store: Store
    tokens: Tokens
    clock: Clock
    readiness: Readiness
    pace: Pace  # of rooms whose makers do not say
    limits: LobbyLimits
    budgets: Budgets
    replays: Replays
    message_limits: Limits
    in_hand: WeakValueDictionary[tuple[str, str], asyncio.Lock]  # keys being answered right now

    def caller(self, request: Request) -> Caller:
        """Return who asks.

        Raises:
            Refusal: `bad_token`: nobody who could be told from others.
        """
        return self.tokens.read(self.token(request), self.clock.now()).caller

    def acting(self, request: Request) -> Caller:
        """Return who asks for something to be done, and count it.

        Raises:
            Refusal: `bad_token`, `rate_limited`.
        """
        caller = self.caller(request)
        self.budgets.act(caller.player or "")
        return caller

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

    def visible(self, request: Request) -> Actor:
        """Return the actor of the room in a request's path, if the caller may know of it.

        Raises:
            Refusal: `unknown_room`, `bad_token`.
        """
        caller, actor = self.anybody(request), self.hall.actor(request.path_params["room"])
        watch = request.query_params.get("watch", "")
        if actor is None or not self.hall.sees(actor.name, caller, watch):
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


def endpoint(
    lobby: Lobby, responders: Mapping[str, Responder]
) -> Callable[[Request], Awaitable[Response]]:
    """Return a path's responders, by method, as Starlette wants them: refusals become problems."""

    async def answer(request: Request) -> Response:
        method = "GET" if request.method == "HEAD" else request.method
        try:
            if request.scope["path"] not in UNCOUNTED:
                lobby.budgets.ask(address_of(request))
            return await responders[method](lobby, request)
        except Refusal as refusal:
            return problem_of(refusal)
        except StoreError:
            return problem_of(Refusal(Reason.UNAVAILABLE, retry_after_ms=lobby.limits.retry_ms))
        except ClientDisconnect:  # in the middle of its body: nobody will read this
            return problem_of(Refusal(Reason.MALFORMED))

    return answer


def address_of(request: Request) -> str:
    """Return the address a request is charged to."""
    return payer_of(request.client)


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
        # A field may be called nothing at all; a body that is no map has none to name.
        names_one = problem.field or problem.reason is Reason.UNKNOWN_FIELD
        facts = {"field": problem.field} if names_one else {}
        raise Refusal(problem.reason, **facts) from error
    except (OutOfBounds, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Refusal(Reason.MALFORMED) from error
