"""What goes beside trade and action, in both windows: a favour and a patron a turn (P-TURN-5)."""

from collections.abc import Sequence

from saleroom_protocol.games.common import Seat
from saleroom_protocol.games.forms import Form
from saleroom_protocol.games.pictura import AnyAction, Claim, Why
from saleroom_rules.contract import IllegalAction
from saleroom_rules.pictura import favours, patrons
from saleroom_rules.pictura.state import Moment, OwnWindow, State, begun, opened, wrong_window


def legal(state: State) -> Sequence[AnyAction | Form]:
    """List what the active player's favours can do, then the patrons that can be claimed."""
    return [*favours.legal(state), *patrons.legal(state)]


def answer(state: State, window: OwnWindow, seat: Seat, act: AnyAction) -> Moment:
    """Play a favour or claim a patron; the window opens again."""
    if not isinstance(act, Claim | favours.AnyFavour):
        raise wrong_window(window)
    if seat != state.active:
        raise IllegalAction(Why.NOT_ACTIVE, active=state.active)
    if isinstance(act, Claim):
        return opened(patrons.claim(begun(state), act), window)
    return favours.play(state, window, act)
