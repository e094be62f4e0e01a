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
MAX_LINES = 50_000  # entries and draws
MAX_LINE_BYTES = 64 * 1024  # four times what a client may send
SAID_CHARS = 200  # of a record's own words, in a message about it

Line: TypeAlias = AnyEntry | Drawn
LineT = TypeVar("LineT")


class RecordError(ValueError):
    """A record that cannot be read, or does not hold together.

    Attributes:
        line: where, counted from 1; None if it concerns the whole.
        problem: what is wrong.
    """

    def __init__(self, problem: str, line: int | None = None) -> None:
        said = problem if len(problem) <= SAID_CHARS else problem[:SAID_CHARS] + "…"
        super().__init__(said if line is None else f"line {line}: {said}")
        self.line = line
        self.problem = said


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
        RecordError: it is too large, not a record, cut off, has a line that is not written as a
            record's lines are, or its digest does not fit.
    """
    raw = _split(data)
    header = _decode(raw[0], Header, 1)
    lines = tuple(_decode(line, Line, number) for number, line in enumerate(raw[1:-1], 2))
    closing = _decode(raw[-1], Closing, len(raw))
    if sum(not isinstance(line, Drawn) for line in lines) > MAX_ENTRIES:
        raise RecordError(f"more than {MAX_ENTRIES} entries")
    if closing.digest != _digest((header, *lines), raw):
        raise RecordError("the digest does not fit the lines before it", len(raw))
    return Record(header, lines, closing)


def _split(data: bytes) -> list[bytes]:
    """Check the outer form and return the lines, newlines included."""
    if len(data) > MAX_RECORD_BYTES:
        raise RecordError(f"larger than {MAX_RECORD_BYTES} bytes")
    if not data.startswith(b"{"):
        raise RecordError("not a record: it does not begin with a JSON object", 1)
    if b"\r\n" in data:
        raise RecordError("lines end in CR LF; a record's end in LF alone")
    if not data.endswith(b"\n"):
        raise RecordError("cut off: the last line has no end")
    if data.count(b"\n") > MAX_LINES:
        raise RecordError(f"more than {MAX_LINES} lines")
    raw = [line + b"\n" for line in data.split(b"\n")[:-1]]
    for number, line in enumerate(raw, 1):
        if len(line) > MAX_LINE_BYTES:
            raise RecordError(f"longer than {MAX_LINE_BYTES} bytes", number)
    if b'"outcome"' not in raw[-1]:
        raise RecordError("cut off: the last line is not a closing line")
    return raw


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
    """Read a line and insist that it is written as we write it.

    Otherwise text that is not checked, or a key that stands twice, could ride along.
    """
    try:
        decoded = msgspec.json.decode(line, type=line_type)
        written = encode_line(decoded)
    except RecursionError as error:
        raise RecordError("nested too deep", number) from error
    except msgspec.DecodeError as error:
        raise RecordError(str(error), number) from error
    if written != line:
        raise RecordError("written otherwise than a record's lines are", number)
    return decoded
