"""A game in sentences, in the user's language. The words are in `words/`."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
from rich.text import Text

from saleroom_cli.console import Language, shown
from saleroom_cli.games import look_of
from saleroom_cli.problems import refusal
from saleroom_cli.wording import words
from saleroom_protocol.games.common import Event, Seat
from saleroom_protocol.games.record import AnyEntry, Header, OutcomeLine
from saleroom_rules.contract import AnyRules

# The words of a game; one of a later version has none: it is told by the names on the wire.
PARTS = (
    "events",
    "windows",
    "actions",
    "fields",
    "table",
    "whys",
    "reasons",
    "groups",
    "keys",
    "cards",
    "values",
)
UNTOLD: dict[str, dict[str, str]] = {part: {} for part in PARTS}


class Teller:
    """Tells one game, line by line: recorded entries, or events and documents as they come."""

    def __init__(self, title: str, catalogue: Mapping[str, Any], language: Language) -> None:
        self.language = language
        self.words = words(language)
        known = self.words.get(catalogue.get("game", ""), UNTOLD)
        self.game: Mapping[str, Any] = known if known.keys() == UNTOLD.keys() else UNTOLD
        self.title = shown(title)
        self.catalogue = catalogue
        self.reconstructed = frozenset(catalogue.get("reconstructed", ()))
        self._touched = frozenset(part for path in self.reconstructed for part in _parts(path))
        self.look = look_of(catalogue.get("game", ""))
        self._names: Mapping[Seat, str] = {}
        seat: str = self.words["common"]["seat"]  # as it stands in sentences too
        self._seat_in_sentences = re.compile(re.escape(seat), re.IGNORECASE)
        self._like_a_seat = re.compile(seat.format(seat=r"\d+"), re.IGNORECASE)

    @classmethod
    def of(cls, rules: AnyRules, language: Language) -> "Teller":
        """Return one for the rules at hand."""
        return cls(rules.title, msgspec.to_builtins(rules.catalogue()), language)

    def meet(self, document: Mapping[str, Any]) -> None:
        """Learn who sits where: from now on they are told by name.

        Namesakes, and who is called like a seat, are told with their seats.
        """
        names = {int(seat): sitter["name"] for seat, sitter in document["seats"].items()}
        times = Counter(names.values())
        clear = {
            seat: times[name] == 1 and not self._like_a_seat.search(name)
            for seat, name in names.items()
        }
        self._names = {
            seat: name if clear[seat] else self.seat(document, seat) for seat, name in names.items()
        }

    def heading(self, header: Header, viewer: Seat | None) -> Iterator[Text]:
        """Say which game this is and through whose eyes it is told."""
        common = self.words["common"]
        eyes = common["spectator"] if viewer is None else common["seat"].format(seat=viewer)
        heading = common["heading"].format(title=self.title, seats=header.seats, eyes=eyes)
        yield Text(shown(heading), "bold")
        yield self.legend()

    def legend(self) -> Text:
        """Say what the mark of reconstructed cards means, and what amounts are in."""
        told = (self.words["common"]["reconstructed"], self.game["table"].get("amounts", ""))
        return Text(shown(" ".join(filter(None, told))), "dim")

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

    def event(self, event: Mapping[str, Any]) -> str:
        """Tell an event of the room or of the game; one of a later version by its name."""
        kind, facts = event["event"], dict(event)
        if kind in self.words["room"]:
            return shown(self._room_event(kind, facts))
        known = kind in self.game["events"]
        return shown(self._event(facts) if known else kind.replace("_", " "))

    def window(self, document: Mapping[str, Any]) -> str:
        """Say whom the table waits for; empty if for nobody."""
        window = document.get("window")
        if window is None:
            return ""
        owing = [seat for seat in window["seats"] if seat not in window["answered"]]
        kind = self.game["windows"].get(window["kind"], window["kind"])
        names = ", ".join(self.seat(document, seat) for seat in owing)
        return shown(self.words["common"]["asked"].format(names=names, window=kind))

    def seat(self, document: Mapping[str, Any], seat: int) -> str:
        """Name a seat and who sits there."""
        sitter = document["seats"].get(str(seat))
        common = self.words["common"]
        if sitter is None:
            return str(common["seat"].format(seat=seat))
        return shown(common["sitter"].format(seat=seat, name=sitter["name"]))

    def player(self, document: Mapping[str, Any], seat: int) -> str:
        """Name a seat likewise, and mark it if it is the viewer's own."""
        sitter = document["seats"].get(str(seat))
        if sitter is None or document.get("you", {}).get("seat") != seat:
            return self.seat(document, seat)
        return shown(self.words["common"]["own_sitter"].format(seat=seat, name=sitter["name"]))

    def who(self, seat: Seat) -> str:
        """Name who sits in a seat if that is known, else the seat."""
        known = self._names.get(seat)
        return str(self.words["common"]["seat"].format(seat=seat)) if known is None else known

    def action(self, action: Mapping[str, Any]) -> str:
        """Say what an action does; of a form, as much as is settled."""
        facts = {key: value for key, value in action.items() if key not in ("do", "choose")}
        named = {name: self._named(name, fact, whole=True) for name, fact in facts.items()}
        do = action["do"]
        sentence = self.words["actions"].get(do) or self.game["actions"].get(do)
        if sentence is None:
            return shown(" ".join([do.replace("_", " "), *named.values()]))
        open_ = dict.fromkeys(action.get("choose", ()), "…")
        return shown(str(sentence).format(**open_, **named).replace("….", "…"))

    def choice(self, field: str, value: str | int) -> str:
        """Say what a value stands for that a form lets choose."""
        return self.card(field, value)

    def refusal(self, reason: str, facts: Mapping[str, Any]) -> str:
        """Say why something was refused."""
        sentence = self.game["whys"].get(facts.get("why"))
        return sentence or refusal(self.language, reason, facts)

    def fact(self, name: str, value: Any) -> str:
        """Say a card, a number, a list of either, by the field it stands in."""
        return shown(self._named(name, value))

    def card(self, name: str, value: Any) -> str:
        """Say the same with all that is printed on a card: where somebody has to choose."""
        return shown(self._named(name, value, whole=True))

    def mark(self, *paths: str) -> str:
        """Return what marks a part of the game that is reconstructed, wholly or in part."""
        marked = any(
            path in self._touched or not self.reconstructed.isdisjoint(_parts(path))
            for path in paths
        )
        return str(self.words["common"]["mark"]) if marked else ""

    def field(self, field: str, key: str | None) -> str:
        """Say what a form asks with one of its fields; for a map, with one of its keys."""
        asked = str(self.game["fields"].get(field, field.replace("_", " ")))
        return shown(asked if key is None else f"{asked} · {self._key(field, key)}")

    def number(self, value: int) -> str:
        """Write a number as the language does, with the sign for minus."""
        return self._number(value).replace("-", self.words["common"]["minus"])

    def places(
        self, outcome: OutcomeLine, names: Mapping[Seat, str] | None = None
    ) -> Iterator[Text]:
        """Tell the places in order, with scores; with names where they are known."""
        scores, places = outcome.scores or {}, outcome.places or {}
        for seat, place in sorted(places.items(), key=lambda item: (item[1], item[0])):
            score = self.number(scores.get(seat, 0))
            who = self.words["common"]["seat"].format(seat=seat)
            if names and int(seat) in names:
                sitter = self.words["common"]["sitter"]
                who = sitter.format(seat=seat, name=names[int(seat)])
            line = self.words["common"]["place"].format(place=place, who=who, score=score)
            yield Text(shown(line), "bold")

    def _room_event(self, kind: str, facts: dict[str, Any]) -> str:
        if "reason" in facts:
            facts["reason"] = self.words["reasons"].get(facts["reason"], facts["reason"])
        if "connected" in facts:
            word = "connected" if facts["connected"] else "disconnected"
            facts["connected"] = self.words["common"][word]
        return self._by_name(str(self.words["room"][kind]), facts).format(**facts)

    def _event(self, facts: dict[str, Any]) -> str:
        kind = facts.pop("event")
        named = {name: self._named(name, fact) for name, fact in facts.items()}
        sentence = self._by_name(_sentence(self.game["events"], kind, facts), facts)
        return sentence.format(**named)

    def _by_name(self, sentence: str, facts: Mapping[str, Any]) -> str:
        """Put a name in the place of a seat, if it is known and not what the sentence tells."""
        name = self._names.get(facts.get("seat", -1))
        if name is None or "name" in facts:
            return sentence
        told = name.replace("{", "{{").replace("}", "}}")  # the sentence is yet to be filled
        return self._seat_in_sentences.sub(lambda _: told, sentence)

    def _named(self, name: str, fact: Any, *, whole: bool = False) -> str:
        if name in self.look.facts:
            return self.look.facts[name](self, fact)
        if isinstance(fact, tuple | list):
            return self._listed(self._named(name, item, whole=whole) for item in fact)
        if isinstance(fact, dict):
            items = fact.items()
            return self._listed(
                f"{self._key(name, key)}: {self._named(name, v)}" for key, v in items
            )
        if name in self.game["groups"] and isinstance(fact, str):  # a number only counts them
            return self._card(name, fact, whole)
        return self._word(name, fact)

    def _word(self, name: str, fact: Any) -> str:
        if name == "seat":
            return str(fact)
        if name == "seats":
            return self.who(int(fact))
        if name == "reason":
            return str(self.game["reasons"].get(fact, fact))
        return self._value(fact)

    def _card(self, name: str, number: str, whole: bool) -> str:
        """Say what is printed on a card; a mark tells that it is reconstructed."""
        group = self.game["groups"][name]
        card = self.catalogue[group][number]
        if isinstance(card, str):  # a name; some are other ones in other languages
            return self._value(card)
        marked = self.mark(f"{group}.{number}")
        common, sentences = self.words["common"], self.game["cards"]
        if whole and f"{group}_whole" in sentences:
            facts = {field: self._printed(field, card[field], common["and"]) for field in card}
            return str(sentences[f"{group}_whole"]).format(**facts, number=number, mark=marked)
        facts = {field: self._printed(field, card[field], common["or"]) for field in card}
        return _sentence(sentences, group, card).format(**facts, number=number, mark=marked)

    def _printed(self, field: str, value: Any, between: str) -> str:
        """Say what one field of a card holds."""
        if isinstance(value, tuple | list):
            return between.join(map(self._value, value))
        return self._named(field, value)

    def _value(self, value: Any) -> str:
        if isinstance(value, int):
            return self._number(value)
        return str(self.game["values"].get(value, value))

    def _key(self, field: str, key: str) -> str:
        """Say what a key of a field's map stands for."""
        if field in self.game["keys"]:
            return self._named(self.game["keys"][field], key)
        return self._number(int(key)) if key.isdecimal() else key

    def _listed(self, told: Iterable[str]) -> str:
        items = [*told]
        between = "; " if any("," in item for item in items) else ", "
        return between.join(items) or str(self.words["common"]["nothing"])

    def _number(self, value: int) -> str:
        return f"{value:,}".replace(",", self.words["common"]["thousands"])


def _parts(path: str) -> list[str]:
    """Return a path of the catalogue and all it lies within: a.b.c, a.b, a."""
    names = path.split(".")
    return [".".join(names[:length]) for length in range(len(names), 0, -1)]


def _sentence(sentences: dict[str, str], kind: str, facts: dict[str, Any]) -> str:
    """Return the sentence for a kind, the fuller one if a fact is there that it is made for."""
    there = (name for name, fact in facts.items() if fact is not False and fact not in ((), [], {}))
    fuller = (f"{kind}_with_{name}" for name in there)
    return sentences[next((key for key in fuller if key in sentences), kind)]
