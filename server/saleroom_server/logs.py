"""What the server logs, and what it never does. Every event is named in `server/OBSERVING.md`.

A log is read by more people than may see a hand. Tracebacks say where and what kind, never what an
exception says of itself: `KeyError('p07')` would name a card. Nor is there ever a player's name,
token or address, an invitation, or the path of a request: invitations travel in its query.

An event is a short name that stays, with fields: `log.info("room_made", room=room, game=game)`. It
goes through the standard library, so that what uvicorn has to say comes out alike.
"""

import logging
import traceback
from collections.abc import Iterator, MutableMapping
from typing import Any, Literal, TypeAlias, cast

import structlog
from structlog.dev import ConsoleRenderer
from structlog.processors import ExceptionRenderer, JSONRenderer, TimeStamper
from structlog.stdlib import (
    BoundLogger,
    ExtraAdder,
    ProcessorFormatter,
    add_log_level,
    add_logger_name,
    filter_by_level,
    render_to_log_kwargs,
)

Format: TypeAlias = Literal["console", "json"]
Event: TypeAlias = MutableMapping[str, Any]

# All that may stand beside an event. Whatever else somebody puts into a record is not written.
FIELDS = (
    "room", "game", "seats", "reason", "command", "request", "socket", "code",
    "route", "method", "status", "problem", "ms", "reasons", "mode", "line",
    "url", "metrics", "version", "store", "data", "changed", "rooms", "sockets",
    "node", "bytes", "worker", "workers",
)  # fmt: skip

# What any client can make uvicorn say, as often as it likes.
PROVOKED = frozenset(
    {
        "Invalid HTTP request received.",
        "Invalid UTF-8 sequence received from client.",
        "Unsupported upgrade request.",
    }
)


def logger(name: str) -> BoundLogger:
    """Return the logger of a part of the server."""
    wrapped = structlog.wrap_logger(
        logging.getLogger(f"saleroom.{name}"),
        processors=[filter_by_level, render_to_log_kwargs],
        wrapper_class=BoundLogger,
        cache_logger_on_first_use=True,
    )
    return cast(BoundLogger, wrapped)


def configure(level: str, style: Format = "console", worker: int | None = None) -> None:
    """Log to standard error from a level on ("debug", "info", "warning", "error").

    A worker's number stands in each of its lines.
    """
    handler = logging.StreamHandler()
    handler.setFormatter(formatter(style, worker))
    handler.addFilter(Demoting(level == "debug"))
    logging.basicConfig(level=level.upper(), handlers=[handler])
    # uvicorn tells of every socket with its query; on the finest level, with websockets, of every
    # frame and what is in it. That is nobody's to read.
    for name in ("uvicorn", "websockets"):
        logging.getLogger(name).setLevel(logging.WARNING)


def formatter(style: Format, worker: int | None = None) -> logging.Formatter:
    """Return what makes lines of records: for people, or a JSON object each."""

    def told_by(_: Any, __: str, event: Event) -> Event:
        return event if worker is None else {**event, "worker": worker}

    return ProcessorFormatter(
        processors=[
            TimeStamper(fmt="iso"),
            add_log_level,
            add_logger_name,
            _discreet,
            ExtraAdder(FIELDS),
            told_by,
            ExceptionRenderer(lambda caught: "".join(_told(caught[1])).rstrip("\n")),
            ProcessorFormatter.remove_processors_meta,
            _plain,
            JSONRenderer() if style == "json" else ConsoleRenderer(colors=False, sort_keys=False),
        ]
    )


class Demoting(logging.Filter):
    """Lets what clients provoke be no more than debugging, lest they flood the log."""

    def __init__(self, shown: bool) -> None:
        super().__init__()
        self._shown = shown

    def filter(self, record: logging.LogRecord) -> bool:
        """Tell whether a record is logged."""
        if record.msg not in PROVOKED:
            return True
        record.levelno, record.levelname = logging.DEBUG, "DEBUG"
        record.exc_info = None
        return self._shown


def _discreet(_: Any, __: str, event: Event) -> Event:
    """Of asyncio keep what it is about: it goes on with exceptions, and with what it called."""
    record: logging.LogRecord = event["_record"]
    told = str(record.msg) if record.name == "asyncio" else event["event"]
    event["event"] = told.strip().partition("\n")[0]
    return event


def _plain(_: Any, __: str, event: Event) -> Event:
    """Of a value that is not plain tell the kind: nobody knows what it would say of itself."""
    return {name: _written(value) for name, value in event.items()}


def _written(value: Any) -> Any:
    match value:
        case None | bool() | float():
            return value
        case str():
            return str(value)
        case int():
            return int(value)
        case list() | tuple():
            return [_written(one) for one in value]
    return type(value).__qualname__


def _told(error: BaseException) -> Iterator[str]:
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if before is not None:
        yield from _told(before)
        yield "which led to\n"
    yield from traceback.format_tb(error.__traceback__)
    yield f"{type(error).__module__}.{type(error).__qualname__}\n"
