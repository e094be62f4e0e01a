"""What is read: by a connection of its own, which sees whatever has been committed.

In WAL mode a reader takes nothing from the writer's time but the disk's.
"""

import sqlite3
import zlib

from saleroom_server.store.interface import Answer, Archived, Head
from saleroom_server.store.sqlite_ledger import Claim


class Reader:
    """The tables as they are read. Each method is one statement, so each sees one moment."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA query_only = ON")
        self._database = connection

    def close(self) -> None:
        """Close the connection."""
        self._database.close()

    def journal(self, claim: Claim) -> tuple[bytes, ...] | None:
        """Return the entries there were when the room was taken over.

        None if the journal has been deleted since, which takes another owner. If only some of it
        is gone, that is for whoever replays it to notice.
        """
        found = self._database.execute(
            "SELECT body FROM journal WHERE number = ? AND entry <= ? ORDER BY entry",
            (claim.number, claim.last),
        )
        bodies = tuple(body for (body,) in found)
        return bodies if bodies or not claim.last else None

    def heads(self) -> list[Head]:
        """As `Store.heads`."""
        found = self._database.execute("SELECT room, head FROM rooms ORDER BY number")
        return [Head(room, body) for room, body in found]

    def archived(self, room: str) -> Archived | None:
        """As `Store.archived`."""
        found = self._database.execute("SELECT head, record FROM archive WHERE room = ?", (room,))
        row = found.fetchone()
        return row and Archived(row[0], zlib.decompress(row[1]))

    def recall(self, player: str, key: str, now: int) -> Answer | None:
        """As `Store.recall`."""
        found = self._database.execute(
            "SELECT player, key, request, status, body, until FROM answers"
            " WHERE player = ? AND key = ? AND until > ?",
            (player, key, now),
        )
        row = found.fetchone()
        return row and Answer(*row)
