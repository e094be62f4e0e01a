"""B: the active player buys a brown pile to pick from, or the top grey card (V-BUY)."""

from collections.abc import Sequence

from msgspec.structs import replace

from saleroom_protocol.games.common import Seat
from saleroom_protocol.games.forms import Form
from saleroom_protocol.games.vernissage import (
    AnyAction,
    AnyEvent,
    BuyGrey,
    BuyPile,
    BuySkipped,
    GreyBought,
    GreyShuffled,
    NoteTaken,
    PickFacts,
    PileBought,
    Why,
)
from saleroom_rules.contract import IllegalAction, Step
from saleroom_rules.vernissage import play
from saleroom_rules.vernissage.cards import NUMBERS
from saleroom_rules.vernissage.state import BuyWindow, PickWindow, State, opened, wrong_window


def begin(state: State, *events: AnyEvent) -> Step[State, AnyEvent]:
    """Renew the grey pile if need be (V-STEP-3) and ask; with nothing to buy go on (V-BUY-1)."""
    if not state.grey and state.discards:
        state, shuffled = _shuffled(state)
        events = (*events, shuffled)
    if not state.grey and not any(state.piles):
        return play.begin(state, *events, BuySkipped(state.active))
    return opened(state, BuyWindow(seats=(state.active,)), *events)


def legal(state: State, window: BuyWindow, seat: Seat) -> Sequence[AnyAction | Form]:
    """List the piles that hold cards, the cheapest first, then the grey card."""
    listed: list[AnyAction | Form] = [
        BuyPile(number) for number, pile in enumerate(state.piles, 1) if pile
    ]
    if state.grey:
        listed.append(BuyGrey())
    return listed


def answer(state: State, window: BuyWindow, seat: Seat, action: AnyAction) -> Step[State, AnyEvent]:
    """Pay, borrowing if need be, and look at the pile or take the grey card."""
    match action:
        case BuyPile(pile):
            return _buy_pile(state, pile)
        case BuyGrey():
            return _buy_grey(state)
        case _:
            raise wrong_window(window)


def default(state: State, window: BuyWindow, seat: Seat) -> AnyAction:
    """Buy the grey card, else the cheapest pile."""
    if state.grey:
        return BuyGrey()
    return BuyPile(next(number for number, pile in enumerate(state.piles, 1) if pile))


def _shuffled(state: State) -> tuple[State, GreyShuffled]:
    """V-STEP-3: the discards, by id, become the new grey pile."""
    grey, rng = state.rng.shuffle("grey", sorted(state.discards))
    return replace(state, grey=grey, discards={}, rng=rng), GreyShuffled(len(grey))


def _buy_pile(state: State, number: int) -> Step[State, AnyEvent]:
    if not 1 <= number <= len(state.piles) or not state.piles[number - 1]:
        raise IllegalAction(Why.NO_PILE, pile=number)
    price = NUMBERS.prices[number - 1]
    state, notes = _paid(state, price)
    window = PickWindow(seats=(state.active,), facts=PickFacts(number))
    bought = PileBought(state.active, number, price, state.piles[number - 1])
    return opened(state, window, *notes, bought)


def _buy_grey(state: State) -> Step[State, AnyEvent]:
    if not state.grey:
        raise IllegalAction(Why.NO_GREY)
    card, *rest = state.grey
    state, notes = _paid(state, NUMBERS.grey_price)
    state = replace(
        state,
        players=state.with_player(state.active, state.player.with_card(card)),
        grey=tuple(rest),
    )
    return play.begin(state, *notes, GreyBought(state.active, NUMBERS.grey_price, card))


def _paid(state: State, price: int) -> tuple[State, list[NoteTaken]]:
    """V-BUY-2: borrow as often as it takes, and only then."""
    player = state.player
    loans = max(0, -((player.cash - price) // NUMBERS.loan))
    player = replace(
        player, cash=player.cash + loans * NUMBERS.loan - price, notes=player.notes + loans
    )
    state = replace(state, players=state.with_player(state.active, player))
    return state, [NoteTaken(state.active, NUMBERS.loan)] * loans
