"""The active player's action: one of three, in as many steps as it takes (P-TURN-4)."""

from collections.abc import Sequence

from msgspec import UNSET, UnsetType

from saleroom_protocol.games.common import Seat
from saleroom_protocol.games.forms import Form
from saleroom_protocol.games.pictura import (
    Acquire,
    ActionFacts,
    AnyAction,
    Done,
    Exhibit,
    Hold,
    Inventory,
    ReplacePatrons,
    Why,
)
from saleroom_rules.contract import IllegalAction
from saleroom_rules.pictura import discard, exhibition, extras, improve, inventory
from saleroom_rules.pictura.state import ActionWindow, Moment, State, begun, go_on


def legal(state: State, window: ActionWindow, seat: Seat) -> Sequence[AnyAction | Form]:
    """List the steps of whatever action it can still be, favours and patrons, then `done`."""
    chosen = window.facts.chosen
    listed: list[AnyAction | Form] = []
    if chosen in (UNSET, "improve"):
        listed += improve.legal(state)
    if chosen is UNSET:
        listed += exhibition.legal(state)
        listed.append(Inventory())
    if inventory.may_replace(window.facts):
        listed.append(ReplacePatrons())
    listed += extras.legal(state)
    return listed if chosen is UNSET else [*listed, Done()]


def answer(state: State, window: ActionWindow, seat: Seat, act: AnyAction) -> Moment:
    """Take a step; the window opens again until the player is done."""
    match act:
        case Exhibit():
            _check_action(window, "improve")
            return go_on(improve.exhibit(begun(state), act), ActionFacts("improve"))
        case Acquire():
            _check_action(window, "improve")
            return go_on(improve.acquire(begun(state), act), ActionFacts("improve"))
        case Hold():
            _check_action(window)
            return exhibition.hold(begun(state), act)
        case Inventory():
            _check_action(window)
            return go_on(inventory.take(begun(state)), ActionFacts("inventory", replaced=False))
        case ReplacePatrons():
            step = inventory.replace_patrons(begun(state), window.facts)
            return go_on(step, ActionFacts("inventory", replaced=True))
        case Done():
            if window.facts.chosen is UNSET:
                raise IllegalAction(Why.ACTION_NEEDED)
            return discard.begin(begun(state))
        case _:
            return extras.answer(state, window, seat, act)


def default(state: State, window: ActionWindow, seat: Seat) -> AnyAction:
    """Take an inventory if nothing was done yet."""
    return Inventory() if window.facts.chosen is UNSET else Done()


def _check_action(window: ActionWindow, going_on: str | UnsetType = UNSET) -> None:
    """Refuse to begin an action when one is chosen, but for the one that may go on."""
    chosen = window.facts.chosen
    if chosen not in (UNSET, going_on):
        raise IllegalAction(Why.ONE_ACTION, chosen=chosen)
