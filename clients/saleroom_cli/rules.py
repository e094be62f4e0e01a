"""`saleroom rules`: have them explained, or play them against themselves."""

from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from random import Random
from statistics import mean, median
from time import perf_counter
from typing import Annotated, Any

import msgspec
import typer
from msgspec import Struct
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from saleroom_cli.console import err, fail, out, shown, spoken, tell
from saleroom_cli.options import Tongue
from saleroom_cli.wording import explained
from saleroom_protocol.games.record import Header
from saleroom_rules.contract import AnyRules, Outcome
from saleroom_rules.games import GAMES
from saleroom_rules.playout import Turn, at_random, deal, describe, play, write_record

app = typer.Typer(
    help="Have a game explained, or play its rules against themselves.", no_args_is_help=True
)
Known = Annotated[str, typer.Argument(help=f"One of: {', '.join(GAMES)}.")]


class Played(Struct, frozen=True):
    """One simulated game: how many actions it took and how it ended."""

    actions: int
    outcome: Outcome


@app.command("show")
def show_command(game: Known, language: Tongue = None) -> None:
    """Explain a game in short, to somebody who has never played it."""
    rules_of(game)
    for line in explained(game, language or spoken()):
        tell(line)


@app.command("simulate")
def simulate_command(
    game: Known,
    seats: Annotated[
        int | None, typer.Option(min=1, help="Players; else each number the game allows.")
    ] = None,
    games: Annotated[int, typer.Option(min=1, max=10_000_000, help="How many to play.")] = 1000,
    seed: Annotated[int, typer.Option(help="The same seed plays the same games.")] = 1,
    option: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="An option of the game; may be repeated."),
    ] = None,
    records: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Write every game's record there, over older ones."),
    ] = None,
) -> None:
    """Play random games and report lengths, endings, and places by seat.

    Players pick what to do by chance, then how. This shows that games end and how they spread,
    not how well anybody could play.
    """
    rules = rules_of(game)
    if seats is not None and seats not in rules.seats:
        fail(f"{rules.title} is played with {_listed(rules.seats)} seats, not {seats}", 2)
    options = _options(rules, option or [])
    if records is not None:
        _make(records)
    for number in (seats,) if seats is not None else rules.seats:
        headers = (_header(rules, number, options, seed, index) for index in range(games))
        _report(rules, number, headers, games, records)
    if records is not None:
        out.print(f"records written to {shown(str(records))}", soft_wrap=True)


def rules_of(game: str) -> AnyRules:
    """Return the rules of a game that is named on the command line."""
    if game not in GAMES:
        fail(f"no game is called {game!r}; there is {', '.join(GAMES)}", 2)
    return GAMES[game]


def simulate(header: Header, luck: Random) -> tuple[Played, list[Turn]]:
    """Play one game to its end by chance."""
    rules = GAMES[header.game]
    turns = list(play(rules, deal(header), header.seats, at_random(luck.choice)))
    outcome = rules.outcome(turns[-1].step.state)
    assert outcome is not None, "play ends when the game is over"
    return Played(len(turns), outcome), turns


def _report(
    rules: AnyRules, seats: int, headers: Iterator[Header], games: int, records: Path | None
) -> None:
    played: list[Played] = []
    begun = perf_counter()
    try:
        for header in _progress(headers, games, f"{rules.title}, {seats} seats"):
            result, turns = simulate(header, Random(header.server_seed))
            if records is not None:
                _write(records / f"{header.room}.jsonl", write_record(header, turns))
            played.append(result)
    except KeyboardInterrupt:
        err.print(f"stopped after {len(played)} of {counted(games, 'game')}")
        if played:
            _print(rules, seats, played, perf_counter() - begun)
        raise typer.Exit(130) from None
    _print(rules, seats, played, perf_counter() - begun)


def _print(rules: AnyRules, seats: int, played: list[Played], seconds: float) -> None:
    lengths = sorted(game.actions for game in played)
    speed = sum(lengths) / seconds
    out.print(
        Text.assemble(
            (rules.title, "bold"),
            f", {seats} seats: {counted(len(played), 'game')}, "
            f"{counted(sum(lengths), 'action')}, {speed:,.0f} actions/s",
        )
    )
    out.print(_lengths(lengths))
    out.print(_endings(played))
    out.print(_places(seats, played))


def _lengths(lengths: list[int]) -> Table:
    table = Table(title="Actions a game", title_justify="left")
    for name in ("least", "median", "mean", "most"):
        table.add_column(name, justify="right")
    middle, average = f"{median(lengths):.0f}", f"{mean(lengths):.1f}"
    table.add_row(str(lengths[0]), middle, average, str(lengths[-1]))
    return table


def _endings(played: list[Played]) -> Table:
    table = Table(title="How games ended", title_justify="left")
    table.add_column("ending")
    table.add_column("games", justify="right")
    table.add_column("share", justify="right")
    for reason, count in Counter(game.outcome.reason for game in played).most_common():
        table.add_row(reason, str(count), f"{count / len(played):.1%}")
    return table


def _places(seats: int, played: list[Played]) -> Table:
    table = Table(title="Places by seat", title_justify="left")
    table.add_column("seat", justify="right")
    for place in range(1, seats + 1):
        table.add_column(f"{place}.", justify="right")
    table.add_column("mean score", justify="right")
    for seat in range(seats):
        counted = Counter(game.outcome.places[seat] for game in played)
        shares = (f"{counted[place] / len(played):.1%}" for place in range(1, seats + 1))
        score = mean(game.outcome.scores[seat] for game in played)
        table.add_row(str(seat), *shares, f"{score:,.0f}")
    return table


def _progress(headers: Iterator[Header], games: int, what: str) -> Iterator[Header]:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    shown = err.is_terminal
    with Progress(*columns, console=err, transient=True, disable=not shown) as progress:
        yield from progress.track(headers, total=games, description=what)


def _header(rules: AnyRules, seats: int, options: Any, seed: int, index: int) -> Header:
    """Describe the index-th game of a seed; nothing is left to chance, and it has no date."""
    secret = sha256(f"saleroom simulate {seed} {rules.key} {seats} {index}".encode()).digest()
    room = "r" + "".join("abcdefghijklmnopqrstuvwxyz234567"[byte % 32] for byte in secret[:12])
    return describe(rules, seats, secret, room=room, created_at=0, options=options)


def _options(rules: AnyRules, given: list[str]) -> Any:
    pairs = {}
    for pair in given:
        name, mark, value = pair.partition("=")
        if not mark:
            fail(f"an option is NAME=VALUE, not {pair!r}", 2)
        pairs[name] = value
    try:
        return msgspec.convert(pairs, rules.options, strict=False)
    except (msgspec.ValidationError, UnicodeError) as error:
        known = ", ".join(map(_option, msgspec.structs.fields(rules.options)))
        fail(f"{' '.join(given)}: {rules.title} has the options {known} ({error})", 2)


def _option(field: msgspec.structs.FieldInfo) -> str:
    values = "true|false" if field.type is bool else getattr(field.type, "__name__", "value")
    return f"{field.name}={values}"


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        fail(f"{folder}: {error.strerror}")


def counted(number: int, thing: str) -> str:
    """Say how many: "1 game", "2,000 games"."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def _write(path: Path, record: bytes) -> None:
    try:
        path.write_bytes(record)
    except OSError as error:
        fail(f"{path}: {error.strerror}")


def _listed(numbers: tuple[int, ...]) -> str:
    return f"{', '.join(map(str, numbers[:-1]))} or {numbers[-1]}"
