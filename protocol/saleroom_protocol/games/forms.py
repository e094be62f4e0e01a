"""Forms: entries of `legal` that stand for many actions at once.

An entry of `legal` or `you.anytime` is either an action, sent back as it is, or a form: a map with
`do`, fixed fields, and `choose`, which says for each remaining field what may stand there. Every
filling of a form is an accepted action. See PROTOCOL.md, "Forms".
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, TypeAlias, cast

import msgspec
from msgspec import UNSET, Struct, UnsetType

Value: TypeAlias = str | int
Filled: TypeAlias = Value | list[Value] | dict[str, Value]
Pick: TypeAlias = Callable[[Sequence[Any]], Any]  # picks one of a non-empty sequence


class Choice(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What may stand in one field: exactly one of `one_of`, `some_of`, `assign` is given."""

    one_of: tuple[Value, ...] | UnsetType = UNSET  # a value
    some_of: tuple[Value, ...] | UnsetType = UNSET  # a list without repeats; order means nothing
    assign: dict[str, tuple[Value, ...]] | UnsetType = UNSET  # a map: keys to one of their values
    distinct: bool = False  # assign: no value twice
    min: int = 0  # the fewest values of some_of, keys of assign
    max: int | UnsetType = UNSET  # the most of them; absent: all

    def __post_init__(self) -> None:
        """Check that every promise a form makes holds.

        Raises:
            ValueError: there is no way to fill it, or filling it key by key could get stuck.
        """
        if [self.one_of, self.some_of, self.assign].count(UNSET) != 2:
            raise ValueError("exactly one of one_of, some_of and assign is needed")
        if self.distinct and not self.assign:
            raise ValueError("distinct goes with assign")
        if self.one_of is not UNSET:
            self._check_one_of(self.one_of)
            return
        low, high = self.bounds
        if not 0 <= low <= high <= self._size:
            raise ValueError(f"cannot take {low} to {high} of {self._size}")
        if self.some_of:
            _check_repeats(self.some_of)
        if self.assign:
            self._check_assign(self.assign)

    @property
    def bounds(self) -> tuple[int, int]:
        """The least and the greatest number of values of `some_of`, of keys of `assign`."""
        return self.min, self._size if self.max is UNSET else self.max

    @property
    def _size(self) -> int:
        return len(self.assign or ()) if self.some_of is UNSET else len(self.some_of)

    def _check_one_of(self, values: tuple[Value, ...]) -> None:
        if not values:
            raise ValueError("one_of needs a value")
        if self.min or self.max is not UNSET:
            raise ValueError("one_of takes no bounds")
        _check_repeats(values)

    def _check_assign(self, table: dict[str, tuple[Value, ...]]) -> None:
        """Check that whatever was taken for other keys, each key still has a value left."""
        most = self.bounds[1]
        plenty = most if self.distinct else min(most, 1)
        for key, values in table.items():
            _check_repeats(values)
            if len(values) >= plenty:
                continue
            rivals = [other for name, other in table.items() if name != key]
            taken: dict[int, Value] = {}
            if all(_taken(value, rivals, taken, set()) for value in values):
                raise ValueError(f"assign: key {key!r} could be left without a value")


def _taken(
    value: Value, rivals: list[tuple[Value, ...]], taken: dict[int, Value], tried: set[int]
) -> bool:
    """Find a rival key for one more value, moving others on if need be: bipartite matching."""
    for rival, values in enumerate(rivals):
        if value in values and rival not in tried:
            tried.add(rival)
            if rival not in taken or _taken(taken[rival], rivals, taken, tried):
                taken[rival] = value
                return True
    return False


def _check_repeats(values: tuple[Value, ...]) -> None:
    if len(set(values)) < len(values):
        raise ValueError("a value is offered twice")
    if not {*map(type, values)} <= {str, int}:
        raise ValueError("a value is a string or an integer")


def one_of(values: Sequence[Value]) -> Choice:
    """A field that takes one of `values`."""
    return Choice(one_of=tuple(values))


def some_of(values: Sequence[Value], least: int = 0, most: int | None = None) -> Choice:
    """A field that takes a list of `least` to `most` different `values`."""
    return Choice(some_of=tuple(values), min=least, max=UNSET if most is None else most)


def assign(
    values: Mapping[str, Sequence[Value]],
    *,
    distinct: bool = False,
    least: int = 0,
    most: int | None = None,
) -> Choice:
    """A field that takes a map from `least` to `most` of the keys to one of their values."""
    table = {key: tuple(options) for key, options in values.items()}
    return Choice(assign=table, distinct=distinct, min=least, max=UNSET if most is None else most)


