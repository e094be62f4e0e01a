"""The scripts that write, each one call of the store, whole or not at all.

Redis runs one after the other and nothing in between, and writes what one changes to its file as
one. They are in `lua/`, and known to Redis by the digest of their text.
"""

import hashlib
from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import TypeAlias

Word: TypeAlias = str | bytes | int
Words: TypeAlias = Callable[[bool], Sequence[Word]]
"""A command as it is sent; told whether it has been sent before."""

_LUA = files("saleroom_server.store") / "lua"
_COMMON = (_LUA / "common.lua").read_text(encoding="utf-8")


class Script:
    """One script.

    Attributes:
        text: as Redis is given it.
    """

    def __init__(self, name: str) -> None:
        self.text = _COMMON + (_LUA / f"{name}.lua").read_text(encoding="utf-8")
        self._digest = hashlib.sha1(self.text.encode(), usedforsecurity=False).hexdigest()

    def __call__(self, keys: Sequence[str], *arguments: Word) -> Words:
        """Return the command that runs it."""
        before: tuple[Word, ...] = (b"EVALSHA", self._digest, len(keys), *keys)
        return lambda sent_before: (*before, int(sent_before), *arguments)


CREATE = Script("create")
ACQUIRE = Script("acquire")
RELEASE = Script("release")
APPEND = Script("append")
ARCHIVE = Script("archive")
FORGET = Script("forget")
JOIN = Script("join")

WRITING = (CREATE, ACQUIRE, RELEASE, APPEND, ARCHIVE, FORGET)


def plain(*words: Word) -> Words:
    """Return a command that may be sent twice as it is."""
    return lambda _: words
