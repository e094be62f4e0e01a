"""A painting enters a museum: hung, acquired, or hung for nothing (P-EXH-1 to P-EXH-4)."""

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from saleroom_protocol.games.common import Seat
from saleroom_protocol.games.pictura import (
    PaintingHung,
    PaintingId,
    PaintingsArchived,
    Why,
)
from saleroom_rules.contract import IllegalAction
from saleroom_rules.pictura.board import PLACES
from saleroom_rules.pictura.museum import free_place
from saleroom_rules.pictura.points import scored
from saleroom_rules.pictura.state import Moment, State, check_held, told, without


def is_full(state: State) -> bool:
    """Tell whether the active player's museum has no place left."""
    return len(state.player.museum) == len(PLACES)


def can_hang(state: State) -> bool:
    """Tell whether the active player could hang a painting of the hand."""
    return bool(state.player.paintings) and not is_full(state)


def rivals_archives(state: State) -> tuple[PaintingId, ...]:
    """List what lies in the archives of the others, by seat."""
    return tuple(
        painting
        for seat, player in enumerate(state.players)
        if seat != state.active
        for painting in player.archive
    )


def can_acquire(state: State) -> bool:
    """Tell whether there is a painting to acquire, a place for it, and one of the hand to pay."""
    return can_hang(state) and bool(rivals_archives(state))


def check_place(state: State) -> None:
    """Refuse to hang anything in a full museum."""
    if is_full(state):
        raise IllegalAction(Why.MUSEUM_FULL, places=len(PLACES))


def hang_own(step: Moment, painting: PaintingId) -> Moment:
    """Hang a painting of the hand; nothing goes to the archive."""
    check_place(step.state)
    check_held(step.state.player.paintings, painting)
    state = step.state.with_player(step.state.active, step.state.player.without(painting))
    return _enter(told(step, state), painting)


def archive(step: Moment, *paintings: PaintingId) -> Moment:
    """Put paintings of the hand into the archive, in this order."""
    seat = step.state.active
    check_held(step.state.player.paintings, *paintings)
    state = step.state.with_player(seat, step.state.player.archiving(*paintings))
    return told(step, state, PaintingsArchived(seat, paintings))


def acquire(step: Moment, painting: PaintingId, given: PaintingId, cost: int) -> Moment:
    """Archive `given`, pay a rival `cost` points, and hang a painting of that rival's archive."""
    seat = step.state.active
    check_place(step.state)
    owner = _owner(step.state, painting)
    step = archive(step, given)
    step = scored(scored(step, seat, -cost, "paid"), owner, cost, "paid")
    rival = step.state.players[owner]
    rival = replace(rival, archive=without(rival.archive, (painting,)))
    return _enter(told(step, step.state.with_player(owner, rival)), painting, owner)


def _owner(state: State, painting: PaintingId) -> Seat:
    for seat, player in enumerate(state.players):
        if seat != state.active and painting in player.archive:
            return seat
    raise IllegalAction(Why.NOT_IN_ARCHIVE, painting=painting)


def _enter(step: Moment, painting: PaintingId, owner: Seat | UnsetType = UNSET) -> Moment:
    """P-EXH-4: the lowest free place; P-EXH-3: it scores under the general trend."""
    state, seat, player = step.state, step.state.active, step.state.player
    place = free_place(player.museum)
    player = replace(player, museum={**player.museum, painting: place})
    state = replace(state.with_player(seat, player), entered=(*state.entered, painting))
    step = told(step, state, PaintingHung(seat, painting, place, owner))
    return scored(step, seat, state.liked(painting), "trend") if state.general_trend else step
