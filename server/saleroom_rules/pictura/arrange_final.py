"""Everybody arranges their own museum for the last time, sealed (P-END-3)."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from saleroom_protocol.games.common import Seat
from saleroom_protocol.games.forms import Form
from saleroom_protocol.games.pictura import AnyAction, Arrange, GameEnded, PaintingId
from saleroom_rules.pictura import arranging, sealed
from saleroom_rules.pictura.board import Place
from saleroom_rules.pictura.cards import catalogue
from saleroom_rules.pictura.state import (
    ArrangeFinalWindow,
    Moment,
    State,
    begun,
    opened,
    told,
    wrong_window,
)
from saleroom_solver import pictura as solver


class Puzzle(Struct, frozen=True):
    """A museum to be arranged as well as can be."""

    museum: dict[PaintingId, Place]


def begin(step: Moment) -> Moment:
    """Ask everybody."""
    return opened(step, ArrangeFinalWindow(seats=tuple(range(len(step.state.players)))))


def legal(state: State, window: ArrangeFinalWindow, seat: Seat) -> Sequence[AnyAction | Form]:
    """List the arrangements there could be; of an empty museum the empty one."""
    museum = state.players[seat].museum
    return [arranging.form(tuple(museum)) if museum else Arrange({})]


def answer(state: State, window: ArrangeFinalWindow, seat: Seat, act: AnyAction) -> Moment:
    """Keep the arrangement; after the last one the game is over."""
    if not isinstance(act, Arrange):
        raise wrong_window(window)
    arranging.check(state.players[seat].museum, act.places)
    return sealed.take(state, window, seat, act, _close)


def default(state: State, window: ArrangeFinalWindow, seat: Seat) -> AnyAction:
    """Leave everything where it hangs."""
    return Arrange(state.players[seat].museum)


def puzzle(state: State, window: ArrangeFinalWindow, seat: Seat) -> Puzzle | None:
    """Return what is worth a search: the museum, unless it is empty."""
    museum = state.players[seat].museum
    return Puzzle(dict(museum)) if museum else None


def advise(puzzle: Puzzle) -> Arrange:
    """P-END-3: never worth less than to leave everything where it hangs."""
    return Arrange(solver.arranged(catalogue(), puzzle.museum))


def _close(state: State, window: ArrangeFinalWindow) -> Moment:
    """Hang everything as it was answered and end the game."""
    step = begun(state)
    for seat, act in window.answers:
        step = arranging.arranged(step, seat, act.places)
    reason = str(state.ending)
    ended = replace(step.state, window=None, ended=reason)
    return told(step, ended, GameEnded(reason))
