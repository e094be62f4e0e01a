"""A node nobody hears is looked for before its lease would have ended.

When a process dies the system closes its connections, and from then on what is sent to the node
reaches nobody: that is known with the first message. It may be a line that broke, so the node is
given as long as it takes to renew its lease twice. To be wrong costs a reload of its rooms.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from saleroom_server.clock import Clock
from saleroom_server.logs import logger
from saleroom_server.store.interface import StoreError
from saleroom_server.store.shared import SharedStore

Look: TypeAlias = Callable[[], Awaitable[None]]

log = logger("cluster")


class Lookout:
    """The nodes that nobody hears."""

    def __init__(self, store: SharedStore, clock: Clock, look: Look) -> None:
        """Watch nobody yet.

        Args:
            store: says who is alive.
            clock: the node's.
            look: looks who is alive; may raise a `StoreError`.
        """
        self._store, self._clock, self._look = store, clock, look
        self._watched: dict[str, asyncio.Task[None]] = {}

    def unheard(self, node: str) -> None:
        """Look whether a node lives, as soon as that can be told."""
        if node not in self._watched:
            self._watched[node] = task = asyncio.create_task(self._watch(node))
            task.add_done_callback(lambda _: self._watched.pop(node))

    async def close(self) -> None:
        """Watch nobody any more."""
        watching = [*self._watched.values()]
        for task in watching:
            task.cancel()
        await asyncio.gather(*watching, return_exceptions=True)

    async def _watch(self, node: str) -> None:
        try:
            await self._clock.sleep(await self._store.hasten(node))
            await self._look()
        except StoreError:
            pass  # whoever is dead is found later
        except Exception:  # a fault of ours
            log.exception("lookout_fault", node=node)
