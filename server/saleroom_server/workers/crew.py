"""All workers of a server: started together, kept running, replaced one after the other, ended."""

import asyncio
from asyncio import Event
from collections.abc import Coroutine, Iterable, Sequence
from signal import Signals
from typing import Any

from saleroom_server.logs import logger
from saleroom_server.workers.worker import BAD_SETTING, NotStarted, Worker

log = logger("workers")


class Crew:
    """The workers of one server."""

    def __init__(self, workers: Sequence[Worker]) -> None:
        self._workers = workers

    async def start(self) -> None:
        """Start them all, and wait until all serve.

        Raises:
            NotStarted: one of them cannot; the others are to be stopped.
            OSError: there is no process to be had.
        """
        await _all(worker.start() for worker in self._workers)

    async def keep(self, wanted: Event) -> None:
        """Start again whichever ends, for ever; replace all of them whenever that is wanted.

        Raises:
            NotStarted: of a setting that cannot be none serves any more.
        """
        await _all([*(worker.keep(self._hopeless) for worker in self._workers), self._roll(wanted)])

    async def stop(self) -> None:
        """End them all."""
        await asyncio.gather(*(worker.stop() for worker in self._workers))

    def tell(self, number: Signals) -> None:
        """Send each a signal."""
        for worker in self._workers:
            worker.tell(number)

    def _hopeless(self, problem: NotStarted) -> bool:
        """Tell whether trying again is in vain, and nobody is served meanwhile."""
        return problem.code == BAD_SETTING and not any(worker.serves for worker in self._workers)

    async def _roll(self, wanted: Event) -> None:
        while True:
            await wanted.wait()
            wanted.clear()
            log.info("workers_rolling", workers=len(self._workers))
            for worker in self._workers:
                if not await worker.roll():
                    log.error("workers_not_rolled", worker=worker.number)
                    break
            else:
                log.info("workers_rolled", workers=len(self._workers))


async def _all(work: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Do several things at once; if one fails, give the others up and raise that."""
    tasks = [asyncio.create_task(each) for each in work]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