class Form(Struct, frozen=True):
    """An action with fields left to choose.

    On the wire the fixed fields stand beside `do` and `choose`; `wire` and `read` convert.
    """

    do: str
    fixed: dict[str, Value]
    choose: dict[str, Choice]

    def __post_init__(self) -> None:
        """Check that no field is both fixed and to be chosen.

        Raises:
            ValueError: one is.
        """
        taken = {"do", "choose", *self.fixed}
        if len(taken) < len(self.fixed) + 2 or not taken.isdisjoint(self.choose):
            raise ValueError("a field is fixed and to be chosen")

    def wire(self) -> dict[str, Any]:
        """Return the map that stands in `legal`, ready to be encoded."""
        choose = {field: msgspec.to_builtins(choice) for field, choice in self.choose.items()}
        return {"do": self.do, **self.fixed, "choose": choose}

    @classmethod
    def read(cls, entry: Mapping[str, Any]) -> "Form":
        """Read the map that stood in `legal`.

        Raises:
            msgspec.ValidationError: it is not a form, or not one that can be filled.
        """
        rest = {key: value for key, value in entry.items() if key not in ("do", "choose")}
        parts = {"do": entry.get("do"), "fixed": rest, "choose": entry.get("choose")}
        return msgspec.convert(parts, cls)

    def action(self, filled: Mapping[str, Filled]) -> dict[str, Any]:
        """Return the action, as its wire map, that `filled` makes of this form."""
        return {"do": self.do, **self.fixed, **filled}


def fill(form: Form, pick: Pick) -> dict[str, Any]:
    """Fill a form field by field with what `pick` picks; return the action's wire map."""
    return form.action({field: _fill(choice, pick) for field, choice in form.choose.items()})


def admits(form: Form, action: Mapping[str, Any]) -> bool:
    """Tell whether an action's wire map is a filling of the form."""
    fixed = {"do": form.do, **form.fixed}
    if action.keys() != fixed.keys() | form.choose.keys():
        return False
    return all(_alike(action[name], value) for name, value in fixed.items()) and all(
        _admits(choice, action[name]) for name, choice in form.choose.items()
    )


def fillings(form: Form) -> Iterator[dict[str, Any]]:
    """Yield every filling as an action's wire map.

    There may be more than anybody could wait for, as of an arrangement of 25 paintings; each is
    made when it is asked for, so that a caller may stop.
    """
    for filled in _product([*form.choose.values()]):
        yield form.action(dict(zip(form.choose, filled, strict=True)))


def _fill(choice: Choice, pick: Pick) -> Filled:
    if choice.one_of is not UNSET:
        return cast("Value", pick(choice.one_of))
    low, high = choice.bounds
    wanted = pick(range(low, high + 1))
    if choice.some_of is not UNSET:
        left = list(choice.some_of)
        return [_take(left, pick) for _ in range(wanted)]
    table = choice.assign or {}
    keys = list(table)
    taken: dict[str, Value] = {}
    for key in [_take(keys, pick) for _ in range(wanted)]:
        used = taken.values() if choice.distinct else ()
        taken[key] = pick([value for value in table[key] if value not in used])
    return taken


def _admits(choice: Choice, filled: Any) -> bool:
    if choice.one_of is not UNSET:
        return _among(filled, choice.one_of)
    low, high = choice.bounds
    if choice.some_of is not UNSET:
        if not isinstance(filled, list | tuple) or not low <= len(filled) <= high:
            return False
        known = all(_among(value, choice.some_of) for value in filled)
        return known and len(set(filled)) == len(filled)
    table = choice.assign or {}
    if not isinstance(filled, dict) or not low <= len(filled) <= high:
        return False
    known = all(key in table and _among(value, table[key]) for key, value in filled.items())
    return known and (not choice.distinct or len(set(filled.values())) == len(filled))


def _among(value: Any, values: Sequence[Value]) -> bool:
    return any(_alike(value, other) for other in values)


def _alike(one: Any, other: Value) -> bool:
    """Tell whether two values are the same; true is not 1."""
    return type(one) is type(other) and bool(one == other)


def _take(left: list[Any], pick: Pick) -> Any:
    return left.pop(pick(range(len(left))))


def _product(choices: Sequence[Choice]) -> Iterator[tuple[Filled, ...]]:
    if not choices:
        yield ()
        return
    for filled in _fillings(choices[0]):
        for rest in _product(choices[1:]):
            yield filled, *rest


def _fillings(choice: Choice) -> Iterator[Filled]:
    if choice.one_of is not UNSET:
        yield from choice.one_of
        return
    low, high = choice.bounds
    for wanted in range(low, high + 1):
        if choice.some_of is not UNSET:
            yield from (list(values) for values in combinations(choice.some_of, wanted))
            continue
        for keys in combinations(choice.assign or {}, wanted):
            yield from _assignments(choice, keys, ())


def _assignments(
    choice: Choice, keys: Sequence[str], taken: tuple[Value, ...]
) -> Iterator[dict[str, Value]]:
    """Yield what the keys may be given, without what is taken if no value may come twice."""
    if not keys:
        yield {}
        return
    for value in (choice.assign or {})[keys[0]]:
        if not choice.distinct or value not in taken:
            for rest in _assignments(choice, keys[1:], (*taken, value)):
                yield {keys[0]: value, **rest}
