"""A game played by hand: what the tests of every game's rules do with a position."""

from typing import Any

import pytest

from saleroom_rules.contract import AnyRules, IllegalAction, Outcome, Window


class HandGame:
    """A game under way: `does` answers for whoever is asked, `refuses` expects a refusal.

    Attributes:
        rules: of the game; set by the class of each.
        state: where it has come to.
    """

    rules: AnyRules

    def __init__(self, state: Any) -> None:
        self.state = state

    @property
    def window(self) -> Window:
        """The open window."""
        window = self.rules.window(self.state)
        assert window is not None, "the game is over"
        return window

    @property
    def asked(self) -> int:
        """The first seat that owes an answer."""
        return self.window.owing[0]

    @property
    def over(self) -> bool:
        """Whether no window is open."""
        return self.rules.window(self.state) is None

    @property
    def kind(self) -> str:
        """The kind of the open window; nothing after the end."""
        return "" if self.over else self.window.kind

    @property
    def facts(self) -> Any:
        """What the open window says."""
        return self.window.facts

    @property
    def outcome(self) -> Outcome:
        """The result."""
        outcome = self.rules.outcome(self.state)
        assert outcome is not None, "the game is not over"
        return outcome

    def does(self, *actions: Any) -> tuple[Any, ...]:
        """Answer for the first seat that owes, again and again; return the last one's events."""
        events: tuple[Any, ...] = ()
        for action in actions:
            events = self.says(self.asked, action)
        return events

    def says(self, seat: int, action: Any) -> tuple[Any, ...]:
        """Act for a seat."""
        step = self.rules.apply(self.state, seat, action)
        self.state = step.state
        return step.events

    def refuses(self, action: Any, seat: int | None = None) -> tuple[Any, dict[str, Any]]:
        """Expect a refusal; return its why and facts, which are those documented."""
        before = self.state
        with pytest.raises(IllegalAction) as refused:
            self.rules.apply(before, self.asked if seat is None else seat, action)
        why, facts = refused.value.why, refused.value.facts
        assert set(facts) == set(why.facts), "facts are those documented"
        return why, facts

    def legal(self, seat: int | None = None) -> list[Any]:
        """Return what the first seat that owes, or another, may do."""
        return list(self.rules.legal(self.state, self.asked if seat is None else seat))
