"""Action 3: the archive comes back, with a favour, and perhaps with new patrons (P-INV-1)."""

from msgspec.structs import replace

from saleroom_protocol.games.pictura import ActionFacts, InventoryTaken, Why
from saleroom_rules.contract import IllegalAction
from saleroom_rules.pictura.decks import draw_favours, show_patrons
from saleroom_rules.pictura.state import Moment, told


def take(step: Moment) -> Moment:
    """Take the whole archive into the hand, if there is any, and draw a favour."""
    state, seat, player = step.state, step.state.active, step.state.player
    player = replace(player.holding(*player.archive), archive=())
    step = told(step, state.with_player(seat, player), InventoryTaken(seat))
    return draw_favours(step, seat, 1)


def replace_patrons(step: Moment, facts: ActionFacts) -> Moment:
    """Discard all open patrons and show others."""
    if not may_replace(facts):
        raise IllegalAction(Why.NO_INVENTORY)
    state = step.state
    state = replace(state, patrons=(), past_patrons=(*state.past_patrons, *state.patrons))
    return show_patrons(told(step, state))


def may_replace(facts: ActionFacts) -> bool:
    """Tell whether an inventory was taken and the patrons are still the same."""
    return facts.replaced is False
