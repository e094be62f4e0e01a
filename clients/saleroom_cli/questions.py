"""Questions with numbered answers: what is asked, and what a typed line picks.

Nothing here reads or prints, or knows games.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.text import Text

Plain = Mapping[str, Any]
MINUS = "\N{MINUS SIGN}"
FINAL = "resign"  # what is asked twice, and has a word instead of a number


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
            asked = "exactly" if self.least == self.most else "several"
            yield Text(self._words[asked].format(least=max(1, self.least), most=self.most))

    def revised(self, line: str) -> bool:
        """Take a line that changes what is asked instead of answering; tell whether it is one."""
        return False

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
