"""The end of a turn: what is too much in the hand goes (P-TURN-6)."""

from collections.abc import Sequence
from typing import TypeAlias

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from saleroom_protocol.games.common import Seat
from saleroom_protocol.games.forms import Choice, Form, some_of
from saleroom_protocol.games.pictura import (
    AnyAction,
    Discard,
    DiscardFacts,
    FavoursDiscarded,
    Why,
)
from saleroom_rules.contract import IllegalAction
from saleroom_rules.pictura.cards import NUMBERS, kind_of_favour
from saleroom_rules.pictura.hanging import archive
from saleroom_rules.pictura.state import (
    DiscardWindow,
    Moment,
    Player,
    State,
    begun,
    check_held,
    opened,
    told,
    without,
    wrong_window,
)
from saleroom_rules.pictura.turn import turn_over

Named: TypeAlias = tuple[str, ...] | UnsetType


def begin(step: Moment) -> Moment:
    """Ask what goes; if nothing is too much, which everybody sees, the turn is over."""
    facts = excess(step.state.player)
    if not facts.paintings and not facts.favours:
        return turn_over(step)
    return opened(step, DiscardWindow(seats=(step.state.active,), facts=facts))


def excess(player: Player) -> DiscardFacts:
    """Return how many paintings and favours a player holds too many."""
    return DiscardFacts(
        max(0, len(player.paintings) - player.hand_limit),
        max(0, len(player.favours) - NUMBERS.favour_hand),
    )


def legal(state: State, window: DiscardWindow, seat: Seat) -> Sequence[AnyAction | Form]:
    """List one form: exactly what is too much."""
    facts, player = window.facts, state.player
    choose: dict[str, Choice] = {}
    if facts.paintings:
        choose["paintings"] = some_of(player.paintings, facts.paintings, facts.paintings)
    if facts.favours:
        choose["favours"] = some_of(player.favours, facts.favours, facts.favours)
    return [Form("discard", {}, choose)]


def answer(state: State, window: DiscardWindow, seat: Seat, act: AnyAction) -> Moment:
    """Put paintings into the archive, the highest id first, favours to their discards."""
    if not isinstance(act, Discard):
        raise wrong_window(window)
    paintings = _checked(act.paintings, state.player.paintings, window.facts.paintings)
    favours = _checked(act.favours, state.player.favours, window.facts.favours)
    step = begun(state)
    if paintings:
        step = archive(step, *sorted(paintings, reverse=True))
    if favours:
        step = _favours_away(step, favours)
    return turn_over(step)


def default(state: State, window: DiscardWindow, seat: Seat) -> AnyAction:
    """Let those with the highest ids go."""
    facts, player = window.facts, state.player
    return Discard(
        player.paintings[-facts.paintings :] if facts.paintings else UNSET,
        player.favours[-facts.favours :] if facts.favours else UNSET,
    )


def _checked(named: Named, held: tuple[str, ...], needed: int) -> tuple[str, ...]:
    """Return what is named, nothing if absent, or refuse; if nothing has to go it is absent."""
    if named is UNSET:
        named = ()
    elif not needed:
        raise IllegalAction(Why.WRONG_NUMBER, needed=0)
    check_held(held, *named)
    if not len(named) == len({*named}) == needed:
        raise IllegalAction(Why.WRONG_NUMBER, needed=needed)
    return named


def _favours_away(step: Moment, favours: tuple[str, ...]) -> Moment:
    state, player = step.state, step.state.player
    player = replace(player, favours=without(player.favours, favours))
    past = state.past_favours | {favour: kind_of_favour(favour) for favour in sorted(favours)}
    state = replace(state.with_player(state.active, player), past_favours=past)
    return told(step, state, FavoursDiscarded(state.active, tuple(sorted(favours))))
