"""What a process costs: seconds of CPU, bytes of memory; and when a run does not count."""

import os
import time
from pathlib import Path

from msgspec import Struct

from saleroom_server.settings import known

BUSY = 0.9  # of a core: a load generator that needs more measures itself
REST_SECONDS = 0.25  # of hardly any CPU: then a process has done what it was about
REST_SHARE = 0.02
REST_PATIENCE = 20.0  # seconds: ten thousand spectators are never quite at rest

MANY = 1_000_000
_SETTINGS: dict[str, int | str] = {
    "LOG_LEVEL": "warning",
    "ROOM_PAUSE_AFTER_MS": 3_600_000,
    "DOOR_CONNECTIONS_PER_ADDRESS": MANY,
    "SOCKET_SOCKETS_PER_ADDRESS": MANY,
    "SOCKET_OPENED_PER_SECOND": MANY,
    "SOCKET_OPENED_AT_ONCE": MANY,
    "SOCKET_ANONYMOUS_REQUESTS_PER_SECOND": MANY,
    "SOCKET_ANONYMOUS_REQUESTS_AT_ONCE": MANY,
}


def cpu_of(pid: int) -> float:
    """Return the seconds of CPU a process has taken, all its threads together."""
    return time.clock_gettime((~pid << 3) | 2)  # clock_getcpuclockid(3), as Linux numbers them


def rest(pid: int) -> None:
    """Wait until a process has nothing to do, or next to nothing for as long as one may wait."""
    spent, until = -1.0, time.monotonic() + REST_PATIENCE
    while (now := cpu_of(pid)) - spent > REST_SECONDS * REST_SHARE and time.monotonic() < until:
        spent = now
        time.sleep(REST_SECONDS)


class Share:
    """How much of a core this process, which makes the load, has taken since this was made."""

    def __init__(self) -> None:
        self._cpu, self._begun = time.process_time(), time.perf_counter()

    def so_far(self) -> float:
        """Return it; 1 is a whole core."""
        return (time.process_time() - self._cpu) / (time.perf_counter() - self._begun)


class Goal(Struct, frozen=True):
    """What a figure should be, and how busy this process was when it was taken."""

    text: str
    met: bool
    share: float = 0.0

    def __str__(self) -> str:
        verdict = "met" if self.met else "MISSED"
        if self.share > BUSY:
            verdict = f"VOID, the generator took {self.share:.2f} of a core"
        return f"target {self.text}: {verdict}"


def environment() -> dict[str, str]:
    """Return the variables of a server that lets one address do as it likes."""
    variables = {setting.variable for setting in known()}
    named = {f"SALEROOM_{name}": str(value) for name, value in _SETTINGS.items()}
    return {name: value for name, value in named.items() if name in variables}


def compiled_once(directory: Path) -> dict[str, str]:
    """Return variables by which Python compiles once for all: as where it is installed."""
    there = os.environ.get("PYTHONPYCACHEPREFIX", str(directory / "compiled"))
    return {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": there}
