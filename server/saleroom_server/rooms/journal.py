"""What a room writes to its journal, and how a record comes of it.

A journal holds the record's entries, each with what the record keeps to itself: who sent an act
and under which id, and now and then a sum of the game's state, so that a replay that goes another
way is noticed instead of dealing other cards.
"""

from collections.abc import Sequence
from functools import cache
from hashlib import blake2b
from typing import Any, Literal, TypeAlias
from zlib import crc32

import msgspec
from msgspec import UNSET, Struct, UnsetType

from saleroom_protocol.canonical import canonical
from saleroom_protocol.games.record import AnyEntry, Header, OutcomeLine, Pace
from saleroom_rules.contract import AnyRules, Hidden
from saleroom_rules.record import write

Visibility: TypeAlias = Literal["public", "private"]


class Founding(Hidden, frozen=True, kw_only=True):
    """What a room was made with. Holds the secrets of the room, so it prints as its name only."""

    room: str
    game: str
    edition: int
    options: dict[str, Any]  # all of them, defaults filled in
    seats: int
    pace: Pace
    visibility: Visibility
    autostart: bool
    creator: str  # player; empty if nobody in particular
    server_seed: str
    commitment: str
    invite: str
    watch: str
    created_at: int

    def header(self, contributions: dict[str, str]) -> Header:
        """Return the record's first line."""
        return Header(
            format="saleroom-record/1",
            room=self.room,
            game=self.game,
            edition=self.edition,
            options=self.options,
            seats=self.seats,
            pace=self.pace,
            commitment=self.commitment,
            server_seed=self.server_seed,
            contributions=contributions,
            created_at=self.created_at,
        )


class StateSum(Struct, frozen=True):
    """A checksum of a game's state, good only for code that lays states out the same way."""

    layout: int
    crc: int


class Sent(Struct, frozen=True, gc=False):
    """What an act is known by when it is sent again."""

    player: str
    id: str
    content: bytes  # digest of window and action


class Journalled(Hidden, frozen=True, kw_only=True, omit_defaults=True):
    """One entry of a journal. It may hold a sealed answer, so it prints as its name only."""

    entry: AnyEntry
    founding: Founding | UnsetType = UNSET  # with the first
    sent: Sent | UnsetType = UNSET  # with what somebody sent
    sum: StateSum | UnsetType = UNSET  # of the state after this entry


_decoder = msgspec.msgpack.Decoder(Journalled)


def encode(journalled: Journalled) -> bytes:
    """Return an entry as it stands in the store."""
    return msgspec.msgpack.encode(journalled)


def decode(body: bytes) -> Journalled:
    """Read an entry out of the store.

    Raises:
        msgspec.DecodeError: it was not written by `encode`.
    """
    return _decoder.decode(body)


def content_of(window: int | UnsetType, action: dict[str, Any]) -> bytes:
    """Return a digest of what an act said; the order of keys aside.

    What no document may hold is no action, so it is never accepted and needs none.
    """
    told = {"window": -1 if window is UNSET else window, "action": action}
    try:
        return blake2b(canonical(told), digest_size=16).digest()
    except (TypeError, ValueError, OverflowError):
        return b""


@cache
def _layout(rules: AnyRules) -> int:
    """Tell layouts of a game's state apart: field names and types, all the way down."""
    return crc32(repr(msgspec.inspect.type_info(rules.state_type)).encode())


def sum_of(rules: AnyRules, state: Any) -> StateSum:
    """Return the checksum of a state."""
    return StateSum(_layout(rules), crc32(msgspec.msgpack.encode(state)))


def diverges(rules: AnyRules, state: Any, sum_: StateSum) -> bool:
    """Tell whether a replayed state is another than the one that was played."""
    return sum_.layout == _layout(rules) and sum_ != sum_of(rules, state)


def record_of(
    founding: Founding,
    contributions: dict[str, str],
    entries: Sequence[Journalled],
    outcome: OutcomeLine,
) -> bytes:
    """Return the record of a room that has ended."""
    return write(
        founding.header(contributions), [journalled.entry for journalled in entries], outcome
    )
