"""What an adviser's process does: take work from its input, write what comes of it to its output.

It knows nothing of rooms, and keeps nothing. Run by `adviser.py`.
"""

import os
import pickle
import signal
import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any, BinaryIO

from msgspec import Struct

SIZE_BYTES = 4  # before each answer stands how long it is
NICE = 10  # who plays comes first


class Fault(Struct, frozen=True):
    """The work raised something: what, and where; never what it says of itself."""

    problem: str


def main() -> None:
    """Work until the input ends, which it does with the server."""
    for number in (signal.SIGINT, signal.SIGTERM):  # the server still plays while it ends
        signal.signal(number, signal.SIG_IGN)
    os.nice(NICE)
    advise(sys.stdin.buffer, sys.stdout.buffer)


def advise(given: BinaryIO, told: BinaryIO) -> None:
    """Do work after work until there is no more."""
    while True:
        try:
            work = pickle.load(given)
        except EOFError:
            return
        body = answer_to(work)
        told.write(len(body).to_bytes(SIZE_BYTES) + body)
        told.flush()


def answer_to(work: Callable[[], Any]) -> bytes:
    """Return what comes of work, pickled: what it returns, or a `Fault`."""
    try:
        return pickle.dumps(work())
    except Exception as error:
        return pickle.dumps(Fault(f"{type(error).__qualname__} at {_place(error.__traceback__)}"))


def _place(traceback: TracebackType | None) -> str:
    place = ""
    while traceback is not None:
        place = f"{traceback.tb_frame.f_globals['__name__']}:{traceback.tb_lineno}"
        traceback = traceback.tb_next
    return place


if __name__ == "__main__":
    main()
