"""The decks: drawing from them, and shuffling the discards when one is empty (P-DECK, P-REFILL)."""

from msgspec.structs import replace

from saleroom_protocol.games.common import Seat
from saleroom_protocol.games.pictura import (
    FavourDrawn,
    MuseumKey,
    MuseumRefilled,
    PaintingId,
    PaintingsDrawn,
    PaintingTaken,
    PatronsShown,
    TrendRevealed,
)
from saleroom_rules.pictura.cards import NUMBERS
from saleroom_rules.pictura.state import Moment, State, in_order, told, without


def draw_paintings(step: Moment, seat: Seat, count: int) -> Moment:
    """Draw as many as there are; the deck of paintings is never renewed."""
    state = step.state
    drawn, deck = state.deck[:count], state.deck[count:]
    state = replace(state.with_player(seat, state.players[seat].holding(*drawn)), deck=deck)
    return told(step, state, PaintingsDrawn(seat, len(drawn), in_order(drawn)))


def draw_favours(step: Moment, seat: Seat, count: int) -> Moment:
    """Draw one after the other, as long as there is any."""
    for _ in range(count):
        step = _draw_favour(step, seat)
    return step


def take_free(step: Moment, seat: Seat, painting: PaintingId) -> Moment:
    """Take a painting of an international museum into the hand; the museum is refilled."""
    key = step.state.home_of(painting)
    museum, player = step.state.museums[key], step.state.players[seat]
    state = step.state.with_player(seat, player.holding(painting))
    state = state.with_museum(
        key, replace(museum, paintings=without(museum.paintings, (painting,)))
    )
    return refill(told(step, state, PaintingTaken(seat, key, painting)), key)


def refill(step: Moment, key: MuseumKey) -> Moment:
    """P-REFILL: give a museum the top painting of the deck, if there is one."""
    state = step.state
    if not state.deck:
        return step
    museum, painting = state.museums[key], state.deck[0]
    state = replace(state, deck=state.deck[1:]).with_museum(
        key, replace(museum, paintings=(*museum.paintings, painting))
    )
    return told(step, state, MuseumRefilled(key, painting))


def reveal_trend(step: Moment) -> Moment:
    """P-TURN-7: lay a new general trend open; the old one is discarded."""
    state = step.state
    state = replace(state, past_trends=(*state.past_trends, state.trend))
    if not state.trend_deck:
        deck, rng = state.rng.shuffle("trends", in_order(state.past_trends))
        state = replace(state, trend_deck=deck, past_trends=(), rng=rng)
    trend, *rest = state.trend_deck
    state = replace(state, trend=trend, trend_deck=tuple(rest))
    return told(step, state, TrendRevealed(trend))


def show_patrons(step: Moment) -> Moment:
    """Fill the row of open patrons from the deck, and if need be from its discards."""
    state, shown = step.state, step.state.patrons
    while len(state.patrons) < NUMBERS.shown.patrons:
        if not state.patron_deck:
            state = _patrons_shuffled(state)
        if not state.patron_deck:
            break
        patron, *rest = state.patron_deck
        state = replace(state, patrons=(*state.patrons, patron), patron_deck=tuple(rest))
    new = state.patrons[len(shown) :]
    return told(step, state, *([PatronsShown(new)] if new else []))


def _draw_favour(step: Moment, seat: Seat) -> Moment:
    state = step.state
    if not state.favour_deck:
        deck, rng = state.rng.shuffle("favours", in_order(state.past_favours))
        state = replace(state, favour_deck=deck, past_favours={}, rng=rng)
    if not state.favour_deck:
        return step
    favour, *rest = state.favour_deck
    player = state.players[seat]
    player = replace(player, favours=in_order((*player.favours, favour)))
    state = replace(state.with_player(seat, player), favour_deck=tuple(rest))
    return told(step, state, FavourDrawn(seat, favour))


def _patrons_shuffled(state: State) -> State:
    deck, rng = state.rng.shuffle("patrons", in_order(state.past_patrons))
    return replace(state, patron_deck=deck, past_patrons=(), rng=rng)
