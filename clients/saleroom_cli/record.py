"""`saleroom record`: check a finished game, or be told it."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from saleroom_cli.console import Language, escape, fail, out, spoken
from saleroom_cli.telling import Teller
from saleroom_protocol.games.record import Acted, Expired, OutcomeLine
from saleroom_rules.record import MAX_RECORD_BYTES, Record, RecordError
from saleroom_rules.replay import rules_of, tell, verify

app = typer.Typer(help="Check a finished game's record, or be told the game.", no_args_is_help=True)

File = Annotated[
    Path, typer.Argument(metavar="FILE", help="The record (JSON Lines); - reads standard input.")
]
As = Annotated[
    int | None,
    typer.Option("--as", metavar="SEAT", help="Tell it as this seat saw it; else as a spectator."),
]
Tongue = Annotated[
    Language | None,
    typer.Option("--language", help="Language of the telling; else that of the environment."),
]


@app.command("verify")
def verify_command(file: File) -> None:
    """Check a record: its digest, the seeds, every action by the rules, and the outcome.

    Exit code 0 if all of it is true, 1 with the first thing that is not.
    """
    record = _checked(file)
    header = record.header
    acts = sum(isinstance(line, Acted) for line in record.lines)
    ran_out = sum(isinstance(line, Expired) for line in record.lines)
    facts = Table.grid(padding=(0, 2))
    facts.add_row("game", f"{rules_of(header).title}, edition {header.edition}")
    facts.add_row("room", escape(header.room))
    facts.add_row("seats", str(header.seats))
    facts.add_row("created", _date(header.created_at))
    facts.add_row("actions", f"{acts} taken, {ran_out} windows ran out")
    facts.add_row("ended", escape(_ending(record.closing.outcome)))
    facts.add_row("digest", record.closing.digest)
    out.print("[bold green]verified[/]: the record holds together and follows the rules")
    out.print(facts)


@app.command("show")
def show_command(file: File, as_seat: As = None, language: Tongue = None) -> None:
    """Tell a recorded game, line by line, as a spectator or one seat heard it."""
    record = _checked(file)
    teller = Teller(rules_of(record.header), language or spoken())
    try:
        told = list(tell(record, as_seat))
    except RecordError as error:
        fail(str(error))
    for line in teller.heading(record.header, as_seat):
        out.print(line, soft_wrap=True)
    for entry, events in told:
        for line in teller.lines(entry, events):
            out.print(line, soft_wrap=True)
    for line in teller.result(record.closing.outcome):
        out.print(line, soft_wrap=True)


def _checked(file: Path) -> Record:
    try:
        return verify(_read(file))
    except RecordError as error:
        fail(f"{file}: {error}")
    except OSError as error:
        fail(f"{file}: {error.strerror}")


def _read(file: Path) -> bytes:
    """Read one byte more than a record may have, so that a huge file fails without being read."""
    if str(file) == "-":
        return typer.get_binary_stream("stdin").read(MAX_RECORD_BYTES + 1)
    with file.open("rb") as stream:
        return stream.read(MAX_RECORD_BYTES + 1)


def _date(at: int) -> str:
    try:
        return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (OverflowError, ValueError, OSError):
        return f"{at} ms after 1970"


def _ending(outcome: OutcomeLine) -> str:
    places = outcome.places or {}
    winners = [f"seat {seat}" for seat, place in sorted(places.items()) if place == 1]
    return f"{outcome.reason}, won by {' and '.join(winners)}" if winners else outcome.reason
