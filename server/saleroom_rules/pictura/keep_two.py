"""The active player has drawn paintings and keeps two of them (P-FAV)."""

from collections.abc import Sequence

from msgspec.structs import replace

from saleroom_protocol.games.common import Seat
from saleroom_protocol.games.forms import Form, some_of
from saleroom_protocol.games.pictura import (
    AnyAction,
    KeepTwo,
    KeepTwoFacts,
    PaintingsDrawn,
    TwoKept,
    Why,
)
from saleroom_rules.contract import IllegalAction
from saleroom_rules.pictura.cards import FAVOURS
from saleroom_rules.pictura.state import (
    KeepTwoWindow,
    Moment,
    OwnWindow,
    State,
    begun,
    in_order,
    opened,
    told,
    without,
    wrong_window,
)


def begin(step: Moment, then: OwnWindow) -> Moment:
    """Draw four, or however many there are, and ask."""
    state, count = step.state, FAVOURS.choose.drawn
    drawn = in_order(state.deck[:count])
    kept = min(FAVOURS.choose.kept, len(drawn))
    step = told(
        step,
        replace(state, deck=state.deck[count:]),
        PaintingsDrawn(state.active, len(drawn), drawn),
    )
    facts = KeepTwoFacts(len(drawn), kept)
    return opened(step, KeepTwoWindow(seats=(state.active,), facts=facts, drawn=drawn, then=then))


def legal(state: State, window: KeepTwoWindow, seat: Seat) -> Sequence[AnyAction | Form]:
    """List one form: as many as are to be kept."""
    kept = window.facts.kept
    return [Form("keep_two", {}, {"paintings": some_of(window.drawn, kept, kept)})]


def answer(state: State, window: KeepTwoWindow, seat: Seat, act: AnyAction) -> Moment:
    """Keep these; the others go under the deck, the lower id first."""
    if not isinstance(act, KeepTwo):
        raise wrong_window(window)
    for painting in act.paintings:
        if painting not in window.drawn:
            raise IllegalAction(Why.NOT_DRAWN, painting=painting)
    if not len(act.paintings) == len({*act.paintings}) == window.facts.kept:
        raise IllegalAction(Why.WRONG_NUMBER, needed=window.facts.kept)
    kept = in_order(act.paintings)
    state = state.with_player(seat, state.player.holding(*kept))
    state = replace(state, deck=(*state.deck, *without(window.drawn, kept)))
    return opened(told(begun(state), state, TwoKept(seat, len(kept), kept)), window.then)


def default(state: State, window: KeepTwoWindow, seat: Seat) -> AnyAction:
    """Keep those with the lowest ids."""
    return KeepTwo(window.drawn[: window.facts.kept])
