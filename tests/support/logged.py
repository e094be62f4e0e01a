"""What a server complains of in its log."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

SALEROOM = logging.getLogger("saleroom")


@contextmanager
def complaints() -> Iterator[list[str]]:
    """Collect what is logged as an error; nothing is printed meanwhile."""
    found: list[str] = []

    class Listening(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            found.append(self.format(record))

    listening = Listening(logging.ERROR)
    SALEROOM.addHandler(listening)
    SALEROOM.propagate = False
    try:
        yield found
    finally:
        SALEROOM.propagate = True
        SALEROOM.removeHandler(listening)
