"""House bots: when one answers, and what comes of what it thinks."""

from collections.abc import Callable
from typing import Any
from zlib import crc32

from saleroom_protocol.games.common import Seat
from saleroom_rules.typed import typed
from saleroom_server.rooms.acting import check_answers
from saleroom_server.rooms.commands import Decision
from saleroom_server.rooms.draft import Draft
from saleroom_server.rooms.limits import RoomLimits
from saleroom_server.rooms.timing import Timing


def answers_at(room: str, clock: Timing, seat: Seat, limits: RoomLimits) -> int:
    """Return when a house bot answers: that depends on nothing but what all may know.

    In a window in which one may speak several times, who spoke last lets the others have their say.
    """
    drawn = crc32(f"{room}/{clock.number}/{seat}".encode())
    delay = limits.house_bot_ms + drawn % (limits.house_bot_spread_ms + 1)
    if clock.speaker == seat:
        delay += limits.house_bot_patience_ms
    return max(clock.opened_at, clock.answered_at) + delay


def act(draft: Draft, seat: Seat, window: int, think: Callable[[], dict[str, Any]]) -> Decision:
    """Take the action a house bot thinks of; if it is none it may take, the default."""
    rules, fault = draft.rules, None
    try:
        chosen = typed(think(), rules.action_type)
        check_answers(draft, seat, chosen)
        draft.act(seat, "bot", chosen, window=window)
    except Exception as error:  # a bot's fault ends no game
        fault = error
        default = rules.default(draft.standing.state, seat)
        draft.act(seat, "bot", default, window=window)
    draft.finish_if_over()
    return draft.decision(answered=True, speaker=seat, fault=fault)
