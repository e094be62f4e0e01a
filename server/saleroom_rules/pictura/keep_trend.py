"""Everybody keeps one of the trends dealt, sealed; the others go back (P-SET-5)."""

from collections.abc import Sequence

from msgspec.structs import replace

from saleroom_protocol.games.common import Seat
from saleroom_protocol.games.forms import Form, one_of
from saleroom_protocol.games.pictura import AnyAction, KeepTrend, TrendId, TrendKept
from saleroom_rules.pictura import sealed, turn
from saleroom_rules.pictura.state import (
    KeepTrendWindow,
    Moment,
    State,
    begun,
    check_held,
    in_order,
    opened,
    told,
    wrong_window,
)


def begin(step: Moment) -> Moment:
    """Ask everybody."""
    return opened(step, KeepTrendWindow(seats=tuple(range(len(step.state.players)))))


def legal(state: State, window: KeepTrendWindow, seat: Seat) -> Sequence[AnyAction | Form]:
    """List one form: any of the trends dealt."""
    return [Form("keep_trend", {}, {"trend": one_of(state.players[seat].trends)})]


def answer(state: State, window: KeepTrendWindow, seat: Seat, act: AnyAction) -> Moment:
    """Keep the answer; after the last one the first turn begins."""
    if not isinstance(act, KeepTrend):
        raise wrong_window(window)
    check_held(state.players[seat].trends, act.trend)
    return sealed.take(state, window, seat, act, _close)


def default(state: State, window: KeepTrendWindow, seat: Seat) -> AnyAction:
    """Keep the first."""
    return KeepTrend(state.players[seat].trends[0])


def _close(state: State, window: KeepTrendWindow) -> Moment:
    """Shuffle what was not kept back into the deck."""
    step, back = begun(state), list(state.trend_deck)
    for seat, act in window.answers:
        back += [trend for trend in state.players[seat].trends if trend != act.trend]
        step = _kept(step, seat, act.trend)
    deck, rng = step.state.rng.shuffle("trends", in_order(back))
    return turn.begin(told(step, replace(step.state, trend_deck=deck, rng=rng)), state.start)


def _kept(step: Moment, seat: Seat, trend: TrendId) -> Moment:
    player = replace(step.state.players[seat], trends=(trend,))
    return told(step, step.state.with_player(seat, player), TrendKept(seat, trend))
