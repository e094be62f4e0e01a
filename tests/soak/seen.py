"""What can be seen of a server from outside while it runs, and what must be true of it."""

import asyncio
import re
from pathlib import Path

import httpx
from msgspec import Struct

from tests.support.samples import Samples, scraped
from tests.support.servers import ServerProcess, memory_of

MIB = 2**20
RESIDENT_MIB = 1_500  # at most, whatever happens
LOG_BYTES, LOG_BYTES_A_SECOND = 64 * 1024, 8 * 1024  # rooms that come and go are logged
LABELS = 5_000  # samples in all: a label that clients could fill would have more
READY_S = 60.0  # on a busy machine
WRONG = re.compile(r"^.*(\[error|\[critical|Traceback)", re.MULTILINE)  # in the log
TOLD_CHARS = 8_000  # of the log, from there on


class Fallen(Exception):
    """The server did not stand up to it; the text says how."""


class Seen(Struct, frozen=True, kw_only=True):
    """A server at one moment."""

    seconds: float  # since it was looked at first
    resident: float  # MiB
    cpu: float  # seconds
    queued: float  # seconds it waited for a processor, which is not its fault
    descriptors: int
    threads: int
    sockets: int
    rooms: int
    store: float  # MiB on disk
    log: int  # bytes
    late: float  # seconds the loop was late, all together
    ready: float  # seconds until it said that it was

    def __str__(self) -> str:
        return (
            f"{self.seconds:5.0f} s: {self.resident:5.0f} MiB, {self.cpu:5.0f} s of CPU, "
            f"{self.queued:4.0f} s without one, "
            f"{self.descriptors:5} descriptors, {self.threads:2} threads, {self.sockets:5} sockets,"
            f" {self.rooms:5} rooms, store {self.store:6.1f} MiB, log {self.log / 1024:5.1f} KiB, "
            f"loop {self.late:5.1f} s late, ready in {self.ready * 1000:4.0f} ms"
        )


class Watch:
    """Somebody who looks at a server now and then."""

    def __init__(self, server: ServerProcess, data: Path, metrics: str) -> None:
        self._server, self._data, self._metrics = server, data, metrics
        self._begun = asyncio.get_running_loop().time()

    async def look(self) -> Seen:
        """Look at everything.

        Raises:
            Fallen: something is not as it should be.
        """
        ready = await self._ready()
        samples = await asyncio.to_thread(scraped, self._metrics)
        seen = self._seen(samples, ready)
        self._check(seen, samples, self._server.log())
        return seen

    async def _ready(self) -> float:
        begun = asyncio.get_running_loop().time()
        try:
            async with httpx.AsyncClient(timeout=READY_S) as client:
                answer = await client.get(self._server.url + "/readyz")
        except httpx.TransportError as error:
            raise Fallen(f"/readyz: {error!r}") from error
        if answer.status_code != 200:
            raise Fallen(f"/readyz says {answer.status_code}")
        return asyncio.get_running_loop().time() - begun

    def _seen(self, samples: Samples, ready: float) -> Seen:
        process = Path(f"/proc/{self._server.pid}")
        scheduled = [int(ns) / 1e9 for ns in (process / "schedstat").read_text().split()[:2]]
        return Seen(
            seconds=asyncio.get_running_loop().time() - self._begun,
            resident=memory_of(self._server.pid) / MIB,
            cpu=scheduled[0],
            queued=scheduled[1],
            descriptors=len([*(process / "fd").iterdir()]),
            threads=len([*(process / "task").iterdir()]),
            sockets=int(samples.value("sockets")),
            rooms=int(samples.value("rooms")),
            store=sum(file.stat().st_size for file in self._data.iterdir()) / MIB,
            log=len(self._server.log()),
            late=samples.value("loop_lag_seconds_sum"),
            ready=ready,
        )

    def _check(self, seen: Seen, samples: Samples, log: str) -> None:
        if wrong := WRONG.search(log):
            raise Fallen(f"the log says: {log[wrong.start() :][:TOLD_CHARS]}")
        if seen.log > LOG_BYTES + LOG_BYTES_A_SECOND * seen.seconds:
            raise Fallen(f"a log of {seen.log} bytes after {seen.seconds:.0f} s: {log[-1_000:]}")
        if seen.resident > RESIDENT_MIB:
            raise Fallen(f"{seen.resident:.0f} MiB of memory")
        values = [value for labelled in samples.by_name.values() for value in labelled.values()]
        if len(values) > LABELS or min(values) < 0:
            raise Fallen(f"{len(values)} samples of metrics, the least {min(values)}")
        if samples.value("acts_refused_total", reason="internal_error"):
            raise Fallen("internal_error")
        if samples.value("http_requests_total", status="500"):
            raise Fallen("a response of 500")
