"""The chip of an exhibition goes on a bonus space, which works at once or later (P-SPE-3)."""

from collections.abc import Callable, Sequence

from msgspec import UNSET
from msgspec.structs import replace

from saleroom_protocol.games.common import Seat
from saleroom_protocol.games.forms import Form, one_of
from saleroom_protocol.games.pictura import (
    ActionFacts,
    AnyAction,
    BonusSpaceFacts,
    Category,
    PaintingId,
    Space,
    SpaceUsed,
    UseSpace,
    Why,
)
from saleroom_rules.contract import IllegalAction
from saleroom_rules.pictura.cards import SPACES
from saleroom_rules.pictura.decks import draw_favours, draw_paintings
from saleroom_rules.pictura.hanging import can_hang, hang_own
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

AT_ONCE: dict[Space, Callable[[Moment, Seat, int], Moment]] = {
    "draw_paintings": draw_paintings,
    "draw_favours": draw_favours,
}


def begin(step: Moment, category: Category) -> Moment:
    """Ask where the chip of a category goes."""
    facts = BonusSpaceFacts(category)
    return opened(step, BonusSpaceWindow(seats=(step.state.active,), facts=facts))


def legal(state: State, window: BonusSpaceWindow, seat: Seat) -> Sequence[AnyAction | Form]:
    """List the free spaces, with what can be hung on `exhibit`."""
    listed: list[AnyAction | Form] = []
    for space in free(state.player):
        if _hangs(state, space):
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
    space = free(state.player)[0]
    return UseSpace(space, _best_liked(state) if _hangs(state, space) else UNSET)


def free(player: Player) -> tuple[Space, ...]:
    """Return the bonus spaces without a chip, in their order."""
    return tuple([space for space in SPACES if space not in player.exhibitions])


def _hangs(state: State, space: Space) -> bool:
    """Tell whether a painting is hung on a space, and so has to be named."""
    return space == "exhibit" and can_hang(state)


def _check_space(state: State, act: UseSpace) -> None:
    if act.space not in free(state.player):
        raise IllegalAction(Why.SPACE_TAKEN, space=act.space)
    needed = _hangs(state, act.space)
    if needed and act.painting is UNSET:
        raise IllegalAction(Why.PAINTING_NEEDED)
    if act.painting is not UNSET and not needed:
        raise IllegalAction(Why.PAINTING_NOT_NEEDED, painting=act.painting)


def _best_liked(state: State) -> PaintingId:
    return min(state.player.paintings, key=lambda painting: (-state.liked(painting), painting))
