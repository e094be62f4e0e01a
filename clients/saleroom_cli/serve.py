"""`saleroom serve`: run a server."""

import asyncio
import logging
import os
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from saleroom_cli.console import err, fail, out
from saleroom_cli.online import without_server

Host = Annotated[str | None, typer.Option(help="Address to listen on; 127.0.0.1 by default.")]
Port = Annotated[int | None, typer.Option(help="Port; 8000 by default, 0 for any free one.")]
Data = Annotated[
    str | None,
    typer.Option(metavar="DIR", help="Where rooms are kept; ./saleroom-data by default."),
]
LogLevel = Annotated[str | None, typer.Option(help="debug, info, warning or error.")]
ListSettings = Annotated[
    bool, typer.Option("--settings", help="List every setting, with its variable, and stop.")
]


def serve_command(
    host: Host = None,
    port: Port = None,
    data: Data = None,
    log_level: LogLevel = None,
    settings: ListSettings = False,
) -> None:
    """Run a server until it is told to end (Ctrl-C, SIGTERM).

    Every setting is also an environment variable: SALEROOM_PORT=9000 saleroom serve. Flags come
    before variables. `saleroom serve --settings` lists them all.
    """
    try:
        from saleroom_server import settings as known
        from saleroom_server.serve import serve
        from saleroom_server.store.interface import StoreError
    except ModuleNotFoundError as missing:
        without_server(missing)
    if settings:
        out.print(_listed(known))
        return
    flags = {"host": host, "port": port, "data": data, "log_level": log_level}
    try:
        chosen = known.read(os.environ, flags)
    except known.BadSetting as problem:
        fail(str(problem), 2)
    logging.basicConfig(
        level=chosen.log_level.upper(), format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    if chosen.log_level != "debug":
        logging.getLogger("uvicorn").setLevel(logging.WARNING)  # it tells of every socket
    try:
        _run(serve(chosen, _tell))
    except (StoreError, OSError) as problem:
        fail(str(problem))


def _tell(serving: Any) -> None:
    err.print(f"Saleroom serves at {serving.url}", soft_wrap=True)


def _run(served: Any) -> None:
    """Run on uvloop where there is one."""
    try:
        import uvloop
    except ImportError:  # Windows
        asyncio.run(served)
    else:
        uvloop.run(served)


def _listed(known: Any) -> Table:
    table = Table("variable", "default", box=None, pad_edge=False)
    for setting in known.known():
        table.add_row(Text(setting.variable), Text(str(setting.default)))
    return table
