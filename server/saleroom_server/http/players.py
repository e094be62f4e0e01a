"""The lobby: guests and their tokens."""

from unicodedata import category

from starlette.requests import Request
from starlette.responses import Response

from saleroom_protocol.errors import Reason
from saleroom_protocol.http import NewPlayer, Token
from saleroom_server.http.answering import Nothing, Post, answered_for
from saleroom_server.http.lobby import Lobby, address_of, decoded
from saleroom_server.http.problems import Json
from saleroom_server.owner.founding import new_id
from saleroom_server.rooms.commands import Caller, Refusal

PLAYER_CHARS = 16
# Printable, says Unicode, and yet nothing is seen: the fillers of Hangul, the empty Braille cell, a
# note head without a note.
BLANKS = "\u115f\u1160\u3164\uffa0\u2800\U0001d159"
JOINERS = "\u200c\u200d"  # no mark on paper, but Persian and many an emoji need them


async def make_player(lobby: Lobby, request: Request) -> Response:
    """POST /v1/players."""
    lobby.budgets.register(address_of(request))
    asked = decoded(await lobby.body(request), NewPlayer, lobby.message_limits)
    if not _is_name(asked.name):
        raise Refusal(Reason.MALFORMED, field="name")
    caller = Caller(new_id("p", PLAYER_CHARS), asked.name, asked.kind)
    return Json(lobby.tokens.issue(caller, lobby.clock.now()), 201)


async def renew_token(lobby: Lobby, request: Request) -> Response:
    """POST /v1/players/me/token."""
    claims, now = lobby.tokens.read_expired(lobby.token(request)), lobby.clock.now()
    lobby.budgets.act(claims.player)
    if claims.expires_at <= now:
        late = claims.expires_at + lobby.limits.token_grace_ms <= now
        if late or not lobby.hall.holds_seat(claims.player):
            raise Refusal(Reason.BAD_TOKEN)

    async def renew(post: Post) -> Response:
        post.read(Nothing)
        fresh = lobby.tokens.issue(post.caller, now)
        return Json(Token(token=fresh.token, expires_at=fresh.expires_at), 201)

    return await answered_for(lobby, request, claims.caller, renew)


def _is_name(name: str) -> bool:
    """Whether a name can be shown: something to see, and nothing that disturbs what is around."""
    return any(map(_is_seen, name)) and all(
        char.isprintable() or char in JOINERS or category(char) == "Zs" for char in name
    )


def _is_seen(char: str) -> bool:
    """Whether a character is seen by itself: what only changes another one (M) is not."""
    return char not in BLANKS and category(char)[0] in "LNPS"
