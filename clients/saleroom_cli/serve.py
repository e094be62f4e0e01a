"""`saleroom serve`: run a server."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from typing import Annotated, Any

import typer

from saleroom_cli.console import err, fail, shown, tell
from saleroom_cli.online import without_server
from saleroom_cli.problems import system_problem

Host = Annotated[
    str | None, typer.Option(metavar="ADDRESS", help="Address to listen on; 127.0.0.1 by default.")
]
Port = Annotated[int | None, typer.Option(help="Port; 8000 by default, 0 for any free one.")]
Data = Annotated[
    str | None,
    typer.Option(metavar="DIR", help="Where rooms are kept; ./saleroom-data by default."),
]
StoreUrl = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="URL",
        help="A Redis or Valkey to keep them in instead, redis://HOST:PORT/DATABASE; with a "
        "password better by SALEROOM_STORE, which others on the machine do not see.",
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        metavar="NUMBER",
        help="Processes that serve together, on a Valkey of their own in the directory, or on the "
        "store; this one alone by default.",
    ),
]
DefaultPace = Annotated[
    str | None,
    typer.Option(
        "--pace",
        metavar="PACE",
        help="relaxed, standard, quick or untimed: of rooms whose makers do not say; standard by "
        "default.",
    ),
]
TrustProxy = Annotated[
    str | None,
    typer.Option(
        metavar="CIDR",
        help="Address or network of the proxy before it, whose X-Forwarded-For then counts; "
        "several by commas.",
    ),
]
LogLevel = Annotated[
    str | None,
    typer.Option(metavar="LEVEL", help="debug, info, warning or error; info by default."),
]
LogFormat = Annotated[
    str | None,
    typer.Option(metavar="FORMAT", help="console or json, an object a line; console by default."),
]
MetricsPort = Annotated[
    int | None,
    typer.Option(help="Port to serve metrics on, for Prometheus, at 127.0.0.1; none by default."),
]
ListSettings = Annotated[
    bool,
    typer.Option("--settings", help="List every setting: what for, variable, default; and stop."),
]


@contextmanager
def _ending_when_told() -> Iterator[None]:
    """End with 0 at SIGTERM, as long as no server does so better."""
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@_ending_when_told()
def serve_command(
    host: Host = None,
    port: Port = None,
    data: Data = None,
    store: StoreUrl = None,
    workers: Workers = None,
    pace: DefaultPace = None,
    trust_proxy: TrustProxy = None,
    log_level: LogLevel = None,
    log_format: LogFormat = None,
    metrics_port: MetricsPort = None,
    settings: ListSettings = False,
) -> None:
    """Run a server until it is told to end (Ctrl-C, SIGTERM).

    Every setting is also an environment variable: SALEROOM_PORT=9000 saleroom serve. Flags come
    before variables. `saleroom serve --settings` lists them all, in the form of a file of
    variables. server/OPERATING.md is the guide for operators; `saleroom admin` looks after the
    data.
    """
    try:
        from saleroom_server import logs
        from saleroom_server import settings as known
        from saleroom_server.serve import run, serve
        from saleroom_server.store.interface import StoreError
        from saleroom_server.workers.supervisor import serve_by_workers
        from saleroom_server.workers.worker import NotStarted
    except ModuleNotFoundError as missing:
        without_server(missing)
    if settings:
        for line in _listed(known):
            tell(line)
        return
    flags = {
        "host": host,
        "port": port,
        "data": data,
        "store": store,
        "workers": workers,
        "pace": pace,
        "trust_proxy": trust_proxy,
        "log_level": log_level,
        "log_format": log_format,
        "metrics_port": metrics_port,
    }
    try:
        chosen = known.read(os.environ, flags)
    except known.BadSetting as problem:
        fail(str(problem), 2)
    logs.configure(chosen.log_level, chosen.log_format)
    try:
        # Of lines that are all objects none may be a sentence: the log says the same.
        ready = _tell if chosen.log_format == "console" else _ignore
        run((serve_by_workers if chosen.workers else serve)(chosen, ready))
    except OSError as problem:
        fail(system_problem(problem))
    except StoreError as problem:
        fail(str(problem))
    except NotStarted as problem:
        fail(str(problem), problem.code)


def _tell(serving: Any) -> None:
    by = f" with {serving.workers} workers" if serving.workers else ""
    err.print(f"Saleroom serves at {serving.url}{by}", soft_wrap=True)
    host = serving.url.partition("//")[2].rpartition(":")[0].strip("[]")
    if not ip_address(host).is_loopback:
        warning = "Others can reach it, and nothing is encrypted: put a proxy with TLS before it."
        err.print(warning, soft_wrap=True)


def _ignore(serving: Any) -> None:
    """Say nothing."""


def _listed(known: Any) -> Iterator[str]:
    """Describe each setting in a comment, and give its default as its value."""
    for setting in known.known():
        yield f"# {setting.meaning}"
        yield shown(f"{setting.variable}={setting.default}")
