"""Randomness that anybody can check. PROTOCOL.md, "Randomness".

The server commits to a seed before anyone sits down and reveals it when the game is over. In
between, nothing here may show up in a view, a log line or a `repr`.
"""

import hmac
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

Item = TypeVar("Item")
_WORDS = 2**64


class Draw(Struct, frozen=True):
    """One accepted draw: the `n`-th word of `domain`, reduced to 0 … bound − 1."""

    domain: str
    n: int
    bound: int
    value: int


def commitment(server_seed: bytes) -> bytes:
    """Return what is public of a server seed from the moment a room exists."""
    return sha256(server_seed).digest()


def game_seed(server_seed: bytes, room: str, contributions: Sequence[bytes]) -> bytes:
    """Mix the seed a game is dealt from.

    Args:
        server_seed: 32 bytes, committed to beforehand.
        room: the room's id.
        contributions: one per seat in seat order; empty for a seat that gave none.
    """
    parts = b"".join(map(_with_length, (room.encode(), *contributions)))
    return hmac.digest(server_seed, b"saleroom/1" + parts, "sha256")


class Rng(Struct, frozen=True):
    """A source of draws, as a value: each draw returns a new `Rng` beside what was drawn.

    Draws are named by domain and counted within it, so that a draw more in one place changes
    nothing in another.
    """

    seed: bytes
    counts: dict[str, int] = {}  # domain -> words used, rejected ones included

    def __repr__(self) -> str:
        """Name the counts only: from the seed every later draw follows."""
        return f"Rng(counts={self.counts!r})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        """Keep pretty printers from walking the fields themselves."""
        return [("counts", self.counts)]

    def draw(self, domain: str, bound: int) -> "tuple[int, Rng]":
        """Draw one of 0 … bound − 1, all equally likely.

        Raises:
            ValueError: bound is not within 1 … 2^64.
        """
        value, n = self._next(domain, bound, self.counts.get(domain, 0))
        return value, self._after(domain, n)

    def die(self, domain: str) -> "tuple[int, Rng]":
        """Roll a die: 1 … 6."""
        value, rng = self.draw(domain, 6)
        return 1 + value, rng

    def shuffle(self, domain: str, items: Sequence[Item]) -> "tuple[tuple[Item, ...], Rng]":
        """Shuffle from the last place down; the result's first item is the top of the pile."""
        pile, n = list(items), self.counts.get(domain, 0)
        for last in range(len(pile) - 1, 0, -1):
            other, n = self._next(domain, last + 1, n)
            pile[last], pile[other] = pile[other], pile[last]
        return tuple(pile), self._after(domain, n)

    def _next(self, domain: str, bound: int, n: int) -> tuple[int, int]:
        """Return the first unbiased word from the n-th on, reduced, and the count after it."""
        if not 1 <= bound <= _WORDS:
            raise ValueError(f"a bound is within 1 and 2^64, not {bound}")
        prefix = self.seed + _with_length(domain.encode())
        fair = _WORDS // bound * bound
        while True:
            word = int.from_bytes(sha256(prefix + n.to_bytes(8, "big")).digest()[:8], "big")
            n += 1
            if word < fair:
                self._note(domain, n - 1, bound, word % bound)
                return word % bound, n

    def _after(self, domain: str, n: int) -> "Rng":
        return replace(self, counts={**self.counts, domain: n})

    def _note(self, domain: str, n: int, bound: int, value: int) -> None:
        """Hear of an accepted draw; see `TracingRng`."""


class TracingRng(Rng, frozen=True):
    """An `Rng` that also writes its draws down, for those who check a finished game."""

    trace: list[Draw] = []

    def _note(self, domain: str, n: int, bound: int, value: int) -> None:
        self.trace.append(Draw(domain, n, bound, value))


def seed_of(
    server_seed: str, room: str, seats: int, contributions: Mapping[str, str]
) -> tuple[bytes, bytes]:
    """Return commitment and game seed from the hex strings of a record's header."""
    secret = bytes.fromhex(server_seed)
    shares = [bytes.fromhex(contributions.get(str(seat), "")) for seat in range(seats)]
    return commitment(secret), game_seed(secret, room, shares)


def _with_length(part: bytes) -> bytes:
    return len(part).to_bytes(4, "big") + part
