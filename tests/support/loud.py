"""The log of a server at its loudest, kept in memory."""

import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager

from saleroom_server.logs import Demoting, Format, formatter


@contextmanager
def loud(style: Format) -> Iterator[io.StringIO]:
    """Log everything meanwhile, by whomever, as a server that debugs would."""
    stream, root = io.StringIO(), logging.getLogger()
    handler, level = logging.StreamHandler(stream), root.level
    handler.setFormatter(formatter(style))
    handler.addFilter(Demoting(True))
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        yield stream
    finally:
        root.setLevel(level)
        root.removeHandler(handler)
