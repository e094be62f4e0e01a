"""What sealed windows share: answers are kept until all who are asked have answered."""

from collections.abc import Callable
from typing import TypeVar

from msgspec.structs import replace

from saleroom_protocol.games.common import Seat
from saleroom_protocol.games.vernissage import AnyAction, AnyEvent
from saleroom_rules.contract import Step
from saleroom_rules.vernissage.state import SealedWindow, State

SealedT = TypeVar("SealedT", bound=SealedWindow)


def take(
    state: State,
    window: SealedT,
    seat: Seat,
    action: AnyAction,
    close: Callable[[State, SealedT], Step[State, AnyEvent]],
) -> Step[State, AnyEvent]:
    """Keep an answer, by seat whoever was quicker; after the last one close the window."""
    answers = sorted((*window.answers, (seat, action)), key=lambda answer: answer[0])
    window = replace(window, answers=tuple(answers))
    if len(answers) < len(window.seats):
        return Step(replace(state, window=window), ())
    return close(state, window)
