"""What a store promises besides, if several nodes share it."""

from abc import abstractmethod
from collections.abc import Callable, Collection

from msgspec import Struct

from saleroom_server.store.interface import Head, Store, StoreError


class News(Struct, frozen=True):
    """What has become of rooms since a mark.

    Attributes:
        mark: to ask from the next time.
        heads: of rooms that are new, or whose head has changed; the last of each.
        gone: rooms that have no journal any more.
    """

    mark: int
    heads: tuple[Head, ...]
    gone: tuple[str, ...]


class TooLongAgo(StoreError):
    """More has become of rooms since a mark than is known: whoever asks must read all heads."""

    def __init__(self) -> None:
        super().__init__("not all that has become of rooms since then is known any more")


class SharedStore(Store):
    """Durable memory of all nodes of one service.

    A node is alive as long as it says so every now and then; the store does that by itself from
    `open` to `close`. `acquire` raises `Held` while the owner of a room is alive.
    """

    @property
    @abstractmethod
    def node(self) -> str:
        """The name of this node; another one each time it is started."""

    @abstractmethod
    async def alive(self) -> Collection[str]:
        """List the nodes that are alive, this one too."""

    @abstractmethod
    def when_drained(self, end: Callable[[], None]) -> None:
        """Have something called, once, when an operator asks this node to end, or has before."""

    @abstractmethod
    async def hasten(self, node: str) -> int:
        """Let a node be dead soon unless it says that it is alive; return in how many ms.

        Raises:
            StoreError: the store failed.
        """

    @abstractmethod
    async def news(self, mark: int | None) -> News:
        """Return what has become of rooms since a mark; None: nothing, but the mark of now.

        Something may be told twice, and nothing is left out.

        Raises:
            TooLongAgo: not all of it is known any more.
        """
