"""What sealed windows share: answers are kept until all who are asked have answered."""

from collections.abc import Callable
from typing import TypeVar

from msgspec.structs import replace

from saleroom_protocol.games.common import Seat
from saleroom_protocol.games.pictura import AnyAction
from saleroom_rules.pictura.state import Moment, SealedWindow, State, begun, told

SealedT = TypeVar("SealedT", bound=SealedWindow)


def take(
    state: State,
    window: SealedT,
    seat: Seat,
    act: AnyAction,
    close: Callable[[State, SealedT], Moment],
) -> Moment:
    """Keep an answer, by seat whoever was quicker; after the last one close the window."""
    answers = sorted((*window.answers, (seat, act)), key=lambda answer: answer[0])
    window = replace(window, answers=tuple(answers))
    if len(answers) < len(window.seats):
        return told(begun(state), replace(state, window=window))
    return close(state, window)
