"""Every game in every form a test of the contract should see, and random play."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain
from random import Random
from typing import Any

import msgspec
from msgspec import Struct

from saleroom_protocol.games import VOCABULARIES, Vocabulary
from saleroom_protocol.games.common import Action
from saleroom_protocol.games.forms import Form, admits
from saleroom_rules.contract import AnyRules
from saleroom_rules.games import GAMES
from saleroom_rules.playout import Turn, at_random, play
from saleroom_rules.rng import Rng
from saleroom_rules.typed import typed
from tests.support.toy.game import Toy
from tests.support.toy.words import VOCABULARY as TOY_WORDS

LONG = {"pictura"}  # games of hundreds of actions, of which many are alike
GAMES_KEPT, EACH_KIND = 3, 2


class Variant(Struct, frozen=True):
    """A game with a number of seats and options."""

    rules: Any
    seats: int
    options: Any

    @property
    def vocabulary(self) -> Vocabulary:
        """The game's types."""
        return TOY_WORDS if self.rules.key == "toy" else VOCABULARIES[self.rules.key]

    def __str__(self) -> str:
        chosen = [n for n, value in turned(self.rules).items() if getattr(self.options, n) == value]
        return "-".join((self.rules.key, str(self.seats), *chosen))

    def dealt(self, seed: int) -> Any:
        """Return a state to begin with."""
        return self.begun(seed).state

    def begun(self, seed: int) -> Any:
        """Return the set-up step."""
        rng = Rng(seed.to_bytes(32, "big"))
        return self.rules.setup(self.seats, self.options, rng)

    def turns(self, seed: int, luck: int) -> Iterator[tuple[Any, Turn]]:
        """Yield each state of a random game with the turn taken in it."""
        state = self.dealt(seed)
        for turn in play(self.rules, state, self.seats, at_random(Random(luck).choice)):
            yield state, turn
            state = turn.step.state

    def moments(self, seed: int, luck: int) -> Iterator[tuple[Any, Turn]]:
        """Yield what a test looks into: all turns, but of a long game a few in each kind of window.

        Of long games there are a few only, each played once.
        """
        if self.rules.key not in LONG:
            yield from self.turns(seed, luck)
            return
        game, kinds = _kept(self, seed % GAMES_KEPT), defaultdict[str, list[int]](list)
        for place, (state, _) in enumerate(game):
            kinds[self.rules.window(state).kind].append(place)
        dice = Random(luck)
        chosen = [dice.sample(places, min(EACH_KIND, len(places))) for places in kinds.values()]
        yield from (game[place] for place in sorted(chain(*chosen)))


@lru_cache(maxsize=32)
def _kept(variant: Variant, seed: int) -> list[tuple[Any, Turn]]:
    return list(variant.turns(seed, seed))


def variants() -> list[Variant]:
    """List every game with every number of seats, its switches as they are and all turned."""
    return [variant for rules in GAMES.values() for variant in variants_of(rules)]


def variants_of(rules: AnyRules) -> list[Variant]:
    """List one game with every number of seats, its switches as they are and all turned."""
    settings = [{}, turned(rules)] if turned(rules) else [{}]
    return [
        Variant(rules, seats, rules.options(**chosen))
        for seats in rules.seats
        for chosen in settings
    ]


def turned(rules: AnyRules) -> dict[str, bool]:
    """Return a game's yes-no options, each as it is not by itself."""
    switches = msgspec.structs.fields(rules.options)
    return {switch.name: not switch.default for switch in switches if switch.type is bool}


TOY = Toy()
# What the tests of the contract run on: the games, and the toy that needs all of the contract.
# Of long games the switches are turned with the fewest seats only.
EVERY_VARIANT = [
    *(
        variant
        for variant in variants()
        if variant.rules.key not in LONG
        or variant.seats == variant.rules.seats[0]
        or variant.options == variant.rules.options()
    ),
    *variants_of(TOY),
]


def listed(entries: Sequence[Any], action: Action) -> bool:
    """Tell whether an action is among the entries, or fills a form of them."""
    plain = msgspec.to_builtins(action)
    return any(
        admits(entry, plain) if isinstance(entry, Form) else entry == action for entry in entries
    )


def component_ids(rules: AnyRules) -> list[str]:
    """Return every id in a game's catalogue, and one that is in none."""
    catalogue = msgspec.to_builtins(rules.catalogue())
    groups = [value for value in catalogue.values() if isinstance(value, dict)]
    return [*(number for group in groups for number in group), "x99"]


def strings_in(value: Any) -> set[str]:
    """Return every string within a value, keys too."""
    if isinstance(value, dict):
        return strings_in([*value, *value.values()])
    if isinstance(value, list | tuple):
        return {found for item in value for found in strings_in(item)}
    return {value} if isinstance(value, str) else set()


def mutated(rules: AnyRules, action: Action, luck: Random) -> Iterator[Action]:
    """Yield actions a little different from one, at any depth."""
    plain: dict[str, Any] = msgspec.to_builtins(action)
    strange = component_ids(rules)
    names = {name for kind in rules.action_type.__args__ for name in kind.__struct_fields__}
    for name in sorted(names | plain.keys()):
        candidates = [{**plain, name: other} for other in _unlike(plain.get(name), strange, luck)]
        candidates.append({key: kept for key, kept in plain.items() if key != name})
        for candidate in candidates:
            try:
                yield typed(candidate, rules.action_type)
            except msgspec.ValidationError:
                continue


def _unlike(value: Any, strange: Sequence[str], luck: Random) -> list[Any]:
    """Return values like one, but not it: one off, another id, more, fewer, twice."""
    if isinstance(value, int):
        return [value - 1, value + 1]
    if isinstance(value, list | tuple):
        kept = list(value)
        grown = [[*kept, other] for other in luck.sample(strange, 2)]
        return [kept[1:], [*kept, *kept[:1]], kept[::-1], *grown]
    if isinstance(value, dict):
        changed = [
            {**value, key: other}
            for key, old in value.items()
            for other in _unlike(old, strange, luck)
        ]
        fewer = [{key: old for key, old in value.items() if key != gone} for gone in value]
        same = [dict.fromkeys(value, old) for old in value.values()]
        return [*changed, *fewer, *same, {**value, "x": 1}]
    return luck.sample(strange, 6)
