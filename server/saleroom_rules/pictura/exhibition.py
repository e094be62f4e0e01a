"""Action 2: a special exhibition (P-SPE-1, P-SPE-2); its chip then goes on a bonus space."""

from collections.abc import Iterator

from msgspec import UNSET
from msgspec.structs import replace

from saleroom_protocol.games.common import Seat
from saleroom_protocol.games.forms import Form, one_of
from saleroom_protocol.games.pictura import Category, ExhibitionHeld, Hold, Why
from saleroom_rules.contract import IllegalAction
from saleroom_rules.pictura import arranging, bonus_space
from saleroom_rules.pictura.cards import CATEGORIES, NUMBERS, of_category, size_points
from saleroom_rules.pictura.museum import hangs_together, put_together
from saleroom_rules.pictura.points import scored
from saleroom_rules.pictura.state import Moment, Player, State, told


def legal(state: State) -> Iterator[Form]:
    """Yield the form of all categories of which an exhibition can be held now, if there are any."""
    categories = [category for category in CATEGORIES if _hinders(state, category) is None]
    if categories:
        yield Form("hold", {}, {"category": one_of(categories)})


def completed(state: State, seat: Seat, act: Hold) -> Hold:
    """P-SPE-1: write down how the paintings are put together, unless they hang so already.

    Raises:
        IllegalAction: it says so already.
    """
    if act.arrangement is not UNSET:
        raise IllegalAction(Why.SERVER_ARRANGES)
    museum = state.player.museum
    refused = seat != state.active or _hinders(state, act.category)
    if refused or hangs_together(museum, act.category):
        return act
    return Hold(act.category, put_together(museum, act.category))


def hold(step: Moment, act: Hold) -> Moment:
    """Score the exhibition; its chip then needs a space."""
    state, seat = step.state, step.state.active
    hindrance = _hinders(state, act.category)
    if hindrance:
        raise hindrance
    step = _put_together(step, act)
    chips = {**state.chips, act.category: state.chips[act.category] - 1}
    size, first = _size(state.player, act.category), chips[act.category] == NUMBERS.chips - 1
    held = ExhibitionHeld(seat, act.category, size, first)
    step = told(step, replace(step.state, chips=chips), held)
    points = size_points(size) + (NUMBERS.first if first else 0)
    step = scored(step, seat, points, "exhibition")
    return bonus_space.begin(step, act.category)


def _size(player: Player, category: Category) -> int:
    return len(of_category(category, player.museum))


def _hinders(state: State, category: Category) -> IllegalAction | None:
    """Return why no exhibition of a category can be held, if so."""
    player, size = state.player, _size(state.player, category)
    if not bonus_space.free(player):
        return IllegalAction(Why.NO_SPACE)
    if not state.chips.get(category):
        return IllegalAction(Why.NO_CHIP, category=category)
    if category in player.exhibitions.values():
        return IllegalAction(Why.HELD_BEFORE, category=category)
    if size < NUMBERS.least:
        return IllegalAction(Why.TOO_FEW, category=category, size=size)
    return None


def _put_together(step: Moment, act: Hold) -> Moment:
    """Hang everything where the completed action says; then the category has to be one group."""
    if act.arrangement is not UNSET:
        arranging.check(step.state.player.museum, act.arrangement)
        step = arranging.arranged(step, step.state.active, act.arrangement)
    if not hangs_together(step.state.player.museum, act.category):
        raise IllegalAction(Why.NOT_TOGETHER, category=act.category)
    return step
