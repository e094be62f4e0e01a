"""What a connection needs of the node it is on."""

from typing import TYPE_CHECKING, Protocol

from saleroom_protocol.limits import Limits
from saleroom_server.allowance import Allowance
from saleroom_server.clock import Clock
from saleroom_server.gateway.limits import GatewayLimits
from saleroom_server.metrics import Metrics
from saleroom_server.owner.actor import Actor
from saleroom_server.rooms.commands import Caller, Session
from saleroom_server.tokens import Tokens

if TYPE_CHECKING:
    from saleroom_server.gateway.connection import Connection


class Place(Protocol):
    """The node, as its connections see it."""

    clock: Clock
    tokens: Tokens
    limits: Limits
    gateway_limits: GatewayLimits
    metrics: Metrics

    def actor(self, room: str) -> Actor | None:
        """Return a room's actor; None if there is no such room."""

    def sees(self, room: str, caller: Caller, watch: str) -> bool:
        """Whether somebody may know of a room there is."""

    def allowance(self, caller: Caller, session: Session) -> Allowance:
        """Return what the player may ask, whatever the number of sockets."""

    def unjoined(self, connection: "Connection", room: str) -> None:
        """Take note that a join was refused."""
