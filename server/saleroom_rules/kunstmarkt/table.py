"""What everybody sees of a Kunstmarkt game. Nothing here may copy a whole state or player."""

from msgspec import UNSET

from saleroom_protocol.games.kunstmarkt import (
    OpenHand,
    Table,
    TablePlayer,
    TableSale,
)
from saleroom_rules.kunstmarkt.cards import NUMBERS
from saleroom_rules.kunstmarkt.state import Player, Sale, State

PRICE_CARDS = tuple(map(str, NUMBERS.prices))
SEATS = tuple(map(str, range(max(NUMBERS.seats))))


def table(state: State) -> Table:
    """K-SET-5: market, prices, counts, discards, cash, known pictures; at the end all hands."""
    over = state.ended is not UNSET
    show_cash = over or not state.hidden_cash
    return Table(
        start=state.start,
        active=state.active,
        market=dict(zip(PRICE_CARDS, state.market, strict=True)),
        stock=len(state.stock),
        deck=len(state.deck),
        players={
            seat: _player(player, show_cash, over)
            for seat, player in zip(SEATS, state.players, strict=False)
        },
        discards=state.discards,
        sale=UNSET if state.sale is None else _sale(state.sale),
    )


def _player(player: Player, show_cash: bool, over: bool) -> TablePlayer:
    return TablePlayer(
        pictures=len(player.pictures),
        customers=len(player.customers),
        known=player.known,
        cash=player.cash if show_cash else UNSET,
        hand=OpenHand(player.pictures, player.customers) if over else UNSET,
    )


def _sale(sale: Sale) -> TableSale:
    return TableSale(
        customer=sale.customer,
        offers={SEATS[seat]: picture for seat, picture in sale.offers},
        best=sale.offers[-1][0] if sale.offers else UNSET,
    )
