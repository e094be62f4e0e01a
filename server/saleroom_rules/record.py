"""Records as bytes: written, read, and their digest. What they mean is in `replay`.

A record is JSON Lines: a header, the journal's entries, a closing line (PROTOCOL.md, "Record").
"""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Any, TypeAlias, TypeVar

import msgspec
from msgspec import Struct

from saleroom_protocol.games.record import AnyEntry, Closing, Drawn, Header, OutcomeLine
from saleroom_rules.contract import Outcome

MAX_RECORD_BYTES = 16 * 2**20  # far above what 10,000 entries need
MAX_ENTRIES = 10_000  # a room is closed before its journal grows longer

Line: TypeAlias = AnyEntry | Drawn
LineT = TypeVar("LineT")


class RecordError(ValueError):
    """A record that cannot be read, or does not hold together.

    Attributes:
        line: where, counted from 1; None if it concerns the whole.
        problem: what is wrong.
    """

    def __init__(self, problem: str, line: int | None = None) -> None:
        super().__init__(problem if line is None else f"line {line}: {problem}")
        self.line = line
        self.problem = problem


class Record(Struct, frozen=True):
    """A record that could be read; `replay.verify` tells whether it is true."""

    header: Header
    lines: tuple[Line, ...]  # entries, each followed by its draws if the record has them
    closing: Closing


def write(header: Header, lines: Iterable[Line], outcome: OutcomeLine) -> bytes:
    """Return the record's bytes, digest computed."""
    told = (header, *lines)
    written = tuple(map(encode_line, told))
    closing = Closing(outcome=outcome, digest=_digest(told, written))
    return b"".join((*written, encode_line(closing)))


def read(data: bytes) -> Record:
    """Read a record and check its form and digest.

    Raises:
        RecordError: it is too large, not a record, cut off, or its digest does not fit.
    """
    if len(data) > MAX_RECORD_BYTES:
        raise RecordError(f"larger than {MAX_RECORD_BYTES} bytes")
    raw = [line + b"\n" for line in data.split(b"\n")[:-1]]
    if len(raw) < 2 or not data.endswith(b"\n"):
        raise RecordError("cut off: a record ends with a closing line")
    if len(raw) > 2 and not raw[0].startswith(b"{"):
        raise RecordError("not a record: a line is not a JSON object", 1)
    header = _decode(raw[0], Header, 1)
    lines = tuple(_decode(line, Line, number) for number, line in enumerate(raw[1:-1], 2))
    closing = _decode(raw[-1], Closing, len(raw))
    if sum(not isinstance(line, Drawn) for line in lines) > MAX_ENTRIES:
        raise RecordError(f"more than {MAX_ENTRIES} entries")
    if closing.digest != _digest((header, *lines), raw):
        raise RecordError("the digest does not fit the lines before it", len(raw))
    return Record(header, lines, closing)


def encode_line(line: Struct) -> bytes:
    """Return one line of a record."""
    return msgspec.json.encode(line) + b"\n"


def outcome_line(outcome: Outcome) -> OutcomeLine:
    """Return an outcome as it stands in a record."""
    return OutcomeLine(
        reason=outcome.reason,
        scores=by_seat(outcome.scores),
        places=by_seat(outcome.places),
    )


def by_seat(values: Sequence[int]) -> dict[str, int]:
    """Return a map from seat to value, as documents and records have it."""
    return {str(seat): value for seat, value in enumerate(values)}


def _digest(lines: Sequence[Struct], written: Sequence[bytes]) -> str:
    """Return the digest of the lines as they were written, draws left out."""
    pairs = zip(lines, written, strict=False)
    counted = (line for told, line in pairs if not isinstance(told, Drawn))
    return sha256(b"".join(counted)).hexdigest()


def _decode(line: bytes, line_type: Any, number: int) -> Any:
    try:
        return msgspec.json.decode(line, type=line_type)
    except (msgspec.DecodeError, RecursionError) as error:
        raise RecordError(str(error), number) from error
