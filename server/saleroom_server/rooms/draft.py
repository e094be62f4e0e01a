"""A decision being worked out: each entry evolves the standing, nothing else has happened yet."""

from typing import Any

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from saleroom_protocol.games import record
from saleroom_protocol.games.common import Action, Event, Seat
from saleroom_protocol.games.record import Entry
from saleroom_rules.contract import AnyRules
from saleroom_server.rooms.commands import Decision
from saleroom_server.rooms.journal import Journalled, Sent, sum_of
from saleroom_server.rooms.standing import Standing, evolve

SUMMED_EVERY = 16  # entries


class Draft:
    """The entries of one command. They share a `seq` and a time.

    Attributes:
        rules: the game.
        standing: as the entries so far have made it.
        seq: the update they will be told in.
        at: server milliseconds.
    """

    def __init__(self, rules: AnyRules, standing: Standing, seq: int, at: int) -> None:
        self.rules, self.standing = rules, standing
        self.seq, self.at = seq, at
        self._entries: list[Journalled] = []
        self._events: list[Event] = []

    def add(
        self,
        entry_type: type[Entry],
        *,
        sent: Sent | UnsetType = UNSET,
        **fields: Any,
    ) -> None:
        """Add an entry and evolve the standing by it; `fields` are the entry's own.

        Raises:
            IllegalAction: the rules do not allow the action in it.
        """
        number = self.standing.entry + 1
        entry: Any = entry_type(entry=number, seq=self.seq, at=self.at, **fields)
        journalled = Journalled(entry=entry, sent=sent)
        evolved = evolve(self.rules, self.standing, journalled)
        self.standing = evolved.standing
        self._events += evolved.events
        if number % SUMMED_EVERY == 0 and self.standing.state is not None:
            journalled = replace(journalled, sum=sum_of(self.rules, self.standing.state))
        self._entries.append(journalled)

    def act(self, seat: Seat, by: str, action: Action, **fields: Any) -> None:
        """Add an action of a seat, completed.

        Raises:
            IllegalAction: the rules do not allow it.
        """
        completed = self.rules.complete(self.standing.state, seat, action)
        plain = msgspec.to_builtins(completed)
        self.add(record.Acted, seat=seat, by=by, action=plain, **fields)

    def finish_if_over(self) -> None:
        """Add the end of the game if it has come."""
        if self.rules.window(self.standing.state) is None:
            self.add(record.Finished)

    def decision(self, answer: Any = None, **facts: Any) -> Decision:
        """Return what has come of it; `facts` are further fields of the decision."""
        return Decision(
            standing=self.standing,
            entries=tuple(self._entries),
            events=tuple(self._events),
            answer=answer,
            **facts,
        )
