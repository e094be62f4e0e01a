"""The `saleroom` command: what stands at its top."""

import sys
from importlib.metadata import version
from typing import Annotated

import typer

from saleroom_cli import (
    admin,
    admin_nodes,
    admin_rooms,
    bot,
    demo,
    play,
    record,
    rooms,
    rules,
    serve,
    watch,
)
from saleroom_cli.console import complain, print_anything

app = typer.Typer(
    name="saleroom",
    help="Three art-trade board games, live: serve them, play them, watch them, check them.",
    no_args_is_help=True,
    rich_markup_mode="markdown",  # the only mode that fills the lines of a paragraph
    pretty_exceptions_show_locals=False,  # locals may hold a seed or a hand
)
app.add_typer(record.app, name="record")
app.add_typer(rules.app, name="rules")
app.add_typer(admin.app, name="admin")
admin.app.command("nodes")(admin_nodes.nodes_command)
admin.app.command("rooms")(admin_rooms.rooms_command)
admin.app.command("drain")(admin_nodes.drain_command)
admin.app.command("close")(admin_rooms.close_command)
app.command("serve")(serve.serve_command)
app.command("demo")(demo.demo_command)
app.command("play")(play.play_command)
app.command("bot")(bot.bot_command)
app.command("watch")(watch.watch_command)
app.command("rooms")(rooms.rooms_command)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"saleroom {version('saleroom')}")
        raise typer.Exit


def run() -> None:
    """Run the command; what the system refuses ends in one line."""
    try:
        app()
    except OSError as error:
        complain(error.strerror or str(error))
        sys.exit(1)


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
    print_anything()
