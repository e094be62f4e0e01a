"""The active player keeps a card of the pile looked at, or none (V-BUY-1)."""

from collections.abc import Sequence

from msgspec.structs import replace

from saleroom_protocol.games.common import Seat
from saleroom_protocol.games.forms import Form, one_of
from saleroom_protocol.games.vernissage import (
    AnyAction,
    AnyEvent,
    CardId,
    CardKept,
    Keep,
    KeepNone,
    NothingKept,
    Why,
)
from saleroom_rules.contract import IllegalAction, Step
from saleroom_rules.vernissage import play
from saleroom_rules.vernissage.state import PickWindow, State, without, wrong_window


def looked_at(state: State, window: PickWindow) -> tuple[CardId, ...]:
    """Return the pile, top first."""
    return state.piles[window.facts.pile - 1]


def legal(state: State, window: PickWindow, seat: Seat) -> Sequence[AnyAction | Form]:
    """List the cards from the top down, then `keep_none`."""
    return [Form("keep", {}, {"card": one_of(looked_at(state, window))}), KeepNone()]


def answer(
    state: State, window: PickWindow, seat: Seat, action: AnyAction
) -> Step[State, AnyEvent]:
    """Keep a card or none; the rest goes back as it was, and nothing is refunded."""
    match action:
        case Keep(card):
            return _keep(state, window, card)
        case KeepNone():
            return play.begin(state, NothingKept(seat, window.facts.pile))
        case _:
            raise wrong_window(window)


def default(state: State, window: PickWindow, seat: Seat) -> AnyAction:
    """Keep the top card."""
    return Keep(looked_at(state, window)[0])


def _keep(state: State, window: PickWindow, card: CardId) -> Step[State, AnyEvent]:
    pile, place = looked_at(state, window), window.facts.pile - 1
    if card not in pile:
        raise IllegalAction(Why.NOT_IN_PILE, card=card)
    state = replace(
        state,
        players=state.with_player(state.active, state.player.with_card(card)),
        piles=(*state.piles[:place], without(pile, (card,)), *state.piles[place + 1 :]),
    )
    return play.begin(state, CardKept(state.active, window.facts.pile, card))
