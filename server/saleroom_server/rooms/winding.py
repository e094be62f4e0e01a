"""The clock of the open window, set by what the room's standing has become."""

from saleroom_protocol.games.common import Seat
from saleroom_rules.contract import AnyRules
from saleroom_server.rooms import timing
from saleroom_server.rooms.standing import Standing, open_window
from saleroom_server.rooms.timing import Timing, Waiting


def wound(
    clock: Timing | None,
    rules: AnyRules,
    standing: Standing,
    shortened_ms: int,
    now: int,
    answered: bool,
    speaker: Seat | None,
) -> Timing | None:
    """Return the clock as it goes on; None while no window is open.

    Args:
        clock: as it was; None to begin anew.
        rules: the game.
        standing: as it has become.
        shortened_ms: how long a window stays open that waits for nobody.
        now: server milliseconds.
        answered: whether the open window was answered.
        speaker: by whom; None by time.
    """
    window, pace = open_window(rules, standing), standing.founding.pace
    if window is None:
        return None
    if clock is None:
        clock = timing.opened(window, pace, now)
    elif answered:
        clock = timing.moved_on(clock, window, pace, now, speaker)
    if standing.status == "paused":
        return timing.paused(clock, now)
    away = frozenset(seat for seat in window.owing if standing.is_away(seat))
    waiting = Waiting(window.owing, away, standing.resigned)
    return timing.waiting_for(timing.resumed(clock, now), waiting, shortened_ms, now)
