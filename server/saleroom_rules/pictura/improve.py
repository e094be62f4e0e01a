"""Action 1: paintings are exhibited and acquired, freely mixed (P-EXH-1, P-EXH-2)."""

from collections.abc import Iterator

from saleroom_protocol.games.forms import Form, one_of
from saleroom_protocol.games.pictura import Acquire, Exhibit, Why
from saleroom_rules.contract import IllegalAction
from saleroom_rules.pictura import hanging
from saleroom_rules.pictura.cards import NUMBERS
from saleroom_rules.pictura.state import Moment, State, without


def legal(state: State) -> Iterator[Form]:
    """Yield a form for every painting that could be exhibited, then one to acquire."""
    hand = state.player.paintings
    if len(hand) > 1 and not hanging.is_full(state):
        for painting in hand:
            others = without(hand, (painting,))
            yield Form("exhibit", {"painting": painting}, {"archive": one_of(others)})
    if hanging.can_acquire(state) and can_pay(state):
        rivals = hanging.rivals_archives(state)
        yield Form("acquire", {}, {"painting": one_of(rivals), "archive": one_of(hand)})


def exhibit(step: Moment, act: Exhibit) -> Moment:
    """Hang a painting of the hand; another one goes to the archive."""
    if act.painting == act.archive:
        raise IllegalAction(Why.SAME_PAINTING, painting=act.painting)
    return hanging.hang_own(hanging.archive(step, act.archive), act.painting)


def acquire(step: Moment, act: Acquire) -> Moment:
    """Hang a painting of a rival's archive for a point and one of the hand."""
    if not can_pay(step.state):
        raise IllegalAction(Why.NO_POINT, score=step.state.player.score)
    return hanging.acquire(step, act.painting, act.archive, NUMBERS.acquired)


def can_pay(state: State) -> bool:
    """P-EXH-2: acquiring needs a point."""
    return state.player.score >= NUMBERS.acquired
