"""What the vocabularies of all games share: bases of actions, events, facts and private parts."""

from enum import StrEnum
from typing import Annotated, TypeAlias

from msgspec import Meta, Struct

GREATEST_INTEGER = 2**53 - 1  # what every language can read: PROTOCOL.md, "Values"

# An integer that a client may choose: what it sends comes back in the facts of a refusal.
Number: TypeAlias = Annotated[int, Meta(ge=-GREATEST_INTEGER, le=GREATEST_INTEGER)]
Seat: TypeAlias = int  # 0, 1, 2 …; play is clockwise = ascending, wrapping


class Action(
    Struct, frozen=True, gc=False, tag_field="do", omit_defaults=True, forbid_unknown_fields=True
):
    """What a player does, in the imperative; the tag is `do`."""


class Event(Struct, frozen=True, gc=False, tag_field="event", omit_defaults=True):
    """What has happened, in the past tense; the tag is `event`."""


class Facts(Struct, frozen=True, gc=False, omit_defaults=True):
    """The public facts of one kind of window."""


class Private(Struct, frozen=True, gc=False, omit_defaults=True):
    """What one seat may see besides the table.

    Its fields stand in the document's `you`, beside `seat` and `anytime`, which are therefore not
    names a game may use. A game with sealed windows puts the seat's own answer into `answer`.
    """


class IllegalWhy(StrEnum):
    """Base of a game's closed list of whys, each with its rule, its facts and its meaning.

    A refusal `illegal_action` carries `facts` with `why` and exactly the named facts beside it.
    """

    rule: str
    facts: tuple[str, ...]
    meaning: str

    def __new__(cls, word: str, rule: str, facts: tuple[str, ...], meaning: str) -> "IllegalWhy":
        """Make a member that equals `word`."""
        why = str.__new__(cls, word)
        why._value_ = word
        why.rule = rule
        why.facts = facts
        why.meaning = meaning
        return why
