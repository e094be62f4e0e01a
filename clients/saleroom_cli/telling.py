"""A game in sentences, in the user's language. The words are in `words/`."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib import resources
from typing import Any

import msgspec
from rich.text import Text

from saleroom_cli.console import Language, shown
from saleroom_protocol.games.common import Event, Seat
from saleroom_protocol.games.record import AnyEntry, Header, OutcomeLine
from saleroom_rules.contract import AnyRules


@cache
def words(language: Language) -> dict[str, Any]:
    """Return the words of one language: sentences by entry, event and ending, card names."""
    text = resources.files(__package__).joinpath("words", f"{language}.toml").read_text("utf-8")
    found: dict[str, Any] = msgspec.toml.decode(text)
    return found


class Teller:
    """Tells the entries and events of one game, line by line."""

    def __init__(self, rules: AnyRules, language: Language) -> None:
        self.words = words(language)
        self.game = self.words[rules.key]
        self.title = rules.title
        self.catalogue = msgspec.to_builtins(rules.catalogue())
        self.reconstructed = frozenset(self.catalogue["reconstructed"])

    def heading(self, header: Header, viewer: Seat | None) -> Iterator[Text]:
        """Say which game this is and through whose eyes it is told."""
        common = self.words["common"]
        eyes = common["spectator"] if viewer is None else common["seat"].format(seat=viewer)
        heading = common["heading"].format(title=self.title, seats=header.seats, eyes=eyes)
        yield Text(shown(heading), "bold")
        yield Text(shown(common["reconstructed"]), "dim")

    def lines(self, entry: AnyEntry, events: Sequence[Event]) -> Iterator[Text]:
        """Tell one entry: what it says of the room, then what happened in the game."""
        number = (f"{entry.entry:>5}  ", "dim")
        facts = msgspec.to_builtins(entry)
        if "reason" in facts:
            facts["reason"] = self.words["reasons"].get(facts["reason"], facts["reason"])
        sentence = self.words["entries"].get(facts["type"])
        if sentence is not None:
            yield Text.assemble(number, shown(sentence.format(**facts)))
        for event in events:
            yield Text.assemble(number, shown(self._event(msgspec.to_builtins(event))))

    def places(self, outcome: OutcomeLine) -> Iterator[Text]:
        """Tell the places in order, with scores."""
        scores, places = outcome.scores or {}, outcome.places or {}
        for seat, place in sorted(places.items(), key=lambda item: (item[1], item[0])):
            score = self._number(scores.get(seat, 0))
            line = self.words["common"]["place"].format(place=place, seat=seat, score=score)
            yield Text(shown(line), "bold")

    def _event(self, facts: dict[str, Any]) -> str:
        kind = facts.pop("event")
        named = {name: self._named(name, fact) for name, fact in facts.items()}
        return _sentence(self.game["events"], kind, facts).format(**named)

    def _named(self, name: str, fact: Any) -> str:
        if isinstance(fact, tuple | list):
            return self._listed(self._named(name, item) for item in fact)
        if isinstance(fact, dict):
            pairs = ((self._key(key), self._named(name, item)) for key, item in fact.items())
            return self._listed(f"{key}: {item}" for key, item in pairs)
        if name in self.game["groups"]:
            return self._card(name, fact)
        if name == "seat":
            return str(fact)
        if name == "reason":
            return str(self.game["reasons"].get(fact, fact))
        return self._value(fact)

    def _card(self, name: str, number: str) -> str:
        """Say what is printed on a card; a mark tells that it is reconstructed."""
        group = self.game["groups"][name]
        card = self.catalogue[group][number]
        whole = all(f"{group}.{number}.{field}" not in self.reconstructed for field in card)
        facts = {field: self._value(value) for field, value in card.items()}
        mark = "" if whole else self.words["common"]["mark"]
        sentence = _sentence(self.game["cards"], group, card)
        return sentence.format(**facts, number=number, mark=mark)

    def _value(self, value: Any) -> str:
        if isinstance(value, tuple):
            return str(self.words["common"]["or"]).join(map(self._value, value))
        if isinstance(value, int):
            return self._number(value)
        return str(self.game["values"].get(value, value))

    def _key(self, key: str) -> str:
        return self._number(int(key)) if key.isdecimal() else key

    def _listed(self, told: Iterable[str]) -> str:
        return "; ".join(told) or str(self.words["common"]["nothing"])

    def _number(self, value: int) -> str:
        return f"{value:,}".replace(",", self.words["common"]["thousands"])


def _sentence(sentences: dict[str, str], kind: str, facts: dict[str, Any]) -> str:
    """Return the sentence for a kind, the fuller one if a fact is there that not everybody has."""
    fuller = (f"{kind}_with_{name}" for name in facts)
    return sentences[next((key for key in fuller if key in sentences), kind)]
