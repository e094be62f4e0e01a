"""A room that another node owns: what its owner is asked, and what of it is here."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, TypeAlias

from msgspec import Struct

from saleroom_server.owner.keeping import Keep
from saleroom_server.rooms.commands import Caller, Effect, Group, Member, PassedOn, Remark, Session
from saleroom_server.rooms.relay import Relay
from saleroom_server.store.interface import Answer

Sees: TypeAlias = Callable[[str, Caller, str], bool]  # room, who, the secret to look on


class Silent(Exception):
    """Nothing was heard of a node in time, or it does not own the room. Ask again, or another."""


class Undone(Silent):
    """The node does not own the room, and so has done nothing."""


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
            Kept: it was done before.
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
    def relay(self, room: str) -> Relay | None:
        """Return what spectators of this node see of a room elsewhere, if it is shared with it."""

    @abstractmethod
    def group(self, room: str, session: Session) -> Group | None:
        """Return as part of which group a socket of this node follows a room; None: it does not."""

    @abstractmethod
    def is_relayed(self, room: str, remark: Remark) -> bool:
        """Whether a remark is a spectator's, and the owner need not be asked."""

    @abstractmethod
    def relayed(self, room: str, remark: Remark) -> list[Effect]:
        """Return what such a remark leads to.

        Raises:
            Refusal: as the owner would.
        """

    @abstractmethod
    def took_over(self, room: str) -> None:
        """Take note that a room is ours now, whoever had it."""

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

    def relay(self, room: str) -> Relay | None:
        """See `Others`."""
        return None

    def group(self, room: str, session: Session) -> Group | None:
        """See `Others`."""
        return None

    def is_relayed(self, room: str, remark: Remark) -> bool:
        """See `Others`."""
        return False

    def relayed(self, room: str, remark: Remark) -> list[Effect]:
        """See `Others`."""
        raise AssertionError("a room that is not elsewhere is asked here")

    def took_over(self, room: str) -> None:
        """See `Others`."""

    def gave_up(self, room: str) -> None:
        """See `Others`."""

    async def made(self, room: str, head: bytes) -> None:
        """See `Others`."""

    async def catch_up(self) -> None:
        """See `Others`."""
