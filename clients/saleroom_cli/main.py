"""The `saleroom` command: what stands at its top."""

from importlib.metadata import version
from typing import Annotated

import typer

from saleroom_cli import record, rules

app = typer.Typer(
    name="saleroom",
    help="Three art-trade board games: play, watch, check and simulate them.",
    no_args_is_help=True,
    pretty_exceptions_show_locals=False,  # locals may hold a seed or a hand
)
app.add_typer(record.app, name="record")
app.add_typer(rules.app, name="rules")


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"saleroom {version('saleroom')}")
        raise typer.Exit


@app.callback()
def main(
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Print the version and stop."
        ),
    ] = False,
) -> None:
    """Take the options that stand before any command."""
