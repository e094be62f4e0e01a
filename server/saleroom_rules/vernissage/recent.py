"""The last turns as a spectator heard them, kept on the table for who comes late."""

from msgspec.structs import replace

from saleroom_protocol.games.vernissage import AnyEvent, TurnBegun
from saleroom_rules.contract import Step
from saleroom_rules.vernissage.cards import NUMBERS
from saleroom_rules.vernissage.state import State
from saleroom_rules.vernissage.telling import tell


def noted(step: Step[State, AnyEvent]) -> Step[State, AnyEvent]:
    """Return the step with its events written down in the state.

    An event belongs to the turn that has begun when it happens, the set-up to the first one.
    """
    if not step.events:
        return step
    recent = dict(step.state.recent)
    turn = next(reversed(recent), "1")
    for happened in step.events:
        event = tell(happened, None)
        if event is None:
            continue
        if isinstance(event, TurnBegun):
            turn = str(event.turn)
        told = recent.get(turn, {})
        recent[turn] = {**told, str(len(told) + 1): event}
    while len(recent) > NUMBERS.recent_turns:
        del recent[next(iter(recent))]
    return Step(replace(step.state, recent=recent), step.events)
