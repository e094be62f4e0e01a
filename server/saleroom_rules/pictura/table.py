"""What everybody sees of a Museum Pictura game. Nothing here may copy a whole state or player."""

from msgspec import UNSET

from saleroom_protocol.games.pictura import (
    OpenHand,
    Table,
    TableMuseum,
    TablePiles,
    TablePlayer,
)
from saleroom_rules.pictura.cards import NUMBERS, WORTH
from saleroom_rules.pictura.scoring import final_score
from saleroom_rules.pictura.state import InternationalMuseum, Player, State

SEATS = tuple(map(str, range(max(NUMBERS.seats))))


def table(state: State) -> Table:
    """Show all but hands, kept trends, decks, cards being chosen from and sealed answers."""
    over = state.ended is not UNSET
    return Table(
        start=state.start,
        turn=state.turn,
        active=state.active,
        trend=state.trend,
        museums={key: _museum(museum) for key, museum in state.museums.items()},
        patrons=state.patrons,
        piles=TablePiles(
            paintings=len(state.deck),
            trends=len(state.trend_deck),
            patrons=len(state.patron_deck),
            favours=len(state.favour_deck),
            past_trends=len(state.past_trends),
            past_patrons=len(state.past_patrons),
        ),
        favours=state.past_favours,
        chips=state.chips,
        favour_played=state.favour_played,
        patron_claimed=state.patron_claimed,
        entered=state.entered,
        reached=state.reached,
        last_turns=UNSET if state.ending is UNSET else state.last_turns,
        players={
            seat: _player(player, over) for seat, player in zip(SEATS, state.players, strict=False)
        },
    )


def _museum(museum: InternationalMuseum) -> TableMuseum:
    """Show the two rows, each in the order of coming (P-SET-5)."""
    paintings, worth = museum.paintings, WORTH[museum.trend]
    return TableMuseum(
        trend=museum.trend,
        matching=tuple([painting for painting in paintings if worth[painting]]),
        other=tuple([painting for painting in paintings if not worth[painting]]),
    )


def _player(player: Player, over: bool) -> TablePlayer:
    return TablePlayer(
        score=player.score,
        passed=NUMBERS.track[player.passed - 1] if player.passed else 0,
        paintings=len(player.paintings),
        favours=len(player.favours),
        museum=player.museum,
        archive={str(place): painting for place, painting in enumerate(player.archive, 1)},
        exhibitions=player.exhibitions,
        patrons=player.patrons,
        hand=_hand(player) if over else UNSET,
        final=final_score(player) if over else UNSET,
    )


def _hand(player: Player) -> OpenHand:
    return OpenHand(paintings=player.paintings, favours=player.favours, trend=player.trends[0])
