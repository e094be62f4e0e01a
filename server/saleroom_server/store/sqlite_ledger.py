"""What the writer knows of the rooms, and the transactions it makes of what it is asked.

Tokens and entry numbers are checked in memory, so a call that is refused has written nothing and
its neighbours in the transaction need not know. What is asked often (entries, heads, answers) is
gathered and written in one go before COMMIT; what is rare is written at once. After any failure of
the database a ledger is worth nothing: throw it away and make a new one, which reads what is true.
"""

import sqlite3
from collections.abc import Callable, Sequence
from itertools import chain

from msgspec import Struct

from saleroom_server.store.interface import Answer, Fenced, OutOfOrder, RoomExists

_KNOWN = """
    SELECT room, number, fence,
        (SELECT max(entry) FROM journal WHERE journal.number = rooms.number)
    FROM rooms
"""

# How one entry is written, how two are, and so on. Python's interpreter lock is let go of for each
# row that `executemany` writes, and has to be wrested from the event loop again: with a hundred
# rows that takes a hundred switches of threads, and the loop is kept from its work by each.
_ENTRIES = [
    f"INSERT INTO journal (number, entry, body) VALUES {', '.join(['(?, ?, ?)'] * rows)}"
    for rows in range(1, 101)
]

# The first answer stays, unless its time is over.
_ANSWER = """
    INSERT INTO answers (player, key, request, status, body, until) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (player, key) DO UPDATE SET
        request = excluded.request, status = excluded.status, body = excluded.body,
        until = excluded.until
    WHERE answers.until <= ?
"""

_PRUNE = """
    DELETE FROM answers WHERE rowid IN (SELECT rowid FROM answers WHERE until <= ? LIMIT ?)
"""


class Claim(Struct, frozen=True):
    """A room just taken over: its journal is the entries 1 to `last` of `number`."""

    number: int
    fence: int
    last: int


class Pruning(Struct, frozen=True):
    """How often answers whose time is over are deleted, and how many rows in one transaction."""

    every_ms: int
    rows: int


class _Room(Struct):
    number: int
    fence: int
    last: int


