"""What each viewer hears of an event: cards that others took keep their faces to themselves."""

from msgspec import UNSET
from msgspec.structs import replace

from saleroom_protocol.games.common import Seat
from saleroom_protocol.games.vernissage import (
    AnyEvent,
    CardKept,
    GreyBought,
    HandDealt,
    HandRedrawn,
    PileBought,
)


def tell(event: AnyEvent, viewer: Seat | None) -> AnyEvent | None:
    """Hide hands, what a buyer saw of a pile, and what was bought."""
    match event:
        case HandDealt(seat):
            return event if seat == viewer else None
        case HandRedrawn(seat) | PileBought(seat):
            return event if seat == viewer else replace(event, cards=UNSET)
        case CardKept(seat) | GreyBought(seat):
            return event if seat == viewer else replace(event, card=UNSET)
        case _:
            return event
