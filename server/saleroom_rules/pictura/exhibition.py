"""Action 2: a special exhibition, and the bonus space its chip goes on (P-SPE)."""

from collections.abc import Callable, Iterator, Sequence

from msgspec import UNSET
from msgspec.structs import replace

from saleroom_protocol.games.common import Seat
from saleroom_protocol.games.forms import Form, one_of
from saleroom_protocol.games.pictura import (
    ActionFacts,
    AnyAction,
    Arranged,
    BonusSpaceFacts,
    Category,
    ExhibitionHeld,
    Hold,
    PaintingId,
    Space,
    SpaceUsed,
    UseSpace,
    Why,
)
from saleroom_rules.contract import IllegalAction
from saleroom_rules.pictura.cards import CATEGORIES, NUMBERS, SPACES, of_category, size_points
from saleroom_rules.pictura.decks import draw_favours, draw_paintings
from saleroom_rules.pictura.hanging import can_hang, hang_own
from saleroom_rules.pictura.museum import fits, hangs_together, put_together, rearranged
from saleroom_rules.pictura.score import scored
from saleroom_rules.pictura.state import (
    BonusSpaceWindow,
    Moment,
    Player,
    State,
    begun,
    go_on,
    opened,
    told,
    wrong_window,
)


def entries(state: State) -> Iterator[Form]:
    """Yield the form of all categories of which an exhibition can be held now."""
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
    museum = state.players[seat].museum
    if (
        seat != state.active
        or _hinders(state, act.category)
        or hangs_together(museum, act.category)
    ):
        return act
    return Hold(act.category, put_together(museum, act.category))


def hold(step: Moment, act: Hold) -> Moment:
    """Score the exhibition; its chip then needs a space."""
    state, seat = step.state, step.state.active
    hindrance = _hinders(state, act.category)
    if hindrance:
        raise hindrance
    step = _arranged(step, act)
    chips = {**state.chips, act.category: state.chips[act.category] - 1}
    size, first = _size(state.player, act.category), chips[act.category] == NUMBERS.chips - 1
    held = ExhibitionHeld(seat, act.category, size, first)
    step = told(step, replace(step.state, chips=chips), held)
    points = size_points(size) + (NUMBERS.first if first else 0)
    step = scored(step, seat, points, "exhibition")
    facts = BonusSpaceFacts(act.category)
    return opened(step, BonusSpaceWindow(seats=(seat,), facts=facts))


def legal(state: State, window: BonusSpaceWindow, seat: Seat) -> Sequence[AnyAction | Form]:
    """List the free spaces, with what can be hung on `exhibit`."""
    listed: list[AnyAction | Form] = []
    for space in free_spaces(state.player):
        if space == "exhibit" and can_hang(state):
            choose = {"painting": one_of(state.player.paintings)}
            listed.append(Form("use_space", {"space": space}, choose))
        else:
            listed.append(UseSpace(space))
    return listed


def answer(state: State, window: BonusSpaceWindow, seat: Seat, act: AnyAction) -> Moment:
    """Put the chip down; what works at once does, and the action goes on."""
    if not isinstance(act, UseSpace):
        raise wrong_window(window)
    _check_space(state, act)
    player = state.player
    taken = {**player.exhibitions, act.space: window.facts.category}
    state = state.with_player(seat, replace(player, exhibitions=taken))
    step = told(begun(state), state, SpaceUsed(seat, act.space))
    if act.painting is not UNSET:
        step = hang_own(step, act.painting)
    elif act.space in AT_ONCE:
        step = AT_ONCE[act.space](step, seat, SPACES[act.space])
    return go_on(step, ActionFacts("exhibition"))


def default(state: State, window: BonusSpaceWindow, seat: Seat) -> AnyAction:
    """Take the first free space, and hang what the general trend likes best."""
    space = free_spaces(state.player)[0]
    if space == "exhibit" and can_hang(state):
        return UseSpace(space, _best_liked(state))
    return UseSpace(space)


def free_spaces(player: Player) -> tuple[Space, ...]:
    """Return the bonus spaces without a chip, in their order."""
    return tuple([space for space in SPACES if space not in player.exhibitions])


AT_ONCE: dict[Space, Callable[[Moment, Seat, int], Moment]] = {
    "draw_paintings": draw_paintings,
    "draw_favours": draw_favours,
}


def _size(player: Player, category: Category) -> int:
    return len(of_category(category, player.museum))


def _hinders(state: State, category: Category) -> IllegalAction | None:
    """Return why no exhibition of a category can be held, if so."""
    player, size = state.player, _size(state.player, category)
    if not free_spaces(player):
        return IllegalAction(Why.NO_SPACE)
    if not state.chips.get(category):
        return IllegalAction(Why.NO_CHIP, category=category)
    if category in player.exhibitions.values():
        return IllegalAction(Why.HELD_BEFORE, category=category)
    if size < NUMBERS.least:
        return IllegalAction(Why.TOO_FEW, category=category, size=size)
    return None


def _arranged(step: Moment, act: Hold) -> Moment:
    """Put the paintings where the completed action says, which has to be one group."""
    state, player = step.state, step.state.player
    if act.arrangement is UNSET:
        if not hangs_together(player.museum, act.category):
            raise IllegalAction(Why.NOT_TOGETHER, category=act.category)
        return step
    if not fits(player.museum, act.arrangement):
        raise IllegalAction(Why.NOT_AN_ARRANGEMENT)
    museum = rearranged(player.museum, act.arrangement)
    if not hangs_together(museum, act.category):
        raise IllegalAction(Why.NOT_TOGETHER, category=act.category)
    state = state.with_player(state.active, replace(player, museum=museum))
    return told(step, state, Arranged(state.active))


def _check_space(state: State, act: UseSpace) -> None:
    if act.space not in free_spaces(state.player):
        raise IllegalAction(Why.SPACE_TAKEN, space=act.space)
    needed = act.space == "exhibit" and can_hang(state)
    if needed and act.painting is UNSET:
        raise IllegalAction(Why.PAINTING_NEEDED)
    if act.painting is not UNSET and not needed:
        raise IllegalAction(Why.PAINTING_NOT_NEEDED, painting=act.painting)


def _best_liked(state: State) -> PaintingId:
    return min(state.player.paintings, key=lambda painting: (-state.liked(painting), painting))