class Ledger:
    """The tables that are written, through one connection that is this ledger's own.

    Between `begin` and `commit` every method is one call of the store: it either raises what the
    interface says and has done nothing, or is part of the transaction.
    """

    def __init__(
        self, connection: sqlite3.Connection, clock: Callable[[], int], pruning: Pruning
    ) -> None:
        """Read what there is. `clock` tells server milliseconds.

        Raises:
            sqlite3.Error: it cannot be read.
        """
        self._database, self._clock, self._pruning = connection, clock, pruning
        self._rooms = {
            room: _Room(number, fence, last or 0)
            for room, number, fence, last in connection.execute(_KNOWN)
        }
        self._journal: list[tuple[int, int, bytes]] = []
        self._heads: dict[int, bytes] = {}  # by room number: of several, the last is written
        self._answers: list[Answer] = []
        self._prune_at = 0

    def begin(self) -> None:
        """Begin a transaction."""
        self._database.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        """Write what was gathered and make it durable."""
        self._write()
        self._database.execute("COMMIT")

    def close(self) -> None:
        """Close the connection; what was not committed is not written."""
        self._database.close()

    def create(
        self, room: str, entries: Sequence[bytes], head: bytes, answer: Answer | None
    ) -> int:
        """As `Store.create`."""
        if room in self._rooms or self._has("SELECT 1 FROM archive WHERE room = ?", room):
            raise RoomExists(f"there is, or was, a room {room}")
        token = self._count("token")
        self._database.execute("INSERT INTO rooms VALUES (?, ?, ?, ?)", (token, room, token, head))
        self._rooms[room] = made = _Room(token, token, 0)
        self._add(made, entries, None, answer)
        return token

    def acquire(self, room: str) -> Claim | None:
        """Give the room a new owner; None if there is none. The entries are read afterwards."""
        known = self._rooms.get(room)
        if known is None:
            return None
        known.fence = self._count("token")
        self._database.execute(
            "UPDATE rooms SET fence = ? WHERE number = ?", (known.fence, known.number)
        )
        return Claim(known.number, known.fence, known.last)

    def append(
        self,
        room: str,
        fence: int,
        first: int,
        entries: Sequence[bytes],
        head: bytes | None,
        answer: Answer | None,
    ) -> None:
        """As `Store.append`."""
        known = self._owned(room, fence)
        if first != known.last + 1:
            raise OutOfOrder(f"entry {first} of room {room} after entry {known.last}")
        self._add(known, entries, head, answer)

    def archive(self, room: str, fence: int, head: bytes, packed: bytes) -> None:
        """As `Store.archive`, of a record that is already compressed."""
        self._owned(room, fence)
        self._database.execute(
            "INSERT OR IGNORE INTO archive (room, head, record) VALUES (?, ?, ?)",
            (room, head, packed),
        )

    def forget(self, room: str, fence: int) -> None:
        """As `Store.forget`."""
        number = self._owned(room, fence).number
        self._write()  # or what the same transaction gathered for this room would outlive it
        self._database.execute("DELETE FROM journal WHERE number = ?", (number,))
        self._database.execute("DELETE FROM rooms WHERE number = ?", (number,))
        del self._rooms[room]

    def remember(self, answer: Answer) -> None:
        """As `Store.remember`."""
        self._answers.append(answer)

    def secret(self, name: str, offered: bytes) -> bytes:
        """As `Store.secret`."""
        self._database.execute("INSERT OR IGNORE INTO secrets VALUES (?, ?)", (name, offered))
        found = self._database.execute("SELECT secret FROM secrets WHERE name = ?", (name,))
        secret: bytes = found.fetchone()[0]
        return secret

    def probe(self) -> None:
        """Write something: a transaction that changes nothing would not touch the disk."""
        self._count("probe")

    def _owned(self, room: str, fence: int) -> _Room:
        known = self._rooms.get(room)
        if known is None or known.fence != fence:
            raise Fenced(f"token {fence} of room {room} is not the newest")
        return known

    def _add(
        self, room: _Room, entries: Sequence[bytes], head: bytes | None, answer: Answer | None
    ) -> None:
        for body in entries:
            room.last += 1
            self._journal.append((room.number, room.last, body))
        if head is not None:
            self._heads[room.number] = head
        if answer is not None:
            self._answers.append(answer)

    def _count(self, name: str) -> int:
        """Raise a counter. Tokens are counted over all rooms: an id used again starts no lower."""
        self._database.execute("UPDATE counters SET value = value + 1 WHERE name = ?", (name,))
        found = self._database.execute("SELECT value FROM counters WHERE name = ?", (name,))
        value: int = found.fetchone()[0]
        return value

    def _has(self, query: str, *values: object) -> bool:
        return self._database.execute(query, values).fetchone() is not None

    def _write(self) -> None:
        for begin in range(0, len(self._journal), len(_ENTRIES)):
            part = self._journal[begin : begin + len(_ENTRIES)]
            self._database.execute(_ENTRIES[len(part) - 1], [*chain.from_iterable(part)])
        self._journal.clear()
        if self._heads:
            heads = [(head, number) for number, head in self._heads.items()]
            self._database.executemany("UPDATE rooms SET head = ? WHERE number = ?", heads)
            self._heads.clear()
        if self._answers:
            self._write_answers(self._clock())

    def _write_answers(self, now: int) -> None:
        self._database.executemany(
            _ANSWER,
            [(a.player, a.key, a.request, a.status, a.body, a.until, now) for a in self._answers],
        )
        self._answers.clear()
        if now >= self._prune_at:
            pruned = self._database.execute(_PRUNE, (now, self._pruning.rows)).rowcount
            more = pruned == self._pruning.rows
            self._prune_at = now if more else now + self._pruning.every_ms
