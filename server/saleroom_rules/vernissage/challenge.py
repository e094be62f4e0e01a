"""No agreement: the remaining objectors decide for a Trial of Strength or against it (V-OBJ-3)."""

from collections.abc import Sequence

from saleroom_protocol.games.common import Seat
from saleroom_protocol.games.forms import Form
from saleroom_protocol.games.vernissage import (
    AnyAction,
    AnyEvent,
    Challenge,
    Challenged,
    DisputeFacts,
    Forgo,
)
from saleroom_rules.contract import Step
from saleroom_rules.vernissage import effect, might, sealed
from saleroom_rules.vernissage.dispute import remaining
from saleroom_rules.vernissage.state import ChallengeWindow, State, opened, wrong_window


def begin(state: State, facts: DisputeFacts, *events: AnyEvent) -> Step[State, AnyEvent]:
    """Ask those who have not withdrawn."""
    seats = remaining(state.disputed())
    return opened(state, ChallengeWindow(seats=seats, facts=facts), *events)


def legal(state: State, window: ChallengeWindow, seat: Seat) -> Sequence[AnyAction | Form]:
    """List both answers."""
    return [Challenge(), Forgo()]


def answer(
    state: State, window: ChallengeWindow, seat: Seat, action: AnyAction
) -> Step[State, AnyEvent]:
    """Keep the answer; after the last one begin the trial, or let the counter take effect."""
    if not isinstance(action, Challenge | Forgo):
        raise wrong_window(window)
    return sealed.take(state, window, seat, action, _close)


def default(state: State, window: ChallengeWindow, seat: Seat) -> AnyAction:
    """Let the counter stay."""
    return Forgo()


def _close(state: State, window: ChallengeWindow) -> Step[State, AnyEvent]:
    contra = tuple(seat for seat, act in window.answers if isinstance(act, Challenge))
    if not contra:
        return effect.take_effect(state, "unchallenged", Challenged(contra))
    return might.begin(state, contra, Challenged(contra))
