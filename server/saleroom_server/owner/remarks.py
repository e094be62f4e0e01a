"""What takes effect at once, and is in no journal: who follows a room, and what is said there."""

from collections.abc import Sequence

from saleroom_server.rooms.commands import (
    HERE,
    Attach,
    Effect,
    Gone,
    Join,
    Leave,
    Mute,
    Refresh,
    Remark,
    Say,
    Watch,
    Watching,
)
from saleroom_server.rooms.room import Room


def remarked(room: Room, remark: Remark, now: int) -> Sequence[Effect]:
    """Carry a remark out; return what is to be told.

    Raises:
        Refusal: it was not.
    """
    match remark:
        case Join():
            return room.join(remark, now)
        case Leave():
            return room.leave(remark, now)
        case Gone():
            return room.gone(remark, now)
        case Refresh():
            return room.refresh(remark)
        case Say():
            return room.say(remark, now)
        case Mute():
            room.mute(remark)
        case Attach():
            return room.attach(remark, now)
        case Watch() if remark.home != HERE:
            return room.watch(remark)
        case Watching():
            return room.watching(remark)
    return ()
