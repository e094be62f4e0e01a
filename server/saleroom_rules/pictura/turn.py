"""Turns follow each other until the end is near, and then the last ones (P-TURN-1, P-END)."""

from msgspec import UNSET
from msgspec.structs import replace

from saleroom_protocol.games.common import Seat
from saleroom_protocol.games.pictura import LastTurns, TurnBegun
from saleroom_rules.pictura import arrange_final, trade
from saleroom_rules.pictura.cards import NUMBERS
from saleroom_rules.pictura.decks import draw_paintings, reveal_trend
from saleroom_rules.pictura.state import Moment, State, told


def begin(step: Moment, seat: Seat) -> Moment:
    """Renew the general trend if a round begins, draw two paintings, and trade."""
    state = replace(
        step.state,
        turn=step.state.turn + 1,
        active=seat,
        favour_played=False,
        patron_claimed=False,
        entered=(),
    )
    step = told(step, state, TurnBegun(state.turn, seat))
    if state.general_trend and seat == state.start and state.turn > 1:
        step = reveal_trend(step)
    return trade.begin(draw_paintings(step, seat, NUMBERS.drawn))


def turn_over(step: Moment) -> Moment:
    """See whether the end is near, and hand the turn on; after the last one all arrange."""
    step = _end_seen(step)
    state = step.state
    if state.ending is UNSET:
        return begin(step, state.after(state.active))
    if not state.last_turns:
        return arrange_final.begin(step)
    seat, *rest = state.last_turns
    return begin(told(step, replace(state, last_turns=tuple(rest))), seat)


def _end_seen(step: Moment) -> Moment:
    """Note why the end is near and who still has a turn; what comes first decides."""
    state = step.state
    if state.ending is not UNSET:
        return step
    if state.reached is not UNSET:
        reason = "goal"
        seats = tuple(seat for seat in _in_turn(state) if seat != state.reached)
    elif not state.deck:
        reason, seats = "last_painting", _rest_of_the_round(state)
    else:
        return step
    state = replace(state, ending=reason, last_turns=seats)
    return told(step, state, LastTurns(reason, seats))


def _in_turn(state: State) -> tuple[Seat, ...]:
    """P-END-1: everybody, clockwise from the active player, who is last."""
    seats = len(state.players)
    return tuple((state.active + step) % seats for step in range(1, seats + 1))


def _rest_of_the_round(state: State) -> tuple[Seat, ...]:
    """P-END-2: those who come before the start player's next turn."""
    order = _in_turn(state)
    return order[: order.index(state.start)]
