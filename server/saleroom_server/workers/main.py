"""`python -m saleroom_server.workers.main`: what a worker is. Started by `workers.supervisor` only.

Settings come from the environment, sockets that listen already are open files; what it writes to
standard output, a line, is read by the one that starts it.
"""

import os
import sys
from collections.abc import Sequence
from contextlib import closing
from socket import socket
from typing import TextIO

from saleroom_server import logs
from saleroom_server.serve import run, serve
from saleroom_server.settings import BadSetting, Settings, read
from saleroom_server.store.interface import StoreError
from saleroom_server.workers.process import READY


def main(number: int, descriptors: Sequence[int]) -> int:
    """Serve until told to end; return the exit code, 2 for a setting that cannot be."""
    listening = [socket(fileno=descriptor) for descriptor in descriptors]
    with closing(os.fdopen(os.dup(1), "w")) as report:
        os.dup2(2, 1)  # whatever else is printed is no report
        try:
            settings = read(os.environ, {})
            logs.configure(settings.log_level, settings.log_format, worker=number)
            _serve(settings, listening, report)
        except BadSetting as problem:
            return _failed(report, str(problem), 2)
        except StoreError as problem:
            return _failed(report, str(problem), 1)
        except OSError as problem:
            return _failed(report, problem.strerror or str(problem), 1)
    return 0


def _serve(settings: Settings, listening: Sequence[socket], report: TextIO) -> None:
    def ready(_: object) -> None:
        print(READY, file=report)
        report.close()

    run(serve(settings, ready, listening))


def _failed(report: TextIO, problem: str, code: int) -> int:
    """Say why, to whoever starts it; later on in the log."""
    print(" ".join(problem.split()), file=sys.stderr if report.closed else report)
    return code


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), [*map(int, sys.argv[2:])]))
