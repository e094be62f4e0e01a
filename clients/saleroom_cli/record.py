"""`saleroom record`: check a finished game, or be told it."""

import sys
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, TextIO

import msgspec
import typer
from rich.table import Table
from rich.text import Text

from saleroom_cli.console import complain, fail, out, shown, spoken, tell
from saleroom_cli.options import Tongue
from saleroom_cli.table import table_lines
from saleroom_cli.telling import Teller
from saleroom_protocol.games.common import Event
from saleroom_protocol.games.record import Acted, AnyEntry, Expired, OutcomeLine
from saleroom_rules import replay
from saleroom_rules.record import MAX_RECORD_BYTES, Record, RecordError

app = typer.Typer(help="Check a finished game's record, or be told the game.", no_args_is_help=True)

File = Annotated[
    Path, typer.Argument(metavar="FILE", help="The record (JSON Lines); - reads standard input.")
]
Files = Annotated[
    list[Path],
    typer.Argument(metavar="FILE...", help="Records (JSON Lines); - reads standard input."),
]
Told = Iterable[tuple[AnyEntry, tuple[Event, ...]]]
As = Annotated[
    int | None,
    typer.Option("--as", metavar="SEAT", help="Tell it as this seat saw it; else as a spectator."),
]


@app.command("verify")
def verify_command(files: Files) -> None:
    """Check records: digest, seeds, every action by the rules, and the outcome.

    Exit code 0 if all of it is true, 1 if anything is not; each file's first fault is named.
    """
    faults = 0
    for file in files:
        try:
            record = _verified(file)
        except (RecordError, OSError) as error:
            faults += 1
            complain(f"{file}: {_said(error)}")
        else:
            verified = Text.assemble(("verified", "bold green"), " ", shown(str(file)))
            out.print(verified, soft_wrap=True)
            out.print(_facts(record))
    if faults:
        raise typer.Exit(1)


@app.command("show")
def show_command(file: File, as_seat: As = None, language: Tongue = None) -> None:
    """Tell a recorded game, line by line, as a spectator or one seat heard it."""
    try:
        record = _verified(file)
        told = list(replay.tell(record, as_seat))
    except (RecordError, OSError) as error:
        fail(f"{file}: {_said(error)}")
    teller = Teller.of(replay.rules_of(record.header), language or spoken())
    for line in _told(record, as_seat, teller, told):
        tell(line)


def _told(record: Record, viewer: int | None, teller: Teller, told: Told) -> Iterator[Text]:
    """Tell a game from its heading to the places; before them how the table stood at the end."""
    yield from teller.heading(record.header, viewer)
    for entry, events in told:
        yield from teller.lines(entry, events)
    yield from table_lines(teller, _ended(record))
    yield from teller.places(record.closing.outcome)


def _ended(record: Record) -> dict[str, Any]:
    """Return what everybody saw of the table at last; the table is empty if nothing was dealt."""
    states = [step.state for played in replay.replay(record) for step in played.steps]
    rules = replay.rules_of(record.header)
    table = msgspec.json.encode(rules.table(states[-1]) if states else {})
    seen = {"seats": {}, "options": record.header.options, "table": msgspec.json.decode(table)}
    return {"game": record.header.game, **seen}


def _verified(file: Path) -> Record:
    return replay.verify(_read(file))


def _said(error: RecordError | OSError) -> str:
    return str(error) if isinstance(error, RecordError) else error.strerror or str(error)


def _facts(record: Record) -> Table:
    header = record.header
    acts = sum(isinstance(line, Acted) for line in record.lines)
    ran_out = sum(isinstance(line, Expired) for line in record.lines)
    facts = Table.grid(padding=(0, 2))
    facts.add_column()
    facts.add_column(overflow="fold")
    facts.add_row("  game", f"{replay.rules_of(header).title}, edition {header.edition}")
    facts.add_row("  room", header.room)
    facts.add_row("  seats", str(header.seats))
    if header.created_at:
        facts.add_row("  created", _date(header.created_at))
    facts.add_row("  actions", f"{acts} taken, {ran_out} windows ran out")
    facts.add_row("  ended", shown(_ending(record.closing.outcome)))
    facts.add_row("  digest", record.closing.digest)
    return facts


def _read(file: Path) -> bytes:
    """Read one byte more than a record may have, so that a huge file fails without being read."""
    if str(file) == "-":
        given = _stdin()
        if given is None:
            raise OSError("standard input is closed")
        return given.buffer.read(MAX_RECORD_BYTES + 1)
    with file.open("rb") as stream:
        return stream.read(MAX_RECORD_BYTES + 1)


def _stdin() -> TextIO | None:
    return sys.stdin  # None if the process was started without one


def _date(at: int) -> str:
    try:
        return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (OverflowError, ValueError, OSError):
        return f"{at} ms after 1970"


def _ending(outcome: OutcomeLine) -> str:
    places = outcome.places or {}
    winners = [f"seat {seat}" for seat, place in sorted(places.items()) if place == 1]
    if not winners:
        return f"closed without a result: {outcome.reason}"
    return f"{outcome.reason}, won by {' and '.join(winners)}"
