"""What may be done, as numbered questions: first which action, then what it leaves to choose.

Nothing here reads or prints: a `Menu` is given lines and says what is asked next.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import UNSET, Struct
from rich.text import Text

from saleroom_cli.table import described
from saleroom_cli.telling import Teller
from saleroom_client.forms import Choice, Form

Plain = Mapping[str, Any]
MINUS = "\N{MINUS SIGN}"
FINAL = "resign"  # what is asked twice, and has a word instead of a number


class Decision(Struct, frozen=True):
    """What a player has made up their mind to do, and the window it answers, if any."""

    action: dict[str, Any]
    window: int | None


class Question:
    """Something to choose from a list.

    Attributes:
        heading: what is asked; may be empty.
        options: each as it is told.
        commands: what is typed as a word instead -> as it is told; their places follow.
        least, most: how many numbers are wanted; if none is, 0 says so.
        marks: what is typed for each option: its number in the list, or where the options are
            numbers themselves, the very number.
    """

    def __init__(
        self,
        heading: str,
        options: Sequence[str],
        words: Plain,
        least: int = 1,
        most: int = 1,
        commands: Mapping[str, str] | None = None,
        numbers: Sequence[int] | None = None,
    ) -> None:
        self.heading, self.options, self._words = heading, options, words
        self.commands = commands or {}
        self.least, self.most = least, most
        own = range(1, len(options) + 1) if numbers is None else numbers
        self.marks = {str(number): place for place, number in enumerate(own)}
        if own and max(own) < 0:  # nobody types a sign where all have the same
            self.marks |= {str(-number): place for place, number in enumerate(own)}

    @property
    def is_settled(self) -> bool:
        """Whether there is but one answer."""
        return len(self.options) == self.least == self.most == 1

    def lines(self) -> Iterator[Text]:
        """Tell it."""
        if self.heading:
            yield Text(self.heading, "bold")
        marks = {place: mark for mark, place in reversed(self.marks.items())}
        for place, option in enumerate(self.options):
            yield _option(marks[place], option)
        if self.least == 0:
            yield _option(0, self._words["none"])
        for command, told in self.commands.items():
            yield _option(command, told)
        if self.most > 1:
            yield Text(self._words["several"].format(least=max(1, self.least), most=self.most))

    def picked(self, line: str) -> list[int] | None:
        """Return the places of the numbers in a line; None if they are not an answer."""
        words = line.replace(",", " ").replace(MINUS, "-").lower().split()
        if len(words) == 1 and words[0] in self.commands:
            return [len(self.options) + list(self.commands).index(words[0])]
        if words == ["0"] and self.least == 0:
            return []
        if not all(re.fullmatch("[+-]?[0-9]{1,4}", word) for word in words):
            return None
        numbers = [str(int(word)) for word in words]
        if not numbers or not self.marks.keys() >= {*numbers}:
            return None
        places = [self.marks[number] for number in numbers]
        if len(set(places)) != len(places):
            return None
        return places if self.least <= len(places) <= self.most else None


def _option(number: int | str, told: str) -> Text:
    return Text.assemble((f"{number:>3}  ", "bold"), told)


class Confirmation(Question):
    """Something to be answered with a word, so that no slip of a finger does it."""

    def __init__(self, words: Plain) -> None:
        super().__init__(words[FINAL], [], words)

    def lines(self) -> Iterator[Text]:
        """Tell it."""
        yield Text(self.heading, "bold")
        yield Text(f"  {self._words['ask']}")

    def picked(self, line: str) -> list[int] | None:
        """Return a place for yes, none for no, None if it is neither."""
        word = line.strip().lower()
        if word in self._words["yes"]:
            return [0]
        return [] if word in self._words["no"] else None


class Menu:
    """All a seat may do at one moment, and how far its player has come in saying what.

    Attributes:
        question: what is asked now.
    """

    def __init__(self, document: Plain, teller: Teller) -> None:
        legal = document.get("legal", ())
        window = document["window"]["number"] if legal else None
        anytime = sorted(document["you"]["anytime"], key=lambda entry: _rank(teller, entry))
        offered = [*((entry, window) for entry in legal), *((entry, None) for entry in anytime)]
        self._entries = [(entry, number) for entry, number in offered if _readable(entry)]
        self._told = [described(teller, document, entry) for entry, _ in self._entries]
        self._found = [one for one in self._entries if one[0]["do"] in teller.look.found]
        self._document, self._teller = document, teller
        self._chosen: Decision | None = None
        self._steps: list[Step] = []
        self.question = self._first()

    def answer(self, line: str) -> Decision | Question | None:
        """Take a line; return the next question, or the decision, or None if it is no answer."""
        places = self.question.picked(line)
        if places is None:
            return None
        if self._chosen is None and places[0] >= len(self._entries):
            return self._find(*self._found[places[0] - len(self._entries)])
        if self._chosen is None:
            return self._choose(*self._entries[places[0]])
        if isinstance(self.question, Confirmation):
            return self._chosen if places else self.back()
        self._steps.pop(0).take(places, self._chosen.action)
        return self._next(self._chosen)

    def back(self) -> Question:
        """Begin anew with the first question."""
        self._chosen, self.question = None, self._first()
        return self.question

    def _first(self) -> Question:
        told = [*zip(self._entries, self._told, strict=True)]
        numbered = [text for (entry, _), text in told if entry["do"] != FINAL]
        commands = {f"/{FINAL}": text for (entry, _), text in told if entry["do"] == FINAL}
        words = self._teller.words["play"]
        commands |= {f"/{entry['do']}": words["found"] for entry, _ in self._found}
        return Question("", numbered, words, commands=commands)

    def _find(self, entry: Plain, window: int | None) -> Decision:
        """Have worked out what a form leaves to choose."""
        solve = self._teller.look.found[entry["do"]]
        return Decision(solve(self._document, self._teller.catalogue), window)

    def _choose(self, entry: Plain, window: int | None) -> Decision | Question:
        action = {key: value for key, value in entry.items() if key != "choose"}
        self._chosen = Decision(action, window)
        if action["do"] == FINAL:
            self.question = Confirmation(self._teller.words["confirm"])
            return self.question
        choices = Form.read(entry).choose if "choose" in entry else {}
        self._steps = [step for field, choice in choices.items() for step in steps(field, choice)]
        action.update((field, _empty(choice)) for field, choice in choices.items())
        return self._next(self._chosen)

    def _next(self, chosen: Decision) -> Decision | Question:
        self._steps = [step for step in self._steps if step.opens(chosen.action)]
        if not self._steps:
            return chosen
        self.question = self._steps[0].question(self._teller, chosen.action)
        if self.question.is_settled:
            self._steps.pop(0).take([0], chosen.action)
            return self._next(chosen)
        return self.question


class Step:
    """One thing a form lets choose: a value, several, or the value of one key."""

    def __init__(self, field: str, choice: Choice, key: str | None = None) -> None:
        self._field, self._choice, self._key = field, choice, key

    def opens(self, action: Plain) -> bool:
        """Whether there is anything to ask any more."""
        if self._choice.one_of is not UNSET:
            return True
        full = self._key is not None and len(action[self._field]) >= self._choice.bounds[1]
        return not full and bool(self._values(action)) and self._choice.bounds[1] > 0

    def question(self, teller: Teller, action: Plain) -> Question:
        """Return what to ask."""
        options = [teller.choice(self._field, value) for value in self._values(action)]
        heading = teller.field(self._field, self._key)
        values = self._values(action)
        numbers = values if all(type(value) is int for value in values) else None
        bounds, words = self._bounds(action), teller.words["play"]
        return Question(heading, options, words, *bounds, numbers=numbers)

    def take(self, places: Iterable[int], action: dict[str, Any]) -> None:
        """Write what was picked into the action."""
        offered = self._values(action)
        values = [offered[place] for place in places]
        if self._key is not None:
            action[self._field].update((self._key, value) for value in values)
        else:
            action[self._field] = values[0] if self._choice.one_of is not UNSET else values

    def _bounds(self, action: Plain) -> tuple[int, int]:
        if self._choice.one_of is not UNSET:
            return 1, 1
        if self._key is None:
            return self._choice.bounds
        return int(self._needed(action)), 1

    def _values(self, action: Plain) -> list[Any]:
        if self._key is None:
            return list(self._choice.one_of or self._choice.some_of or ())
        taken = action[self._field].values() if self._choice.distinct else ()
        return [value for value in self._table[self._key] if value not in taken]

    @property
    def _table(self) -> dict[str, tuple[Any, ...]]:
        return self._choice.assign or {}

    def _needed(self, action: Plain) -> bool:
        """Whether this key must get a value for the least to be reached."""
        keys = list(self._table)
        left = len(keys) - keys.index(self._key or "")
        return len(action[self._field]) + left <= self._choice.bounds[0]


def steps(field: str, choice: Choice) -> list[Step]:
    """Return the questions one choice of a form asks; a map is asked key by key."""
    if choice.assign is UNSET:
        return [Step(field, choice)]
    return [Step(field, choice, key) for key in choice.assign]


def _rank(teller: Teller, entry: Plain) -> int:
    """Order what may be done at any time: the game's first, the room's own last."""
    return int(entry["do"] in teller.words["actions"]) + int(entry["do"] == FINAL)


def _empty(choice: Choice) -> list[Any] | dict[str, Any]:
    return [] if choice.assign is UNSET else {}


def _readable(entry: Plain) -> bool:
    """Tell whether an entry is no form, or one of this version."""
    try:
        return "choose" not in entry or bool(Form.read(entry))
    except msgspec.ValidationError:
        return False
