"""Starts programs that end when we do, however we end.

This file is also the script that does it: between fork and the program itself, something has to say
so to the kernel. `preexec_fn` could, but is no longer sound in a process that has threads.
"""

import os
import signal
import sys
from collections.abc import Sequence

PR_SET_PDEATHSIG = 1  # prctl(2)


def leashed(command: Sequence[str]) -> list[str]:
    """Return the command that runs another: killed when the thread that starts it is no more.

    To be started from the main thread, since others end earlier. Files it makes are its owner's
    only. Linux sees to the killing; on other systems the program outlives a parent that was killed.
    """
    return [sys.executable, "-I", "-S", __file__, str(os.getpid()), *command]


def _become(parent: int, command: list[str]) -> None:
    """Be another program from now on, unless the parent has died already."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            return
    os.umask(0o077)
    os.execv(command[0], command)


if __name__ == "__main__":
    _become(int(sys.argv[1]), sys.argv[2:])
