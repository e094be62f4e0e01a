"""All others with influence on the artist may object to the counter, sealed (V-FATE-4, V-OBJ-1)."""

from collections.abc import Sequence

from msgspec.structs import replace

from saleroom_protocol.games.common import Seat
from saleroom_protocol.games.forms import Form
from saleroom_protocol.games.vernissage import (
    Allow,
    AnyAction,
    AnyEvent,
    DisputeFacts,
    Object,
    Objected,
)
from saleroom_rules.contract import Step
from saleroom_rules.vernissage import bargain, effect, sealed
from saleroom_rules.vernissage.state import ObjectionWindow, State, opened, wrong_window


def begin(state: State, *events: AnyEvent) -> Step[State, AnyEvent]:
    """Ask whoever else has influence; if nobody has, the counter takes effect at once."""
    dispute = state.disputed()
    step = state.artists[dispute.artist].step
    seats = tuple(
        seat
        for seat, player in enumerate(state.players)
        if seat != dispute.pro and step in player.agents
    )
    if not seats:
        state = replace(state, dispute=replace(dispute, objectors=()))
        return effect.take_effect(state, "unopposed", *events)
    facts = DisputeFacts(dispute.pro, dispute.artist, dispute.kind, dispute.value)
    return opened(state, ObjectionWindow(seats=seats, facts=facts), *events)


def legal(state: State, window: ObjectionWindow, seat: Seat) -> Sequence[AnyAction | Form]:
    """List both answers."""
    return [Object(), Allow()]


def answer(
    state: State, window: ObjectionWindow, seat: Seat, action: AnyAction
) -> Step[State, AnyEvent]:
    """Keep the answer; after the last one bargain, or let the counter take effect."""
    if not isinstance(action, Object | Allow):
        raise wrong_window(window)
    return sealed.take(state, window, seat, action, _close)


def default(state: State, window: ObjectionWindow, seat: Seat) -> AnyAction:
    """Have no objection."""
    return Allow()


def _close(state: State, window: ObjectionWindow) -> Step[State, AnyEvent]:
    objectors = tuple(seat for seat, act in window.answers if isinstance(act, Object))
    state = replace(state, dispute=replace(state.disputed(), objectors=objectors))
    if not objectors:
        return effect.take_effect(state, "unopposed", Objected(objectors))
    return bargain.begin(state, window.facts, objectors, Objected(objectors))
