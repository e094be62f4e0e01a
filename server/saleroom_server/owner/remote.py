"""A room while another node owns it: what it is asked here is passed on to that node.

The sockets that follow it here are attached to whoever owns it, and get a view. What spectators ask
is answered here, from what the owner shares with this node.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

from msgspec.structs import replace

from saleroom_protocol.errors import Reason
from saleroom_server.owner.elsewhere import Silent, Undone
from saleroom_server.owner.inbox import Asked
from saleroom_server.owner.surroundings import Surroundings
from saleroom_server.rooms.commands import (
    HERE,
    Act,
    Attach,
    Effect,
    Gone,
    Join,
    PassedOn,
    Refusal,
    Remark,
    Say,
    Unrepeatable,
    Watch,
)

Make: TypeAlias = Callable[[Remark, Callable[[], Sequence[Effect]]], Refusal | None]


class Remote:
    """The way to a room that is elsewhere.

    Attributes:
        node: who owns it, as far as is known; empty if it is this node, or nobody.
        unattached: whether that node has to be told which sockets follow the room here; until then
            they hear nothing.
    """

    def __init__(
        self, name: str, around: Surroundings, make: Make, attach_soon: Callable[[], None]
    ) -> None:
        """The way to one room.

        Args:
            name: of the room.
            around: what it needs of the world.
            make: tells what a remark leads to, once it is asked for.
            attach_soon: sees to it that something is passed on soon, if nothing else is.
        """
        self.node = ""
        self.unattached = False
        self._name, self._others = name, around.others
        self._retry_ms = around.limits.retry_ms
        self._make, self._attach_soon = make, attach_soon

    def returned(self) -> None:
        """Take note that the room is here now."""
        self.node, self.unattached = "", False

    def suspend(self) -> None:
        """Let the sockets here hear nothing more before they are attached; see to it that they are.

        What they have not heard may lie between.
        """
        if self._others.suspend(self._name) and not self.unattached:
            self.unattached = True
            self._attach_soon()

    def can_serve(self, remark: Remark) -> bool:
        """Whether a remark need not wait for the owner: it is a spectator's, who is attached."""
        return not self.unattached and self._others.is_relayed(self._name, remark)

    def serve(self, remark: Remark) -> Refusal | None:
        """Carry out what a spectator here asks, without the owner; return None or the refusal."""
        return self._make(remark, partial(self._others.relayed, self._name, remark))

    async def pass_on(self, asked: Asked) -> Any:
        """Have the owner carry something out. Bells and chores are its own business.

        Raises:
            Refusal: it was not done.
            Kept: it was done before.
            Silent: it is not known whether it was; or another node asks, which may as well ask the
                owner.
        """
        if asked.foreign:
            raise Silent
        command = asked.command
        if self.unattached:
            await self._attach()
            if self.unattached:  # anew: the owner has given it up meanwhile, say
                raise Silent
        if isinstance(command, Join) and command.asked.as_ == "spectator":
            return await self._look_on(command)
        if isinstance(command, Remark) and self._others.is_relayed(self._name, command):
            return self.serve(command)
        if not isinstance(command, PassedOn):
            return None
        if isinstance(command, Act | Say):
            group = self._others.group(self._name, command.session)
            command = replace(command, looks_on=group is not None and group[0] is None)
        return await self._send(asked, command)

    async def _send(self, asked: Asked, command: PassedOn) -> Any:
        """Send the owner on an errand, the same one each time something is asked again."""
        self.check_undone(asked)
        if asked.errand is None:
            asked.errand = self._others.errand(self._name, command, asked.keep)
        asked.asked_of = self.node
        try:
            return await self._others.ask(self.node, asked.errand)
        except Undone:
            asked.asked_of = ""
            raise
        except Refusal as refusal:
            if refusal.reason is not Reason.NOT_JOINED or not self._follows_here(command):
                raise
            asked.errand = None  # another one: that answer is kept
            self.suspend()
            raise Silent from refusal

    def check_undone(self, asked: Asked) -> None:
        """Refuse what an owner now gone may have done, if nothing would tell that it was.

        Raises:
            Refusal: `unavailable`.
        """
        elsewhere = asked.asked_of not in ("", self.node)
        if elsewhere and asked.keep is None and isinstance(asked.command, Unrepeatable):
            raise Refusal(Reason.UNAVAILABLE, retry_after_ms=self._retry_ms)

    def _follows_here(self, command: PassedOn) -> bool:
        """Whether who asks follows the room here; an owner that took us for dead does not know."""
        session = getattr(command, "session", None)
        return session is not None and self._others.group(self._name, session) is not None

    async def _attach(self) -> None:
        """Let the owner know who follows the room here: players by name, spectators as a number."""
        members = self._others.members(self._name)
        players = [member for member in members if member.group[0] is not None]
        self.unattached = False  # meanwhile there may be a reason to do it anew
        try:
            await self._errand(Attach(HERE, tuple(players)))
            if len(players) < len(members):
                await self._errand(Watch(HERE, len(members) - len(players)))
        except BaseException:
            self.unattached = True
            raise

    async def _look_on(self, join: Join) -> Any:
        """Let a spectator follow; only the first has to ask the owner.

        And who was a player till now; and who has seen more elsewhere than this node has heard of:
        with the owner's answer everything comes that it told before.
        """
        if self._others.relay(self._name) is None:
            await self._errand(Watch(HERE, 0))
        if not self._others.is_relayed(self._name, join):
            await self._errand(Gone(join.session))
        if self._others.relay(self._name) is None:
            raise Silent
        return self.serve(join)

    async def _errand(self, command: PassedOn) -> None:
        await self._others.ask(self.node, self._others.errand(self._name, command, None))
