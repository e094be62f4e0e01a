"""News between the nodes of one service: quick, in order, and lossy."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TypeAlias

Take: TypeAlias = Callable[[bytes], None]
Doubt: TypeAlias = Callable[[], None]
Unheard: TypeAlias = Callable[[str], None]


class Bus(ABC):
    """What one node sends to others, and hears of them.

    What one node sends to another arrives in the order sent, or not at all. Whoever needs more asks
    again, or counts.
    """

    @abstractmethod
    def send(self, node: str, body: bytes) -> None:
        """Send something to a node; never waits, and tells nobody if it gets lost."""

    @abstractmethod
    def listen(self, take: Take, doubt: Doubt, unheard: Unheard = lambda node: None) -> None:
        """Have what is sent to this node taken from now on.

        Args:
            take: gets each body.
            doubt: called whenever something may have been lost unnoticed: a line that was down.
            unheard: called with each node that something was sent to and nobody heard it: it is
                dead, or its line is down.
        """

    @abstractmethod
    async def probe(self) -> None:
        """Wait for something sent to oneself: whether news travel.

        Raises:
            Unavailable: they do not, within the time a probe may take.
        """

    @abstractmethod
    async def close(self) -> None:
        """Send what waits, then let go of everything."""
