"""What a gallery is worth (V-SCORE-1)."""

from saleroom_protocol.games.vernissage import CardId
from saleroom_rules.vernissage.cards import NUMBERS, PRINTED, WORKS
from saleroom_rules.vernissage.state import Player, State


def scores(state: State) -> tuple[int, ...]:
    """Return each player's assets, by seat."""
    return tuple(_assets(state, player) for player in state.players)


def _assets(state: State, player: Player) -> int:
    works = sum(_worth(state, card) for card in (*player.shown, *player.hand) if card in WORKS)
    return player.cash + works - player.notes * NUMBERS.note


def _worth(state: State, work: CardId) -> int:
    """A work is worth what its artist's space says; of one who is OUT it costs."""
    artist = state.artists[WORKS[work]]
    return -NUMBERS.out_cost if artist.out else PRINTED[artist.space]
