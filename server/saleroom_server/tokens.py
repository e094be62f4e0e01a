"""Tokens: who somebody is, signed by the server. Nothing is stored for them.

A token is the payload and its HMAC-SHA256 signature (itsdangerous), in URL-safe characters.
"""

from hashlib import sha256
from typing import Literal

import msgspec
from itsdangerous import BadData, Signer
from itsdangerous.encoding import base64_decode, base64_encode
from msgspec import Struct

from saleroom_protocol.errors import Reason
from saleroom_protocol.http import Identity
from saleroom_server.rooms.commands import Caller, Refusal


class Claims(Struct, frozen=True):
    """What a token says."""

    player: str
    name: str
    kind: Literal["person", "bot"]
    expires_at: int

    @property
    def caller(self) -> Caller:
        """Whom it makes a caller."""
        return Caller(self.player, self.name, self.kind)


class Tokens:
    """Makes and reads tokens."""

    def __init__(self, key: bytes, lifetime_ms: int) -> None:
        self._signer = Signer(key, salt="saleroom.token", sep=".", digest_method=sha256)
        self._lifetime_ms = lifetime_ms

    def issue(self, caller: Caller, now: int) -> Identity:
        """Make a token for a player."""
        assert caller.player is not None, "a token is somebody's"
        claims = Claims(caller.player, caller.name, caller.kind, now + self._lifetime_ms)
        token = self._signed(msgspec.msgpack.encode(claims))
        return Identity(
            player=claims.player,
            name=claims.name,
            kind=claims.kind,
            token=token,
            expires_at=claims.expires_at,
        )

    def read(self, token: str, now: int) -> Claims:
        """Return what a token says.

        Raises:
            Refusal: `bad_token`: it is not ours, or too old.
        """
        claims = self.read_expired(token)
        if claims.expires_at <= now:
            raise Refusal(Reason.BAD_TOKEN)
        return claims

    def read_expired(self, token: str) -> Claims:
        """Return what a token says, however old it is.

        Raises:
            Refusal: `bad_token`: it is not ours.
        """
        try:
            payload = base64_decode(self._signer.unsign(token))
            claims = msgspec.msgpack.decode(payload, type=Claims)
        except (BadData, ValueError) as error:
            raise Refusal(Reason.BAD_TOKEN) from error
        if self._signed(payload) != token:  # base64 has several spellings of the same bytes
            raise Refusal(Reason.BAD_TOKEN)
        return claims

    def _signed(self, payload: bytes) -> str:
        return self._signer.sign(base64_encode(payload)).decode()
