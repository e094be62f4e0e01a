"""A room that another node owns: what its owner is asked, and what of it is here."""

from abc import ABC, abstractmethod
from typing import Any

from msgspec import Struct

from saleroom_server.owner.keeping import Keep
from saleroom_server.rooms.commands import Member, PassedOn
from saleroom_server.store.interface import Answer


class Silent(Exception):
    """Nothing was heard of a node in time, or it does not own the room. Ask again, or another."""


class Kept(Exception):
    """It was done before, and the store has the answer.

    Attributes:
        answer: as it was given.
    """

    def __init__(self, answer: Answer) -> None:
        super().__init__("done before")
        self.answer = answer


class Errand(Struct, frozen=True):
    """What the owner of a room is asked to do: the same one, however often it is sent.

    Attributes:
        number: of the asking node's errands; who is asked twice does it once.
        room: in which.
        command: what.
        keep: what the store is to keep of the answer.
    """

    number: int
    room: str
    command: PassedOn
    keep: Keep | None = None


class Others(ABC):
    """The other nodes of the service."""

    @abstractmethod
    def errand(self, room: str, command: PassedOn, keep: Keep | None) -> Errand:
        """Return a new errand."""

    @abstractmethod
    async def ask(self, node: str, errand: Errand) -> Any:
        """Have a node do something; return its answer.

        Raises:
            Refusal: it was not done.
            Silent: it is not known whether it was.
        """

    @abstractmethod
    def members(self, room: str) -> tuple[Member, ...]:
        """List the sockets of this node that follow a room, suspended or not."""

    @abstractmethod
    def suspend(self, room: str) -> bool:
        """Send the sockets that follow a room here nothing until they are attached.

        Returns:
            Whether there are any.
        """

    @abstractmethod
    def gave_up(self, room: str) -> None:
        """Tell those who follow a room of ours that it has another owner now, or soon."""

    @abstractmethod
    async def made(self, room: str, head: bytes) -> None:
        """Let the other nodes know of a new room of ours, before anybody else is told of it."""

    @abstractmethod
    async def catch_up(self) -> None:
        """Learn what has become of the rooms of other nodes by now.

        Raises:
            StoreError: the store does not say.
        """


class Alone(Others):
    """There are none: every room is owned by this node."""

    def errand(self, room: str, command: PassedOn, keep: Keep | None) -> Errand:
        """See `Others`."""
        raise AssertionError("a room that is not elsewhere is asked here")

    async def ask(self, node: str, errand: Errand) -> Any:
        """See `Others`."""
        raise AssertionError("there is nobody else")

    def members(self, room: str) -> tuple[Member, ...]:
        """See `Others`."""
        return ()

    def suspend(self, room: str) -> bool:
        """See `Others`."""
        return False

    def gave_up(self, room: str) -> None:
        """See `Others`."""

    async def made(self, room: str, head: bytes) -> None:
        """See `Others`."""

    async def catch_up(self) -> None:
        """See `Others`."""
