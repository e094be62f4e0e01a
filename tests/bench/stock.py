"""A store with rooms in the middle of their games, made without a server."""

from pathlib import Path
from random import Random

import msgspec
from msgspec import Struct

from saleroom_protocol.games import record
from saleroom_protocol.games.record import Pace
from saleroom_protocol.http import NewRoom
from saleroom_rules.playout import at_random
from saleroom_server.clock import SystemClock
from saleroom_server.owner.founding import found_room, new_id
from saleroom_server.owner.head import head_of
from saleroom_server.rooms.commands import Caller, TakeSeat
from saleroom_server.rooms.draft import Draft
from saleroom_server.rooms.journal import Journalled, Sent, content_of, encode
from saleroom_server.rooms.seating import take_seat
from saleroom_server.rooms.standing import Standing, open_window
from saleroom_server.store.interface import Store
from saleroom_server.store.sqlite import SqliteStore
from saleroom_server.tokens import Tokens

KEY = bytes(32)
LIFETIME_MS = 3_600_000


class Table(Struct, frozen=True):
    """One room of the stock, and the tokens of its players, by seat."""

    room: str
    tokens: tuple[str, ...]


class Stock(Struct, frozen=True, kw_only=True):
    """What kind of rooms there are."""

    game: str = "kunstmarkt"
    seats: int = 5
    pace: Pace = "relaxed"
    acts: int = 0  # that have been taken in each, or fewer if the game would have ended

    async def fill(self, directory: Path, rooms: int) -> list[Table]:
        """Make the directory, and so many rooms in it."""
        return await self.put(await SqliteStore.open(directory), rooms)

    async def put(self, store: Store, rooms: int) -> list[Table]:
        """Make so many rooms in a store, and close it."""
        await store.secret("token", KEY)
        tables = []
        for number in range(rooms):
            people = tuple(Caller(new_id("p", 16), f"Player {n}") for n in range(self.seats))
            standing, journal = self._play(people, Random(number))
            bodies, head = [*map(encode, journal)], msgspec.msgpack.encode(head_of(standing))
            await store.create(standing.room, bodies, head)
            tables.append(Table(standing.room, tuple(map(_token, people))))
        await store.close()
        return tables

    def _play(
        self, people: tuple[Caller, ...], luck: Random
    ) -> tuple[Standing, tuple[Journalled, ...]]:
        now, choose = SystemClock().now(), at_random(luck.choice)
        asked = NewRoom(game=self.game, seats=self.seats, pace=self.pace, autostart=False)
        founded = found_room(asked, people[0], frozenset(), now)
        rules, standing = founded.rules, founded.decision.standing
        journal = founded.decision.entries
        for caller in people:
            seated = take_seat(Draft(rules, standing, standing.seq + 1, now), TakeSeat(caller))
            standing, journal = seated.standing, journal + seated.entries
        draft = Draft(rules, standing, standing.seq + 1, now)
        draft.add(record.Started)
        for number in range(self.acts):
            begun = draft.decision()
            standing, journal = begun.standing, journal + begun.entries
            window = open_window(rules, standing)
            assert window is not None, "the game goes on"
            move = choose(rules, standing.state, self.seats, window)
            plain = msgspec.to_builtins(move.action)
            answered = msgspec.UNSET if move.anytime else window.number
            player = people[move.seat].player or ""
            draft = Draft(rules, standing, standing.seq + 1, now)
            sent = Sent(player, f"act-{number}", content_of(answered, plain))
            draft.act(move.seat, "person", move.action, window=answered, sent=sent)
            if open_window(rules, draft.standing) is None:
                return standing, journal
        begun = draft.decision()
        return begun.standing, journal + begun.entries


def _token(caller: Caller) -> str:
    return Tokens(KEY, LIFETIME_MS).issue(caller, SystemClock().now()).token
