"""The active player's window: draw a customer, buy a picture, or play a customer (K-TURN-1)."""

from collections.abc import Sequence

from msgspec import UNSET
from msgspec.structs import replace

from saleroom_protocol.games.forms import Form, one_of
from saleroom_protocol.games.kunstmarkt import (
    AnyAction,
    AnyEvent,
    Buy,
    CustomerDrawn,
    CustomerPlayed,
    DrawCustomer,
    MarketRefilled,
    PictureBought,
    PictureId,
    PlayCustomer,
    Why,
)
from saleroom_rules.contract import IllegalAction, Step
from saleroom_rules.kunstmarkt.cards import CUSTOMERS, NUMBERS
from saleroom_rules.kunstmarkt.state import (
    Player,
    Sale,
    State,
    game_over,
    in_order,
    next_turn,
    without,
)


def legal(state: State) -> Sequence[AnyAction | Form]:
    """List A, then B by price, then C by id."""
    player = state.players[state.active]
    listed: list[AnyAction | Form] = []
    if may_draw(player):
        listed.append(DrawCustomer())
    for price, picture in zip(NUMBERS.prices, state.market, strict=True):
        if price <= player.cash:
            listed.append(_buy_entry(player, picture))
    listed.extend(map(PlayCustomer, player.customers))
    return listed


def may_draw(player: Player) -> bool:
    """K-A-1: only with fewer than three customers in hand."""
    return len(player.customers) < NUMBERS.customer_limit


def hand_full(player: Player) -> bool:
    """K-B-2: at the limit a purchase needs a discard."""
    return len(player.pictures) >= NUMBERS.picture_limit


def draw(state: State) -> Step[State, AnyEvent]:
    """A: take the top customer (K-A-1); the last one ends the game (K-END-2)."""
    player = state.players[state.active]
    if not may_draw(player):
        raise IllegalAction(Why.HAND_FULL, limit=NUMBERS.customer_limit)
    customer, *rest = state.deck
    player = replace(player, customers=in_order((*player.customers, customer)))
    event = CustomerDrawn(state.active, customer)
    state = replace(state, players=state.with_player(state.active, player), deck=tuple(rest))
    return next_turn(state, event) if rest else game_over(state, "last_customer", event)


def buy(state: State, action: Buy) -> Step[State, AnyEvent]:
    """B: discard if need be, pay, take the picture, close the gap (K-B-1 to K-B-4)."""
    player = state.players[state.active]
    place = _check_purchase(state, player, action)
    price = NUMBERS.prices[place]
    discards = state.discards
    if action.discard is not UNSET:
        player = player.without_picture(action.discard)
        discards = state.discarding({action.discard: "discarded"}, {})
    player = replace(player, cash=player.cash - price).with_picture(action.picture)
    refill, *rest = state.stock
    state = replace(
        state,
        players=state.with_player(state.active, player),
        market=(*state.market[:place], *state.market[place + 1 :], refill),
        stock=tuple(rest),
        discards=discards,
    )
    events = (
        PictureBought(state.active, action.picture, price, action.discard),
        MarketRefilled(refill, NUMBERS.prices[-1]),
    )
    return next_turn(state, *events) if rest else game_over(state, "last_picture", *events)


def play(state: State, action: PlayCustomer) -> Step[State, AnyEvent]:
    """C: lay a customer open; the left-hand neighbour is asked first (K-C-1)."""
    player = state.players[state.active]
    if action.customer not in player.customers:
        raise IllegalAction(Why.NOT_IN_HAND, card=action.customer)
    player = replace(player, customers=without(player.customers, action.customer))
    state = replace(
        state,
        window=state.window + 1,
        players=state.with_player(state.active, player),
        sale=Sale(customer=action.customer, bidder=state.after(state.active)),
    )
    return Step(state, (CustomerPlayed(state.active, action.customer),))


def default(state: State) -> AnyAction:
    """Draw if allowed, else play the customer with the lowest payment, lowest id."""
    player = state.players[state.active]
    if may_draw(player):
        return DrawCustomer()
    return PlayCustomer(min(player.customers, key=lambda caller: (CUSTOMERS[caller].pays, caller)))


def _buy_entry(player: Player, picture: PictureId) -> AnyAction | Form:
    if hand_full(player):
        return Form("buy", {"picture": picture}, {"discard": one_of(player.pictures)})
    return Buy(picture)


def _check_purchase(state: State, player: Player, action: Buy) -> int:
    """Return the price card the picture lies at, or refuse."""
    if action.picture not in state.market:
        raise IllegalAction(Why.NOT_ON_MARKET, picture=action.picture)
    place = state.market.index(action.picture)
    price = NUMBERS.prices[place]
    if price > player.cash:
        raise IllegalAction(Why.TOO_EXPENSIVE, price=price, cash=player.cash)
    if action.discard is UNSET:
        if hand_full(player):
            raise IllegalAction(Why.DISCARD_NEEDED, limit=NUMBERS.picture_limit)
    elif not hand_full(player):
        raise IllegalAction(Why.DISCARD_NOT_ALLOWED, limit=NUMBERS.picture_limit)
    elif action.discard not in player.pictures:
        raise IllegalAction(Why.NOT_IN_HAND, card=action.discard)
    return place
