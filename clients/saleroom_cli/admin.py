"""`saleroom admin`: what an operator does to a server's data, beside the server.

`admin_nodes` and `admin_rooms` have what concerns the nodes and rooms of a service.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import Progress

from saleroom_cli.console import err, fail, shown, tell
from saleroom_cli.online import without_server
from saleroom_cli.problems import system_problem

HERE = Path("saleroom-data")

logging.getLogger("saleroom").addHandler(logging.NullHandler())  # what a store logs is a server's

app = typer.Typer(
    help="Look after a server's data, and after the nodes and rooms of a service.",
    no_args_is_help=True,
)

Data = Annotated[
    Path, typer.Option(metavar="DIR", envvar="SALEROOM_DATA", help="The server's data directory.")
]
Backup = Annotated[Path, typer.Argument(metavar="FILE", help="The backup.")]
NewBackup = Annotated[Path, typer.Argument(metavar="FILE", help="A file that is not there yet.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask whether that is meant.")]


@app.command("backup")
def backup_command(file: NewBackup, data: Data = HERE) -> None:
    """Copy all rooms and records into one file, while the server plays on.

    The copy is of one moment, and checked. It holds the seeds of running games and the key that
    signs tokens: keep it as secret as the data directory. A Redis is copied by its own means.
    """
    from saleroom_server.store.backup import back_up

    with told(), _progress() as report:
        back_up(data, file, report)
    tell(shown(f"{file}: {file.stat().st_size:,} bytes"))


@app.command("restore")
def restore_command(file: Backup, data: Data = HERE) -> None:
    """Put a backup into an empty data directory; then start the server there.

    Rooms go on from where they were when the backup was made, tokens made before it are good, and
    what happened since has not happened.
    """
    from saleroom_server.store.backup import restore

    with told(), _progress() as report:
        restore(file, data, report)
    tell(shown(f"{data}: restored"))


@app.command("new-key")
def new_key_command(data: Data = HERE, yes: Yes = False) -> None:
    """Forget the key that signs tokens, once it may be known to others; the server must not run.

    The next start makes another. Nobody's token counts any more: players come back as new guests,
    and the rooms they sat in are closed as abandoned. In a Redis delete secret:token instead.
    """
    from saleroom_server.store.backup import forget_token_key

    if not yes and not typer.confirm("Every player loses their seats. Go on?", err=True):
        raise typer.Exit(1)
    with told():
        forget_token_key(data)
    tell(shown(f"{data}: the next start makes a new key"))


@contextmanager
def told() -> Iterator[None]:
    """Say in one line what cannot be done."""
    from saleroom_server.store.interface import StoreError

    try:
        yield
    except ModuleNotFoundError as missing:
        without_server(missing)
    except StoreError as problem:
        fail(str(problem))
    except OSError as problem:
        fail(system_problem(problem))


@contextmanager
def _progress() -> Iterator[Any]:
    """Show how far it is, to somebody who sits at a terminal."""
    with Progress(console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task("Copying", total=None)
        yield lambda done, whole: bar.update(task, completed=done, total=whole)
