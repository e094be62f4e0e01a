"""A room read back from its journal: replayed entry by entry, by the rules of today."""

from collections.abc import Iterator, Sequence

from msgspec import UNSET, Struct

from saleroom_rules.contract import AnyRules
from saleroom_rules.games import GAMES
from saleroom_server.rooms.journal import Founding, Journalled, decode, diverges
from saleroom_server.rooms.standing import Standing, evolve, follow, found

UNSTORED = 10_000  # updates: more than are told from one entry to the next, with hardly a doubt


class JournalFault(Exception):
    """A journal that does not lead to a game any more.

    Attributes:
        standing: as far as it could be followed; None if not even the room could be read.
    """

    def __init__(self, problem: str, standing: Standing | None) -> None:
        super().__init__(problem)
        self.standing = standing


class EditionRetired(Exception):
    """A journal by rules that are not played any more.

    Attributes:
        standing: without the game; waiting, running or paused.
    """

    def __init__(self, standing: Standing) -> None:
        super().__init__(f"edition {standing.founding.edition} of {standing.founding.game}")
        self.standing = standing


class Loaded(Struct, frozen=True):
    """A room's rules and its standing."""

    rules: AnyRules
    standing: Standing


def loading(bodies: Sequence[bytes], per_turn: int) -> Iterator[Loaded | None]:
    """Replay a journal; yield None now and then, so that others can have their turn, and the room.

    Args:
        bodies: its entries.
        per_turn: after so many others have their turn.

    Raises:
        JournalFault: an entry cannot be read or applied, or the game has gone another way.
        EditionRetired: it was played by rules that are not at hand, and has not ended.
    """
    standing: Standing | None = None
    try:
        created = decode(bodies[0])
        founding = created.founding
        assert founding is not UNSET, "a journal begins with its founding"
        assert created.entry.entry == 1, "a journal begins with its first entry"
        rules = _rules_of(founding)
        standing = found(founding, created)
        for place, body in enumerate(bodies[1:], 1):
            journalled = decode(body)
            if rules is None:
                standing = follow(standing, journalled)
            else:
                standing = _next(rules, standing, journalled)
            if place % per_turn == 0:
                yield None
    except Exception as error:  # whatever a replay raises, this one room has failed, no other
        number = 1 if standing is None else standing.entry + 1
        raise JournalFault(f"entry {number}: {type(error).__name__}", standing) from error
    if rules is None:
        raise EditionRetired(standing)
    yield Loaded(rules, standing)


def seq_after_load(standing: Standing, told: int, now: int) -> int:
    """Return from where a loaded room counts on: not below anything that was ever sent.

    The last stored `seq` alone would not do: presence changes take one too and are not stored, and
    a store that was put back to an older state has lost more than those. But no room tells an
    update every millisecond, so one that counts from the time is ahead of all it told before;
    unless the clock was put back, or is another node's. Then what is left free for updates that are
    not stored does, and clients have the new epoch.

    Args:
        standing: as it was read back.
        told: the last `seq` this server has sent; 0 if it had not loaded the room before.
        now: server milliseconds.
    """
    return max(standing.seq + UNSTORED, told, now)


def _rules_of(founding: Founding) -> AnyRules | None:
    """Return the rules a room is played by; None if they are not played any more."""
    rules = GAMES.get(founding.game)
    return rules if rules is not None and rules.edition == founding.edition else None


def _next(rules: AnyRules, standing: Standing, journalled: Journalled) -> Standing:
    if journalled.entry.entry != standing.entry + 1:
        raise ValueError("a journal has no gaps")
    after = evolve(rules, standing, journalled).standing
    if journalled.sum is not UNSET and diverges(rules, after.state, journalled.sum):
        raise ValueError("the replay goes another way")
    return after
