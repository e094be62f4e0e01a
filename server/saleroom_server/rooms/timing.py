"""When the open window closes: lengths, budgets, pauses, and windows that wait for nobody.

All times are server milliseconds. The rules say how long a decision takes by the standard; the
room's pace stretches that. Deadlines are not in the journal: after a load the window starts again.
"""

from msgspec import UNSET, Struct
from msgspec.structs import replace

from saleroom_protocol.games.common import Seat
from saleroom_protocol.games.record import Pace
from saleroom_rules.contract import Window
from saleroom_server.rooms.views import Clock

# Half milliseconds do not exist: lengths are whole because standard times are whole seconds.
_FACTOR: dict[Pace, float | None] = {
    "relaxed": 2,
    "standard": 1,
    "quick": 0.5,
    "untimed": None,
}


class Waiting(Struct, frozen=True, gc=False):
    """For whom an open window still waits."""

    owing: tuple[Seat, ...]
    away: frozenset[Seat]  # drifted or resigned
    resigned: frozenset[Seat]

    @property
    def for_nobody(self) -> bool:
        """Every seat that owes an answer is away."""
        return self.away.issuperset(self.owing)

    @property
    def in_vain(self) -> bool:
        """Every seat that owes an answer has resigned: nobody will ever come back."""
        return self.resigned.issuperset(self.owing)


class Timing(Struct, frozen=True, gc=False, kw_only=True):
    """The clock of the open window.

    `regular` is when it closes by rights; None without a clock. `early` is when it closes because
    it waits for nobody.
    """

    number: int
    opened_at: int
    answered_at: int  # of the last answer; first, of the opening
    speaker: Seat | None = None  # who answered last, and may again: the window is still open
    regular: int | None
    early: int | None = None
    paused_at: int | None = None
    budget: str = ""
    budgets: dict[str, int] = {}  # name -> milliseconds left of it

    @property
    def closes_at(self) -> int | None:
        """When the window closes, the grace not counted; None if never by itself."""
        return self.regular if self.early is None else self.early

    def clock(self) -> Clock:
        """Return the times as the document shows them."""
        closes_at = self.closes_at
        if closes_at is None:
            return Clock(self.opened_at)
        if self.paused_at is None:
            return Clock(self.opened_at, closes_at)
        return Clock(self.opened_at, UNSET, max(0, closes_at - self.paused_at))


def opened(window: Window, pace: Pace, now: int, budgets: dict[str, int] | None = None) -> Timing:
    """Start the clock of a window: its own time, or what is left of its budget."""
    left = budgets or {}
    length = _length(window, pace)
    if length is not None and window.budget:
        length = left.get(window.budget, length)
    return Timing(
        number=window.number,
        opened_at=now,
        answered_at=now,
        regular=None if length is None else now + length,
        budget=window.budget,
        budgets=left,
    )


def moved_on(timing: Timing, window: Window, pace: Pace, now: int, speaker: Seat | None) -> Timing:
    """Return the clock after somebody answered: the same window's, or the next one's."""
    if timing.number == window.number:
        return replace(timing, answered_at=now, speaker=speaker)
    return opened(window, pace, now, _settled(timing, now))


def waiting_for(timing: Timing, waiting: Waiting, shortened_ms: int, now: int) -> Timing:
    """Close early if nobody is waited for, and give the time back once somebody is.

    In a room without a clock only seats that have resigned are not waited for.
    """
    vain = waiting.for_nobody if timing.regular is not None else waiting.in_vain
    if not vain:
        if timing.early is None:
            return timing
        regular = timing.regular
        restored = None if regular is None else max(regular, now + shortened_ms)
        return replace(timing, early=None, regular=restored)
    early = max(timing.opened_at, timing.answered_at) + shortened_ms
    if timing.regular is not None:
        early = min(early, timing.regular)
    return timing if timing.early == early else replace(timing, early=early)


def paused(timing: Timing, now: int) -> Timing:
    """Stop the clock, if it does not stand still already."""
    return timing if timing.paused_at is not None else replace(timing, paused_at=now)


def resumed(timing: Timing, now: int) -> Timing:
    """Let the clock run on, as if the pause had not been."""
    if timing.paused_at is None:
        return timing
    by = now - timing.paused_at
    return replace(
        timing,
        opened_at=timing.opened_at + by,
        answered_at=timing.answered_at + by,
        regular=_shifted(timing.regular, by),
        early=_shifted(timing.early, by),
        paused_at=None,
    )


def _length(window: Window, pace: Pace) -> int | None:
    factor = _FACTOR[pace]
    return None if factor is None else int(window.seconds * 1000 * factor)


def _settled(timing: Timing, now: int) -> dict[str, int]:
    """Write down what a window has left of its budget."""
    if not timing.budget or timing.regular is None:
        return timing.budgets
    return {**timing.budgets, timing.budget: max(0, timing.regular - now)}


def _shifted(time: int | None, by: int) -> int | None:
    return None if time is None else time + by
