"""The stream of events in PROTOCOL.md: a spectator comes back for the end of the golden game.

It is the game of the transcript, as spectators see it; the last request is the one that is answered
with 204.
"""

from collections.abc import Iterator
from typing import Any

from saleroom_protocol.messages import Left, Update
from saleroom_protocol.patch import diff
from saleroom_protocol.sse import COMMENT, SSE, retry
from saleroom_rules.contract import heard
from saleroom_rules.games import GAMES
from saleroom_server.gateway.limits import GatewayLimits
from tests.golden.records import played
from tests.golden.transcript import acted_in, document_after

EPOCH = "9b07"
MISSED = 3
HEAD = "Content-Type: text/event-stream\nCache-Control: no-store\nX-Accel-Buffering: no"


def stream(game: str) -> str:
    """Return requests and answers as they go over the wire."""
    updates = [*_updates(game)]
    room, first, last = updates[0].room, updates[0].seq - 1, updates[-1].seq
    events = [SSE.encode(update).decode() for update in updates]
    body = [retry(GatewayLimits().retry_ms).decode(), events[0], COMMENT.decode(), *events[1:]]
    end = SSE.encode(Left(room=room, reason="closed")).decode().strip()
    return (
        f"{_request(room, first)}\n\nHTTP/1.1 200 OK\n{HEAD}\n\n{''.join(body)}{end}\n\n"
        f"{_request(room, last)}\n\nHTTP/1.1 204 No Content"
    )


def _request(room: str, seq: int) -> str:
    return (
        f"GET /v1/rooms/{room}/stream HTTP/1.1\nAccept: text/event-stream\n"
        f"Last-Event-ID: {EPOCH}.{seq}"
    )


def _updates(game: str) -> Iterator[Update]:
    """Yield the last updates."""
    rules = GAMES[game]
    header, turns = played(rules.key, rules.seats[0], rules.seats[0])
    acted, first = acted_in(header, turns), len(turns) - MISSED
    shown = document_after(rules, header, turns, first, None)
    for number, turn in enumerate(turns[first:], first + 1):
        after = document_after(rules, header, turns, number, None)
        told: list[Any] = [*heard(rules, turn.step.events, None)]
        yield Update(
            room=header.room,
            epoch=EPOCH,
            seq=acted[number - 1].seq,
            at=acted[number - 1].at,
            patch=diff(shown, after),
            events=tuple(told + [{"event": "finished"}] * (number == len(turns))),
        )
        shown = after
