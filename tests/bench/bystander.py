"""What players feel of a crowd at another table: p99 from act to receipt, beside it and without.

The crowd looks on at one table, which tells it of an act now and then, or often. Everybody has the
same address. The yardstick is the same server before the crowd has come, and the crowd sitting
still.
"""

import argparse
import asyncio
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from statistics import median, quantiles
from time import sleep

from msgspec import Struct

from tests.bench.apart import Apart
from tests.bench.players import Seated
from tests.bench.processes import Goal, Share, environment, rest
from tests.bench.stock import Stock, Table
from tests.bench.wires import PONG, Wire, joined
from tests.support.servers import ServerProcess

WORST = 2.0  # times as long as without a crowd
TABLES = 10  # of the others
ACTS = 100  # of theirs in a round
PER_SECOND = 50.0
PACES = {"idle": 0.0, "now and then": 1.0, "often": 5.0}  # acts a second at the crowd's table
SPARE = 500  # sockets that are not the crowd's, of what is allowed
ENVIRONMENT: dict[str, int | str] = {
    "LOG_LEVEL": "warning",
    "SOCKET_SOCKETS_PER_ADDRESS": 20_000,
    "ROOM_PAUSE_AFTER_MS": 3_600_000,
}
