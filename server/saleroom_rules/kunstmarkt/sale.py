"""A customer's visit: each player once offers a picture or passes, the best is sold (K-C)."""

from collections.abc import Sequence

from msgspec.structs import replace

from saleroom_protocol.games.kunstmarkt import (
    AnyAction,
    AnyEvent,
    CustomerLeft,
    Offer,
    Pass,
    Passed,
    PictureId,
    PictureOffered,
    PictureSold,
    Why,
)
from saleroom_rules.contract import IllegalAction, Step
from saleroom_rules.kunstmarkt.cards import CUSTOMERS, MERITS, NUMBERS
from saleroom_rules.kunstmarkt.state import Player, Sale, State, game_over, next_turn


def legal(state: State, sale: Sale) -> Sequence[AnyAction]:
    """List exactly the pictures that would be accepted now, by id, then `pass` (K-WIN-2)."""
    merits = MERITS[sale.customer]
    floor = _floor(sale)
    return [
        *(
            Offer(picture)
            for picture in state.players[sale.bidder].pictures
            if picture in merits and (floor is None or merits[picture] > floor)
        ),
        Pass(),
    ]


def offer(state: State, sale: Sale, picture: PictureId) -> Step[State, AnyEvent]:
    """Lay a better picture open (K-C-2, K-C-3); it leaves the hand until the sale (K-C-4)."""
    seat, merits = sale.bidder, MERITS[sale.customer]
    player = state.players[seat]
    if picture not in player.pictures:
        raise IllegalAction(Why.NOT_IN_HAND, card=picture)
    if picture not in merits:
        raise IllegalAction(Why.NO_MATCH, customer=sale.customer)
    floor = _floor(sale)
    if floor is not None and merits[picture] <= floor:
        raise IllegalAction(Why.NOT_BETTER, to_beat=sale.offers[-1][1])
    state = replace(state, players=state.with_player(seat, player.without_picture(picture)))
    sale = replace(sale, offers=(*sale.offers, (seat, picture)))
    return _go_on(state, sale, PictureOffered(seat, picture))


def decline(state: State, sale: Sale) -> Step[State, AnyEvent]:
    """Offer nothing."""
    return _go_on(state, sale, Passed(sale.bidder))


def default() -> AnyAction:
    """Pass."""
    return Pass()


def _floor(sale: Sale) -> int | None:
    """Return the merit an offer must exceed, if there is an offer already."""
    return MERITS[sale.customer][sale.offers[-1][1]] if sale.offers else None


def _go_on(state: State, sale: Sale, event: AnyEvent) -> Step[State, AnyEvent]:
    """Ask the next player; after the active one, who is last, close the sale (K-C-1)."""
    if sale.bidder != state.active:
        sale = replace(sale, bidder=state.after(sale.bidder))
        return Step(replace(state, window=state.window + 1, sale=sale), (event,))
    if not sale.offers:
        state = replace(state, discards=state.discarding({}, {sale.customer: "left"}))
        return next_turn(state, event, CustomerLeft(sale.customer))
    return _sell(state, sale, event)


def _sell(state: State, sale: Sale, event: AnyEvent) -> Step[State, AnyEvent]:
    """K-C-4: pay the best offer, return the others; K-END-1: the target ends the game."""
    *beaten, (winner, picture) = sale.offers
    price = CUSTOMERS[sale.customer].pays
    players = list(state.players)
    for seat, returned in beaten:
        players[seat] = players[seat].with_picture(returned)
    seller = replace(players[winner], cash=players[winner].cash + price)
    players[winner] = seller
    state = replace(
        state,
        players=tuple(players),
        discards=state.discarding({picture: "sold"}, {sale.customer: "served"}),
    )
    sold = PictureSold(winner, picture, sale.customer, price)
    if has_won(seller):
        return game_over(state, "capital", event, sold)
    return next_turn(state, event, sold)


def has_won(player: Player) -> bool:
    """K-END-1: enough cash to end the game."""
    return player.cash >= NUMBERS.target
