"""Trading with the international museums: the active player must, then each other may (P-TRADE)."""

from collections.abc import Sequence

from saleroom_protocol.games.common import Seat
from saleroom_protocol.games.forms import Form
from saleroom_protocol.games.pictura import (
    ActionFacts,
    AnyAction,
    Decline,
    NothingTraded,
    NoTrade,
    Trade,
    TradeFacts,
    Why,
)
from saleroom_rules.contract import IllegalAction
from saleroom_rules.pictura import extras
from saleroom_rules.pictura.state import Moment, State, TradeWindow, begun, go_on, opened, told
from saleroom_rules.pictura.trading import allowed, can_trade, traded, trades


def begin(step: Moment) -> Moment:
    """Ask the active player first, whatever the hand holds (P-TRADE-2)."""
    return _ask(step, step.state.active)


def legal(state: State, window: TradeWindow, seat: Seat) -> Sequence[AnyAction | Form]:
    """List a form for every painting that could be given, the way out, favours and patrons."""
    listed: list[AnyAction | Form] = list(trades("trade", state, seat))
    if seat != state.active:
        return [*listed, Decline()]
    return [*(listed or [NoTrade()]), *extras.legal(state)]


def answer(state: State, window: TradeWindow, seat: Seat, act: AnyAction) -> Moment:
    """Trade or not; then the next one is asked, or the action begins."""
    active = seat == state.active
    match act:
        case Trade(give, take):
            return _next(traded(begun(state), seat, give, take), seat)
        case Decline() if not active:
            return _next(told(begun(state), state, NothingTraded(seat)), seat)
        case NoTrade() if active and not can_trade(state, seat):
            return _next(told(begun(state), state, NothingTraded(seat)), seat)
        case Decline() | NoTrade() if active:
            raise IllegalAction(Why.TRADE_NEEDED)
        case NoTrade():
            raise IllegalAction(Why.NOT_ACTIVE, active=state.active)
        case _:
            return extras.answer(state, window, seat, act)


def default(state: State, window: TradeWindow, seat: Seat) -> AnyAction:
    """The active player makes the best trade, the others none."""
    if seat != state.active:
        return Decline()
    best = min(
        (
            (-points, give, take)
            for give in state.players[seat].paintings
            for take, points in allowed(state, seat, give)
        ),
        default=None,
    )
    return NoTrade() if best is None else Trade(best[1], best[2])


def _next(step: Moment, seat: Seat) -> Moment:
    """P-TURN-3: ask whoever follows and holds a painting; at last the action begins."""
    state = step.state
    seat = state.after(seat)
    while seat != state.active and not state.players[seat].paintings:
        seat = state.after(seat)
    return go_on(step, ActionFacts()) if seat == state.active else _ask(step, seat)


def _ask(step: Moment, seat: Seat) -> Moment:
    return opened(step, TradeWindow(seats=(seat,), facts=TradeFacts(step.state.active)))
