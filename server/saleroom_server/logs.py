"""What the server logs, and what it never does.

A log is read by more people than may see a hand. Tracebacks say where and what kind, never what an
exception says of itself: `KeyError('p07')` would name a card.
"""

import logging
import traceback
from collections.abc import Iterator
from types import TracebackType
from typing import TypeAlias

FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
Caught: TypeAlias = (
    tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]
)


class Discreet(logging.Formatter):
    """Formats tracebacks without the words of exceptions."""

    def formatException(self, ei: Caught) -> str:
        """Return where it happened and what kind it is, the cause first."""
        return "".join(_told(ei[1])).rstrip("\n")


def configure(level: str) -> None:
    """Log to standard error from a level on ("debug", "info", "warning", "error")."""
    handler = logging.StreamHandler()
    handler.setFormatter(Discreet(FORMAT))
    logging.basicConfig(level=level.upper(), handlers=[handler])
    # uvicorn tells of every socket; on the finest level, with websockets, of every frame and what
    # is in it. That is nobody's to read.
    quiet = logging.INFO if level == "debug" else logging.WARNING
    for name in ("uvicorn", "websockets"):
        logging.getLogger(name).setLevel(quiet)


def _told(error: BaseException | None) -> Iterator[str]:
    if error is None:
        return
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if before is not None:
        yield from _told(before)
        yield "which led to\n"
    yield from traceback.format_tb(error.__traceback__)
    yield f"{type(error).__module__}.{type(error).__qualname__}\n"
