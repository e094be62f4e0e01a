"""Everybody may arrange their own museum whenever there is something in it (P-EXH-4)."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from msgspec import UNSET
from msgspec.structs import replace

from saleroom_protocol.games.common import Seat
from saleroom_protocol.games.forms import Form, assign
from saleroom_protocol.games.pictura import Arrange, Arranged, PaintingId, Why
from saleroom_rules.contract import IllegalAction
from saleroom_rules.pictura.board import PLACES, Place
from saleroom_rules.pictura.museum import Museum, fits, rearranged
from saleroom_rules.pictura.state import ArrangeFinalWindow, Moment, State, begun, told

REMEMBERED = 1_000  # forms: a museum's is asked for after every action of anybody


def anytime(state: State, seat: Seat) -> Sequence[Form]:
    """List the one form, unless nothing hangs or the last arrangement is asked for."""
    museum = state.players[seat].museum
    if not museum or isinstance(state.window, ArrangeFinalWindow) or state.ended is not UNSET:
        return ()
    return (form(tuple(museum)),)


def arrange(state: State, seat: Seat, act: Arrange) -> Moment:
    """Hang everything where it is said to; no window is answered."""
    museum = state.players[seat].museum
    if not museum:
        raise IllegalAction(Why.NOTHING_HUNG)
    check(museum, act.places)
    return arranged(begun(state), seat, act.places)


def arranged(step: Moment, seat: Seat, places: Mapping[PaintingId, Place]) -> Moment:
    """Hang everything on places that were checked; if nothing changes, nothing is told."""
    player = step.state.players[seat]
    museum = rearranged(player.museum, places)
    if museum == player.museum:
        return step
    return told(step, step.state.with_player(seat, replace(player, museum=museum)), Arranged(seat))


def check(museum: Museum, places: Mapping[PaintingId, Place]) -> None:
    """Refuse what is no arrangement of a museum."""
    if not fits(museum, places):
        raise IllegalAction(Why.NOT_AN_ARRANGEMENT)


@lru_cache(maxsize=REMEMBERED)
def form(paintings: tuple[PaintingId, ...]) -> Form:
    """Return the form of all arrangements of some paintings."""
    places = assign(dict.fromkeys(paintings, PLACES), distinct=True, least=len(paintings))
    return Form("arrange", {}, {"places": places})
