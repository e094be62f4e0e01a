"""The transcript at the end of PROTOCOL.md: one player's socket, from hello to the last frame.

The game is the golden one of three seats; the player sits in seat 0 and joins when few windows
are left. Arrows: `>` the client sends, `<` it is sent.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from saleroom_protocol.canonical import check
from saleroom_protocol.document import Resign
from saleroom_protocol.games.record import Acted, Closing, Header
from saleroom_protocol.limits import Limits
from saleroom_protocol.patch import apply, diff
from saleroom_rules.contract import AnyRules, heard
from saleroom_rules.games import GAMES
from saleroom_rules.playout import Turn, write_record
from saleroom_rules.record import by_seat, read
from saleroom_server.rooms.views import Clock, Viewer, document, look
from tests.golden.records import played

SEAT = 0
WINDOWS_LEFT = 9
EPOCH = "4f1c"


def transcript(game: str) -> str:
    """Return the transcript of one game as lines of an arrow and a JSON message."""
    rules = GAMES[game]
    lines = (f"{arrow} {msgspec.json.encode(message).decode()}" for arrow, message in _told(rules))
    return "\n".join(lines)


def _told(rules: AnyRules) -> Iterator[tuple[str, dict[str, Any]]]:
    header, turns = played(rules.key, rules.seats[0], rules.seats[0])
    room, ahead = header.room, len(turns) - WINDOWS_LEFT
    acted = acted_in(header, turns)
    now = acted[ahead - 1].at
    yield ">", {"type": "hello", "token": "…", "client": "sketch/1.0", "checks": True}
    yield "<", _welcome(now)
    yield ">", {"type": "join", "id": "7f-1", "room": room, "as": "player"}
    cursor = {"epoch": EPOCH, "seq": acted[ahead - 1].seq}
    yield (
        "<",
        {"type": "joined", "id": "7f-1", "room": room, "viewer": SEAT, "cursor": cursor}
        | {"resumed": False, "now": now},
    )
    shown = document_after(rules, header, turns, ahead, SEAT)
    stamp = {"room": room, "epoch": EPOCH}
    yield (
        "<",
        {"type": "view", **stamp, "seq": acted[ahead - 1].seq, "at": now}
        | {"document": shown, "check": check(shown)},
    )
    requests = 1
    for number, turn in enumerate(turns[ahead:], ahead + 1):
        seq, at = acted[number - 1].seq, acted[number - 1].at
        if turn.seat == SEAT:
            requests += 1
            action = msgspec.to_builtins(turn.action)
            yield (
                ">",
                {"type": "act", "id": f"7f-{requests}", "room": room, "window": turn.window}
                | {"action": action},
            )
        after = document_after(rules, header, turns, number, SEAT)
        patch = diff(shown, after)
        assert apply(shown, patch) == after
        events = [*heard(rules, turn.step.events, SEAT)]
        if number == len(turns):
            events.append({"event": "finished"})  # type: ignore[arg-type]
        yield (
            "<",
            {"type": "update", **stamp, "seq": seq, "at": at}
            | {"patch": patch, "events": events, "check": check(after)},
        )
        if turn.seat == SEAT:
            yield "<", {"type": "accepted", "id": f"7f-{requests}", "seq": seq}
        shown = after
    yield from _aftermath(room, turns[-1], requests)


def _welcome(now: int) -> dict[str, Any]:
    return {
        "type": "welcome",
        "player": _player(SEAT),
        "name": f"Bot {SEAT}",
        "protocol": 1,
        "server": "saleroom/0.1.0",
        "now": now,
        "features": [],
        "heartbeat_ms": 20_000,
        "silence_ms": 45_000,
        "limits": msgspec.to_builtins(Limits()),
    }


def _aftermath(room: str, last: Turn, requests: int) -> Iterator[tuple[str, dict[str, Any]]]:
    late = {"type": "act", "id": f"7f-{requests + 1}", "room": room, "window": last.window}
    yield ">", late | {"action": {"do": "draw_customer"}}
    yield (
        "<",
        {"type": "refused", "id": f"7f-{requests + 1}", "reason": "game_over", "facts": {}}
        | {"message": "The game has ended."},
    )
    yield ">", {"type": "leave", "id": f"7f-{requests + 2}", "room": room}
    yield "<", {"type": "accepted", "id": f"7f-{requests + 2}"}


def whole(
    rules: AnyRules, header: Header, state: Any, clock: Clock, viewer: Viewer
) -> dict[str, Any]:
    """Return a viewer's whole document in a state, while the game goes on."""
    standing = ((Resign(),),) * header.seats if rules.window(state) is not None else ()
    return {
        "room": header.room,
        "game": header.game,
        "edition": header.edition,
        "options": header.options,
        "pace": header.pace,
        "status": "running",
        "host": _player(SEAT),
        "seat_count": header.seats,
        "seats": {str(number): _seat(number) for number in range(header.seats)},
        "spectators": 0,
        "commitment": header.commitment,
        "contributions": header.contributions,
        **document(look(rules, state, header.seats, clock, standing), viewer),
    }


def document_after(
    rules: AnyRules, header: Header, turns: tuple[Turn, ...], number: int, viewer: Viewer
) -> dict[str, Any]:
    """Return a viewer's whole document after so many actions."""
    state, opened_at = turns[number - 1].step.state, acted_in(header, turns)[number - 1].at
    window = rules.window(state)
    seconds = 0 if window is None else window.seconds
    shown = whole(rules, header, state, Clock(opened_at, opened_at + 1000 * seconds), viewer)
    outcome = rules.outcome(state)
    if outcome is not None:
        record = write_record(header, turns)
        shown["status"] = "finished"
        shown["result"] = {
            "reason": outcome.reason,
            "scores": by_seat(outcome.scores),
            "places": by_seat(outcome.places),
            "digest": msgspec.json.decode(record.splitlines()[-1], type=Closing).digest,
        }
    return shown


def acted_in(header: Header, turns: tuple[Turn, ...]) -> list[Acted]:
    """Return the record's entries of these turns: they say when, and in which update."""
    record = read(write_record(header, turns))
    return [line for line in record.lines if isinstance(line, Acted)]


def _seat(seat: int) -> dict[str, Any]:
    return {
        "player": _player(seat),
        "name": f"Bot {seat}",
        "kind": "bot",
        "connected": True,
        "away": False,
    }


def _player(seat: int) -> str:
    return "p" + "abc"[seat] * 16
