"""Advice of the rules: what it is wanted for, and what has come of it.

It is worked out elsewhere while a window is open. It is at hand or not when something is played for
a seat, so nothing ever waits for it. It is in no journal; after a load it is asked for again.
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from msgspec import Struct

from saleroom_protocol.games.common import Action, Seat
from saleroom_rules.contract import AnyRules, Hidden


class Question(Hidden, frozen=True):
    """A puzzle of one seat, and the work that solves it. Both hold what that seat alone may see."""

    seat: Seat
    puzzle: Struct
    work: Callable[[], Action]


class Advice:
    """The puzzle of each seat that owes an answer, and the advice on it.

    Advice counts as long as the puzzle is the same. So whatever has happened meanwhile, none that
    was meant for another state of things is ever taken.
    """

    def __init__(self, rules: AnyRules) -> None:
        self._rules = rules
        self._puzzles: dict[Seat, Struct] = {}
        self._given: dict[Seat, Action] = {}

    def questions(self, state: Any, owing: Iterable[Seat]) -> list[Question]:
        """Return what is to be asked and was not before; forget what is asked no more."""
        before, self._puzzles = self._puzzles, {}
        for seat in owing:
            puzzle = self._rules.puzzle(state, seat)
            if puzzle is not None:
                self._puzzles[seat] = puzzle
        new = {seat for seat, puzzle in self._puzzles.items() if puzzle != before.get(seat)}
        known = self._puzzles.keys() - new
        self._given = {seat: self._given[seat] for seat in self._given.keys() & known}
        return [self._question(seat) for seat in sorted(new)]

    def wants(self, question: Question) -> bool:
        """Whether the answer to a question would still be of use."""
        return self._puzzles.get(question.seat) == question.puzzle

    def take(self, state: Any, question: Question, action: Action) -> None:
        """Keep the answer to a question that is wanted.

        Raises:
            IllegalAction: it could not be played. It is not kept, so the default will be.
        """
        seat = question.seat
        self._rules.apply(state, seat, self._rules.complete(state, seat, action))
        self._given[seat] = action

    def on(self, state: Any, seat: Seat) -> Action | None:
        """Return the advice for a seat in a state, if it is at hand."""
        if seat not in self._given or self._rules.puzzle(state, seat) != self._puzzles[seat]:
            return None
        return self._given[seat]

    def _question(self, seat: Seat) -> Question:
        puzzle = self._puzzles[seat]
        return Question(seat, puzzle, partial(self._rules.advise, puzzle))
