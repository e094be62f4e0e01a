"""Who still objects to a counter: read off the dispute that lies on the table."""

from msgspec import UNSET

from saleroom_protocol.games.common import Seat
from saleroom_protocol.games.vernissage import Dispute


def withdrawn(dispute: Dispute) -> tuple[Seat, ...]:
    """Return those who object no longer."""
    return () if dispute.withdrawn is UNSET else dispute.withdrawn


def remaining(dispute: Dispute) -> tuple[Seat, ...]:
    """Return those who still object."""
    objectors = () if dispute.objectors is UNSET else dispute.objectors
    return tuple(seat for seat in objectors if seat not in withdrawn(dispute))


def stated(dispute: Dispute, seat: Seat) -> int | None:
    """Return a player's present value, if there is one."""
    return None if dispute.stated is UNSET else dispute.stated.get(str(seat))


def statements(dispute: Dispute, seat: Seat) -> int:
    """Return how many statements a player has made."""
    return 0 if dispute.statements is UNSET else dispute.statements.get(str(seat), 0)
