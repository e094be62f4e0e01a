"""How much is held in memory: every container that can be reached from an object, by its path.

It knows no class of ours, so a map that is added tomorrow is counted without anybody thinking of
it. Paths name attributes; what lies in a container is `[]`, so equal things add up.
"""

import asyncio
import gc
import logging
import sqlite3
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Set
from functools import partial
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, TypeAlias
from weakref import ReferenceType

from msgspec import Struct

Found: TypeAlias = tuple[str, object]  # how it is reached from what holds it, and it

PLAIN = (str, bytes, int, float, type(None), CodeType, ReferenceType, BuiltinFunctionType)
# Where a walk would come out among what was there before: code, what runs it, what bounds itself.
ELSEWHERE = (type, ModuleType, logging.Logger, asyncio.AbstractEventLoop, sqlite3.Connection)


def inventory(roots: Mapping[str, object], *but: object) -> Counter[str]:
    """Count the entries of every container that can be reached, by path; the shortest one counts.

    Args:
        roots: where to begin, by name.
        but: what is not looked into: the test's own.
    """
    counted: Counter[str] = Counter()
    seen = {id(one): one for one in but}  # kept, lest another object get the same identity
    waiting = deque(roots.items())
    while waiting:
        path, held = waiting.popleft()
        if id(held) in seen or isinstance(held, PLAIN + ELSEWHERE):
            continue
        seen[id(held)] = held
        if isinstance(held, Mapping | Set | list | deque):
            counted[path] += len(held)
        waiting.extend((path + step, inner) for step, inner in _held_by(held))
    return counted


def _held_by(held: Any) -> Iterator[Found]:
    match held:
        case Mapping():
            yield from (("[]", one) for pair in list(held.items()) for one in pair)
        case list() | tuple() | deque() | Set():
            yield from (("[]", one) for one in list(held))
        case Struct():
            yield from ((f".{name}", getattr(held, name)) for name in held.__struct_fields__)
        case FunctionType():
            names = held.__code__.co_freevars
            cells = held.__closure__ or ()
            yield from ((f"<{name}>", cell) for name, cell in zip(names, cells, strict=True))
            return  # what else it refers to is its module
        case MethodType():
            yield "", held.__self__
        case partial():
            yield from (("()", one) for one in (held.func, held.args, held.keywords))
    yield from _attributes(held)


def _attributes(held: Any) -> Iterator[Found]:
    """Yield what a named attribute holds, then whatever else the collector knows of."""
    own = getattr(held, "__dict__", {})
    for name, value in list(own.items()):
        yield f".{name}", value
    for kind in type(held).__mro__:
        slots = vars(kind).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if hasattr(held, name):
                yield f".{name}", getattr(held, name)
    if not isinstance(held, Mapping | Set | list | tuple | deque):
        yield from (("·", one) for one in gc.get_referents(held) if one is not own)
