"""What may be done, as numbered questions: first which action, then what it leaves to choose.

Nothing here reads or prints: a `Menu` is given lines and says what is asked next. What was typed
without being sent outlives it in `Drafts`, for the menu that takes its place.
"""

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import UNSET, Struct

from saleroom_cli.games.look import Ask
from saleroom_cli.questions import FINAL, Confirmation, Plain, Question
from saleroom_cli.table import described
from saleroom_cli.telling import Teller
from saleroom_client.forms import Choice, Form

Drafts = dict[tuple[str, ...], Question]  # name of a step -> its question, as far as it was revised


class Decision(Struct, frozen=True):
    """What a player has made up their mind to do, and the window it answers, if any."""

    action: dict[str, Any]
    window: int | None


class Menu:
    """All a seat may do at one moment, and how far its player has come in saying what.

    Attributes:
        question: what is asked now.
        spent: the drafts its decision was made of.
    """

    def __init__(self, document: Plain, teller: Teller, drafts: Drafts | None = None) -> None:
        self._drafts: Drafts = {} if drafts is None else drafts
        self.spent: Drafts = {}
        legal = document.get("legal", ())
        window = document["window"]["number"] if legal else None
        anytime = sorted(document["you"]["anytime"], key=lambda entry: _rank(teller, entry))
        offered = [*((entry, window) for entry in legal), *((entry, None) for entry in anytime)]
        self._entries = [(entry, number) for entry, number in offered if _readable(entry)]
        self._found = [one for one in self._entries if one[0]["do"] in teller.look.found]
        self._document, self._teller = document, teller
        self._told = [described(teller, document, entry) for entry, _ in self._entries]
        self._chosen: Decision | None = None
        self._steps: list[Step] = []
        self.question = self._first()

    def answer(self, line: str) -> Decision | Question | None:
        """Take a line; return the next question, or the decision, or None if it is no answer."""
        if self.question.revised(line):
            self._drafts[self._steps[0].name] = self.question
            return self.question
        places = self.question.picked(line)
        if places is None:
            return None
        if self._chosen is None and places[0] >= len(self._entries):
            return self._find(*self._found[places[0] - len(self._entries)])
        if self._chosen is None:
            return self._choose(*self._entries[places[0]])
        if isinstance(self.question, Confirmation):
            return self._chosen if places else self.back()
        self._take(places, self._chosen.action)
        return self._next(self._chosen)

    def back(self) -> Question:
        """Begin anew with the first question; what was typed for this one is forgotten."""
        for step in self._steps[:1]:
            self._drafts.pop(step.name, None)
        self._chosen, self._steps = None, []
        self.question = self._first()
        return self.question

    def _take(self, places: list[int], action: dict[str, Any]) -> None:
        step = self._steps.pop(0)
        step.take(places, action)
        if step.name in self._drafts:
            self.spent[step.name] = self._drafts.pop(step.name)

    def _first(self) -> Question:
        told = [*zip(self._entries, self._told, strict=True)]
        numbered = [text + self._begun(entry) for (entry, _), text in told if entry["do"] != FINAL]
        commands = {f"/{FINAL}": text for (entry, _), text in told if entry["do"] == FINAL}
        words = self._teller.words["play"]
        commands |= {f"/{entry['do']}": self._worked_out(entry) for entry, _ in self._found}
        return Question("", numbered, words, commands=commands)

    def _begun(self, entry: Plain) -> str:
        """Say that an entry was begun and not sent, if it was."""
        begun = any(step.name in self._drafts for step in self._asked(entry))
        return f" {self._teller.words['play']['begun']}" if begun else ""

    def _worked_out(self, entry: Plain) -> str:
        """Say that an entry can be done without being asked what it leaves to choose."""
        told = described(self._teller, self._document, entry)
        return f"{told} {self._teller.words['play']['found']}"

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
        self._steps = self._asked(entry)
        action.update((field, _empty(choice)) for field, choice in _choices(entry).items())
        return self._next(self._chosen)

    def _asked(self, entry: Plain) -> list["Step"]:
        """Return what an entry leaves to choose, in the order in which it is asked."""
        asked: list[Step] = []
        for field, choice in _choices(entry).items():
            own = self._teller.look.questions.get(field)
            asked += steps(field, choice) if own is None else [Whole(field, choice, own)]
        return asked

    def _next(self, chosen: Decision) -> Decision | Question:
        self._steps = [step for step in self._steps if step.opens(chosen.action)]
        if not self._steps:
            return chosen
        step = self._steps[0]
        begun = self._drafts.get(step.name)
        self.question = begun or step.question(self._teller, self._document, chosen.action)
        if self.question.is_settled:
            self._take([0], chosen.action)
            return self._next(chosen)
        return self.question


class Step:
    """One thing a form lets choose: a value, several, or the value of one key.

    Attributes:
        name: the field and all its keys; another form that asks the same has the same.
    """

    def __init__(self, field: str, choice: Choice, key: str | None = None) -> None:
        self._field, self._choice, self._key = field, choice, key
        self.name = (field, *self._table)

    def opens(self, action: Plain) -> bool:
        """Whether there is anything to ask any more."""
        if self._choice.one_of is not UNSET:
            return True
        full = self._key is not None and len(action[self._field]) >= self._choice.bounds[1]
        return not full and bool(self._values(action)) and self._choice.bounds[1] > 0

    def question(self, teller: Teller, document: Plain, action: Plain) -> Question:
        """Return what to ask."""
        values, told = self._values(action), teller.look.choice
        options = [told(teller, document, action, self._field, value) for value in values]
        heading = teller.field(self._field, self._key)
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


class Whole(Step):
    """A map that is asked for as a whole, in a way of the game's own."""

    def __init__(self, field: str, choice: Choice, ask: Ask) -> None:
        super().__init__(field, choice)
        self._ask = ask

    def opens(self, action: Plain) -> bool:
        """It is asked once."""
        return True

    def question(self, teller: Teller, document: Plain, action: Plain) -> Question:
        """Return what the game asks."""
        return self._ask(teller, document, tuple(self._table))

    def take(self, places: Iterable[int], action: dict[str, Any]) -> None:
        """Write the values of all keys into the action."""
        action[self._field] = dict(zip(self._table, places, strict=True))


def steps(field: str, choice: Choice) -> list[Step]:
    """Return the questions one choice of a form asks; a map is asked key by key."""
    if choice.assign is UNSET:
        return [Step(field, choice)]
    return [Step(field, choice, key) for key in choice.assign]


def _rank(teller: Teller, entry: Plain) -> int:
    """Order what may be done at any time: the game's first, the room's own last."""
    return int(entry["do"] in teller.words["actions"]) + int(entry["do"] == FINAL)


def _choices(entry: Plain) -> dict[str, Choice]:
    return Form.read(entry).choose if "choose" in entry else {}


def _empty(choice: Choice) -> list[Any] | dict[str, Any]:
    return [] if choice.assign is UNSET else {}


def _readable(entry: Plain) -> bool:
    """Tell whether an entry is no form, or one of this version."""
    try:
        return "choose" not in entry or bool(Form.read(entry))
    except msgspec.ValidationError:
        return False
