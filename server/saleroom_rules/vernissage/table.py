"""What everybody sees of a Vernissage game. Nothing here may copy a whole state or player."""

from msgspec import UNSET

from saleroom_protocol.games.vernissage import (
    Table,
    TableArtist,
    TableGrey,
    TablePile,
    TablePlayer,
)
from saleroom_rules.vernissage.cards import NUMBERS, PRINTED
from saleroom_rules.vernissage.state import OnStage, Player, State

SEATS = tuple(map(str, range(max(NUMBERS.seats))))
# Every pile at every height, so that a pile nobody has touched is the same object as before.
PILES = tuple(
    (str(number), tuple(TablePile(price, cards) for cards in range(NUMBERS.pile + 1)))
    for number, price in enumerate(NUMBERS.prices, 1)
)
OUT = TableArtist(out=True)


def table(state: State) -> Table:
    """Show all but hands, piles, the grey pile, what was set aside and sealed answers."""
    over = state.ended is not UNSET
    return Table(
        start=state.start,
        turn=state.turn,
        active=state.active,
        artists={key: _artist(artist) for key, artist in state.artists.items()},
        feather=state.feather,
        supply=state.supply,
        piles={
            number: heights[len(pile)]
            for (number, heights), pile in zip(PILES, state.piles, strict=True)
        },
        grey=TableGrey(NUMBERS.grey_price, len(state.grey), state.discards),
        gone=state.gone,
        players={
            seat: _player(player, over) for seat, player in zip(SEATS, state.players, strict=False)
        },
        dispute=state.dispute,
        recent=state.recent,
    )


def _artist(artist: OnStage) -> TableArtist:
    if artist.out:
        return OUT
    return TableArtist(
        step=artist.step,
        counters=artist.counters,
        space=artist.space,
        worth=PRINTED[artist.space],
    )


def _player(player: Player, over: bool) -> TablePlayer:
    brown = player.brown
    return TablePlayer(
        cash=player.cash,
        notes=player.notes,
        agents=player.agents,
        reserve=player.reserve,
        shown=player.shown,
        brown=brown,
        grey=len(player.hand) - brown,
        hand=player.hand if over else UNSET,
    )
