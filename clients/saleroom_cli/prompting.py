"""What may be done, as numbered questions: first which action, then what it leaves to choose."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.text import Text

from saleroom_cli.telling import Teller


class Question:
    """Something to choose from a list.

    Attributes:
        options: each as it is told.
        least, most: how many numbers are wanted.
    """

    def __init__(self, heading: str, options: Sequence[str], least: int = 1, most: int = 1) -> None:
        self.heading, self.options = heading, options
        self.least, self.most = least, most

    def lines(self) -> Iterator[Text]:
        """Tell it."""
        if self.heading:
            yield Text(self.heading, "bold")
        for number, option in enumerate(self.options, 1):
            yield Text.assemble((f"{number:>3}  ", "bold"), option)

    def picked(self, line: str) -> list[int] | None:
        """Return the places of the numbers in a line; None if they are not an answer."""
        words = line.replace(",", " ").split()
        if not all(word.isascii() and word.isdecimal() for word in words):
            return None
        places = [int(word) - 1 for word in words]
        fitting = all(0 <= place < len(self.options) for place in places)
        if not fitting or len(set(places)) != len(places):
            return None
        return places if self.least <= len(places) <= self.most else None


class Menu:
    """All a seat may do at one moment, and how far its player has come in saying what."""

    def __init__(
        self,
        window: int,
        legal: Sequence[Mapping[str, Any]],
        anytime: Sequence[Mapping[str, Any]],
        teller: Teller,
    ) -> None:
        self.window = window
        self._entries: list[tuple[Mapping[str, Any], int | None]] = [
            *((entry, window) for entry in legal),
            *((entry, None) for entry in anytime),
        ]
        self._teller = teller
        self._chosen: tuple[dict[str, Any], int | None] | None = None
        self._steps: list[Step] = []
        self.question = self._first()

    def answer(self, line: str) -> Question | tuple[dict[str, Any], int | None]:
        """Take a line; return the next question, or the action with its window.

        A line that is no answer gets the same question again.
        """
        places = self.question.picked(line)
        if places is None:
            return self.question
        if self._chosen is None:
            self._choose(places[0])
        else:
            self._steps.pop(0).take(places, self._chosen[0])
        chosen = self._chosen
        assert chosen is not None, "an entry was chosen"
        self._steps = [step for step in self._steps if step.opens(chosen[0])]
        if self._steps:
            self.question = self._steps[0].question(self._teller, chosen[0])
            return self.question
        self._chosen, self.question = None, self._first()
        return chosen

    def _first(self) -> Question:
        return Question("", [self._teller.action(entry) for entry, _ in self._entries])

    def _choose(self, place: int) -> None:
        entry, window = self._entries[place]
        action = {key: value for key, value in entry.items() if key != "choose"}
        self._chosen = action, window
        self._steps = []
        for field, choice in entry.get("choose", {}).items():
            self._steps += steps_of(field, choice)


class Step:
    """One thing a form lets choose: a value, several, or the value of one key."""

    def __init__(self, field: str, choice: Mapping[str, Any], key: str | None = None) -> None:
        self._field, self._choice, self._key = field, choice, key

    def opens(self, action: Mapping[str, Any]) -> bool:
        """Whether there is anything to ask any more."""
        given = action.get(self._field, {})
        return self._key is None or len(given) < self._most()

    def question(self, teller: Teller, action: Mapping[str, Any]) -> Question:
        """Return what to ask."""
        values = self._values(action)
        options = [teller.choice(self._field, value) for value in values]
        heading = teller.field(self._field, self._key)
        if self._key is not None:
            return Question(heading, options, 1 if self._needed(action) else 0, 1)
        if "one_of" in self._choice:
            return Question(heading, options)
        least, most = self._choice.get("min", 0), self._choice.get("max", len(options))
        return Question(heading, options, least, most)

    def take(self, places: Sequence[int], action: dict[str, Any]) -> None:
        """Write what was picked into the action."""
        values = [self._values(action)[place] for place in places]
        if self._key is not None:
            given = action.setdefault(self._field, {})
            if values:
                given[self._key] = values[0]
        else:
            action[self._field] = values[0] if "one_of" in self._choice else values

    def _values(self, action: Mapping[str, Any]) -> list[Any]:
        if self._key is None:
            return list(self._choice.get("one_of", self._choice.get("some_of", ())))
        taken = set(action.get(self._field, {}).values()) if self._choice.get("distinct") else set()
        return [value for value in self._choice["assign"][self._key] if value not in taken]

    def _most(self) -> int:
        return int(self._choice.get("max", len(self._choice["assign"])))

    def _needed(self, action: Mapping[str, Any]) -> bool:
        """Whether this key must get a value for the least to be reached."""
        keys = list(self._choice["assign"])
        left = len(keys) - keys.index(self._key)
        given = len(action.get(self._field, {}))
        return bool(given + left <= self._choice.get("min", 0))


def steps_of(field: str, choice: Mapping[str, Any]) -> list[Step]:
    """Return the questions one choice of a form asks."""
    if "assign" in choice:
        return [Step(field, choice, key) for key in choice["assign"]]
    return [Step(field, choice)]
