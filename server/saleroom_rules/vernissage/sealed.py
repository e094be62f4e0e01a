"""What sealed windows share: answers are kept until all who are asked have answered."""

from typing import TypeVar

from msgspec.structs import replace

from saleroom_protocol.games.common import Seat
from saleroom_protocol.games.vernissage import AnyAction
from saleroom_rules.vernissage.state import SealedWindow, State

SealedT = TypeVar("SealedT", bound=SealedWindow)


def answered(window: SealedT, seat: Seat, action: AnyAction) -> SealedT:
    """Return the window with one answer more, by seat whoever was quicker."""
    answers = sorted((*window.answers, (seat, action)), key=lambda answer: answer[0])
    return replace(window, answers=tuple(answers))


def complete(window: SealedWindow) -> bool:
    """Tell whether nobody owes an answer any more."""
    return len(window.answers) == len(window.seats)


def kept(state: State, window: SealedWindow) -> State:
    """Return the state with the window still open."""
    return replace(state, window=window)
