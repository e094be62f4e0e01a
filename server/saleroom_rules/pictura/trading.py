"""What a trade is, which are allowed, and what one does (P-TRADE-1, P-TRADE-2)."""

from collections.abc import Iterator

from msgspec.structs import replace

from saleroom_protocol.games.common import Seat
from saleroom_protocol.games.forms import Form, one_of
from saleroom_protocol.games.pictura import PaintingId, Traded, Why
from saleroom_rules.contract import IllegalAction
from saleroom_rules.pictura.cards import WORTH
from saleroom_rules.pictura.points import scored
from saleroom_rules.pictura.state import Moment, State, check_held, told, without


def trades(do: str, state: State, seat: Seat) -> Iterator[Form]:
    """Yield a form of that name for every painting of the hand with which a trade is allowed."""
    for give in state.players[seat].paintings:
        takes = [take for take, _ in allowed(state, seat, give)]
        if takes:
            yield Form(do, {"give": give}, {"take": one_of(takes)})


def can_trade(state: State, seat: Seat) -> bool:
    """Tell whether a player has any trade that is allowed."""
    return any(True for give in state.players[seat].paintings for _ in allowed(state, seat, give))


def allowed(state: State, seat: Seat, give: PaintingId) -> Iterator[tuple[PaintingId, int]]:
    """P-TRADE-2: yield what may be had for a painting, and the points that brings."""
    score = state.players[seat].score
    for museum in state.museums.values():
        worth = WORTH[museum.trend]
        for take in museum.paintings:
            points = worth[give] - worth[take]
            if score + points >= 0:
                yield take, points


def traded(step: Moment, seat: Seat, give: PaintingId, take: PaintingId) -> Moment:
    """P-TRADE-1: swap two paintings and count both values at once."""
    state, player = step.state, step.state.players[seat]
    check_held(player.paintings, give)
    key = state.home_of(take)
    museum = state.museums[key]
    worth = WORTH[museum.trend]
    points = worth[give] - worth[take]
    if player.score + points < 0:
        raise IllegalAction(Why.BELOW_ZERO, score=player.score, points=points)
    museum = replace(museum, paintings=(*without(museum.paintings, (take,)), give))
    state = state.with_player(seat, player.without(give).holding(take))
    step = told(step, state.with_museum(key, museum), Traded(seat, key, give, take))
    return scored(step, seat, points, "trade")
