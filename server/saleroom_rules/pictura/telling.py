"""What each viewer hears of an event: cards that others drew keep their faces to themselves."""

from msgspec import UNSET
from msgspec.structs import replace

from saleroom_protocol.games.common import Seat
from saleroom_protocol.games.pictura import (
    AnyEvent,
    FavourDrawn,
    HandDealt,
    PaintingsDrawn,
    TrendKept,
    TwoKept,
)


def tell(event: AnyEvent, viewer: Seat | None) -> AnyEvent | None:
    """Hide hands, kept trends, and what was drawn."""
    match event:
        case HandDealt(seat):
            return event if seat == viewer else None
        case PaintingsDrawn(seat) | TwoKept(seat):
            return event if seat == viewer else replace(event, paintings=UNSET)
        case FavourDrawn(seat):
            return event if seat == viewer else replace(event, favour=UNSET)
        case TrendKept(seat):
            return event if seat == viewer else replace(event, trend=UNSET)
        case _:
            return event
