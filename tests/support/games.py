"""Every game in every form a test of the contract should see, and random play."""

from collections.abc import Iterator
from itertools import product
from random import Random
from typing import Any

import msgspec
from msgspec import Struct

from saleroom_protocol.games.common import Action
from saleroom_rules.contract import AnyRules
from saleroom_rules.games import GAMES
from saleroom_rules.playout import Turn, at_random, play
from saleroom_rules.rng import Rng


class Variant(Struct, frozen=True):
    """A game with a number of seats and options."""

    rules: Any
    seats: int
    options: Any

    def __str__(self) -> str:
        chosen = [name for name, value in msgspec.structs.asdict(self.options).items() if value]
        return "-".join((self.rules.key, str(self.seats), *chosen))

    def dealt(self, seed: int) -> Any:
        """Return a state to begin with."""
        rng = Rng(seed.to_bytes(32, "big"))
        return self.rules.setup(self.seats, self.options, rng).state

    def turns(self, seed: int, luck: int) -> Iterator[tuple[Any, Turn]]:
        """Yield each state of a random game with the turn taken in it."""
        state = self.dealt(seed)
        for turn in play(self.rules, state, at_random(Random(luck).choice)):
            yield state, turn
            state = turn.step.state


def variants() -> list[Variant]:
    """List every game with every number of seats and every setting of its yes-no options."""
    found = []
    for rules in GAMES.values():
        switches = [
            field.name for field in msgspec.structs.fields(rules.options) if field.type is bool
        ]
        for seats, values in product(rules.seats, product((False, True), repeat=len(switches))):
            options = rules.options(**dict(zip(switches, values, strict=True)))
            found.append(Variant(rules, seats, options))
    return found


def component_ids(rules: AnyRules) -> list[str]:
    """Return every id in a game's catalogue, and one that is in none."""
    catalogue = msgspec.to_builtins(rules.catalogue())
    groups = [value for value in catalogue.values() if isinstance(value, dict)]
    return [*(number for group in groups for number in group), "x99"]


def mutated(rules: AnyRules, action: Action, luck: Random) -> Iterator[Action]:
    """Yield actions a little different from one: other ids, numbers one off, fields left out."""
    plain: dict[str, Any] = msgspec.to_builtins(action)
    strange = component_ids(rules)
    names = {name for kind in _kinds(rules) for name in kind.__struct_fields__}
    for name in sorted(names | plain.keys()):
        value = plain.get(name)
        if isinstance(value, int):
            swaps: list[Any] = [value - 1, value + 1]
        else:
            swaps = luck.sample(strange, 6)
        changed = [{**plain, name: other} for other in swaps]
        changed.append({key: kept for key, kept in plain.items() if key != name})
        for candidate in changed:
            try:
                yield msgspec.convert(candidate, rules.action_type)
            except msgspec.ValidationError:
                continue


def _kinds(rules: AnyRules) -> tuple[type[Action], ...]:
    kinds: tuple[type[Action], ...] = rules.action_type.__args__
    return kinds
