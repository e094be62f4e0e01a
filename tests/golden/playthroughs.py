"""Golden playthroughs: after every action, what each viewer's document takes and what it becomes.

One JSON object a line. First `{"view": {viewer: document}}`, then per action
`{"seat", "window", "action", "patch": {viewer: patch}, "events": {viewer: [event]},
"check": {viewer: crc}}`, viewers being "spectator" and the seats; without `window` where none was
answered. A client's mirror that applies the patches must arrive at every check. Documents are the
game's part: table, window, you, legal.
"""

from itertools import islice
from typing import Any

import msgspec
from msgspec import UNSET

from saleroom_protocol.canonical import check
from saleroom_protocol.patch import apply
from saleroom_rules.contract import AnyRules, heard
from saleroom_rules.games import GAMES
from saleroom_rules.playout import deal
from saleroom_server.rooms.views import Clock, Viewer, change, document, look
from tests.golden.records import CREATED_AT, played
from tests.support.entries import actions_of

PERFT_DEPTH = 4
MOST_FILLINGS = 100  # of one form are followed: some have more than could ever be counted
MOST_FOLLOWED = 500  # positions; from more of them on nothing is counted


def files() -> dict[str, bytes]:
    """Return seeds/playthroughs/ by name."""
    made = {f"{key}-{rules.seats[0]}.jsonl": _playthrough(rules) for key, rules in GAMES.items()}
    counts = {key: perft(rules) for key, rules in GAMES.items()}
    made["positions.json"] = msgspec.json.format(msgspec.json.encode(counts)) + b"\n"
    return made


def name(viewer: Viewer) -> str:
    """Return how a viewer is called in a playthrough."""
    return "spectator" if viewer is None else str(viewer)


def _playthrough(rules: AnyRules) -> bytes:
    seats = rules.seats[0]
    header, turns = played(rules.key, seats, seats)
    viewers: tuple[Viewer, ...] = (None, *range(seats))
    before = look(rules, deal(header), seats, _clock(0))
    views = {name(viewer): document(before, viewer) for viewer in viewers}
    lines: list[dict[str, Any]] = [{"view": views}]
    for number, turn in enumerate(turns, 1):
        after = look(rules, turn.step.state, seats, _clock(number))
        changed = change(before, after)
        patches = {name(viewer): msgspec.to_builtins(changed.patch(viewer)) for viewer in viewers}
        views = {key: apply(view, patches[key]) for key, view in views.items()}
        line = {
            "seat": turn.seat,
            **({} if turn.window is UNSET else {"window": turn.window}),
            "action": turn.action,
            "patch": patches,
            "events": {name(viewer): heard(rules, turn.step.events, viewer) for viewer in viewers},
            "check": {key: check(view) for key, view in views.items()},
        }
        lines.append(line)
        before = after
    return b"".join(msgspec.json.encode(line) + b"\n" for line in lines)


def _clock(number: int) -> Clock:
    opened_at = CREATED_AT + 1000 * number
    return Clock(opened_at, opened_at + 30_000)


def perft(rules: AnyRules) -> dict[str, list[int]]:
    """Count, for each number of seats, the sequences of listed actions of length 1 to 4 or less."""
    counts: dict[str, list[int]] = {}
    for seats in rules.seats:
        header, _ = played(rules.key, seats, seats)
        states = [deal(header)]
        counts[str(seats)] = []
        while len(counts[str(seats)]) < PERFT_DEPTH and len(states) <= MOST_FOLLOWED:
            states = [after for state in states for after in _next(rules, state)]
            counts[str(seats)].append(len(states))
    return counts


def _next(rules: AnyRules, state: Any) -> list[Any]:
    window = rules.window(state)
    if window is None:
        return []
    seat = window.owing[0]
    return [
        rules.apply(state, seat, action).state
        for entry in rules.legal(state, seat)
        for action in islice(actions_of(rules, entry), MOST_FILLINGS)
    ]
