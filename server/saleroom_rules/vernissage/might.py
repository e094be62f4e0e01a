"""Might is committed in rounds: Contra sealed, then Pro, until one side adds nothing (V-TRI-1)."""

from collections.abc import Sequence

from msgspec.structs import replace

from saleroom_protocol.games.common import Seat
from saleroom_protocol.games.forms import Form, one_of
from saleroom_protocol.games.vernissage import (
    AnyAction,
    AnyEvent,
    Commit,
    MightCommitted,
    MightFacts,
    Trial,
    Why,
)
from saleroom_rules.contract import IllegalAction, Step
from saleroom_rules.vernissage import sealed, trial
from saleroom_rules.vernissage.cards import might_in
from saleroom_rules.vernissage.state import (
    MightWindow,
    State,
    in_order,
    opened,
    without,
    wrong_window,
)


def begin(state: State, contra: tuple[Seat, ...], *events: AnyEvent) -> Step[State, AnyEvent]:
    """Begin a trial: Contra is asked first; if none of them can be, Pro."""
    dispute = state.disputed()
    might = {str(seat): 0 for seat in sorted((*contra, dispute.pro))}
    begun = Trial(contra=contra, might=might, rolls={})
    state = replace(state, dispute=replace(dispute, trial=begun))
    if _able(state, contra):
        return _ask(state, "contra", 1, *events)
    return _ask(state, "pro", 1, *events)


def legal(state: State, window: MightWindow, seat: Seat) -> Sequence[AnyAction | Form]:
    """List every number from none to all of the hand's might."""
    might = len(might_in(state.players[seat].hand))
    return [Form("commit", {}, {"might": one_of(range(might + 1))})]


def answer(
    state: State, window: MightWindow, seat: Seat, action: AnyAction
) -> Step[State, AnyEvent]:
    """Keep the answer; when all of the side have answered the round is over."""
    if not isinstance(action, Commit):
        raise wrong_window(window)
    if not 0 <= action.might <= len(might_in(state.players[seat].hand)):
        raise IllegalAction(Why.NOT_ENOUGH_MIGHT, might=action.might)
    return sealed.take(state, window, seat, action, _close)


def default(state: State, window: MightWindow, seat: Seat) -> AnyAction:
    """Commit nothing."""
    return Commit(0)


def _close(state: State, window: MightWindow) -> Step[State, AnyEvent]:
    """Lay the round's might open; ask the other side, or roll."""
    added = {str(seat): act.might for seat, act in window.answers if isinstance(act, Commit)}
    state = _committed(state, added)
    event, side, number = MightCommitted(added), window.facts.side, window.facts.round
    # Pro is asked after the first round whatever it brought; then a round without might is the
    # last. Pro answers last: what Contra adds is answered, what Pro adds may be.
    if any(added.values()) or (side == "contra" and number == 1):
        return _ask(state, "pro" if side == "contra" else "contra", number + 1, event)
    return trial.fight(state, _trial(state), event)


def _committed(state: State, added: dict[str, int]) -> State:
    """Take so many might cards out of the hands, the lowest ids first."""
    players = list(state.players)
    for seat, player in enumerate(players):
        cards = might_in(player.hand)[: added.get(str(seat), 0)]
        if cards:
            hand, committed = without(player.hand, cards), (*player.committed, *cards)
            players[seat] = replace(player, hand=hand, committed=in_order(committed))
    fought = _trial(state)
    might = {seat: count + added.get(seat, 0) for seat, count in fought.might.items()}
    dispute = replace(state.disputed(), trial=replace(fought, might=might))
    return replace(state, players=tuple(players), dispute=dispute)


def _ask(state: State, side: str, number: int, *events: AnyEvent) -> Step[State, AnyEvent]:
    """Open a round for those of a side who have a brown card, or roll if there are none."""
    fought = _trial(state)
    seats = _able(state, fought.contra if side == "contra" else (state.disputed().pro,))
    if not seats:
        return trial.fight(state, fought, *events)
    facts = MightFacts(side, number, fought.might)
    return opened(state, MightWindow(seats=seats, facts=facts), *events)


def _able(state: State, seats: tuple[Seat, ...]) -> tuple[Seat, ...]:
    """Return those who hold a brown card, which everybody sees."""
    return tuple(seat for seat in seats if state.players[seat].brown)


def _trial(state: State) -> Trial:
    begun = state.disputed().trial
    if not isinstance(begun, Trial):
        raise ValueError("there is no trial")
    return begun
