"""A turn as one seat saw it: a view, then every frame; for PROTOCOL.md.

`>` the client sends, `<` it is sent, as in the transcript. The turn is the first of its kind in a
golden game that is played to the point; the player is the one whose turn it is.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import msgspec
from msgspec import UNSET, Struct

from saleroom_protocol.canonical import check
from saleroom_protocol.games.common import Seat
from saleroom_protocol.games.record import Header
from saleroom_protocol.patch import apply, diff
from saleroom_rules.contract import AnyRules, Window, heard
from saleroom_rules.playout import Choose, Turn, deal, play
from saleroom_server.rooms.views import Clock
from tests.golden.records import CREATED_AT, header
from tests.golden.transcript import EPOCH, whole

FIRST_SEQ = 40
MOST_LUCK = 32  # golden games have a room for each


class Scene(Struct, frozen=True):
    """The state in which a turn begins, and what happens in it."""

    rules: AnyRules
    header: Header
    state: Any
    seat: Seat
    turns: tuple[Turn, ...]


def found(
    rules: AnyRules,
    seats: int,
    wanted: set[type[Any]],
    begins: type[Any],
    to_the_point: Callable[[Random], Choose],
) -> Scene:
    """Return the first turn in which all of some events are told, up to the last of them.

    A turn begins with the event `begins`.
    """
    for luck in range(MOST_LUCK):
        described = header(rules.key, seats, {}, luck)
        begun = deal(described)
        turns: list[Turn] = []
        seen: set[type[Any]] = set()
        for turn in play(rules, begun, seats, to_the_point(Random(luck))):
            turns.append(turn)
            seen |= {type(event) for event in turn.step.events}
            if seen >= wanted:
                table: Any = rules.table(begun)
                return Scene(rules, described, begun, table.active, tuple(turns))
            if begins in map(type, turn.step.events):
                begun, turns, seen = turn.step.state, [], set()
    raise AssertionError("no golden game has such a turn")


def lines(scene: Scene) -> str:
    """Return a turn as lines of an arrow and a JSON message."""
    told = (f"{arrow} {msgspec.json.encode(message).decode()}" for arrow, message in _told(scene))
    return "\n".join(told)


def _told(scene: Scene) -> Iterator[tuple[str, dict[str, Any]]]:
    rules, seat, described = scene.rules, scene.seat, scene.header
    requests, clocks = 0, _Clocks()
    stamp = {"room": described.room, "epoch": EPOCH}
    clock = clocks.at(rules.window(scene.state), CREATED_AT)
    shown = whole(rules, described, scene.state, clock, seat)
    view = {"type": "view", **stamp, "seq": FIRST_SEQ, "at": CREATED_AT}
    yield "<", view | {"document": shown, "check": check(shown)}
    for number, turn in enumerate(scene.turns, 1):
        seq, at = FIRST_SEQ + number, CREATED_AT + 1000 * number
        if turn.seat == seat:
            requests += 1
            yield ">", _act(f"7f-{requests}", described.room, turn)
        clock = clocks.at(rules.window(turn.step.state), at)
        after = whole(rules, described, turn.step.state, clock, seat)
        patch = diff(shown, after)
        assert apply(shown, patch) == after
        update = {"type": "update", **stamp, "seq": seq, "at": at, "patch": patch}
        events = heard(rules, turn.step.events, seat)
        yield "<", update | {"events": events, "check": check(after)}
        if turn.seat == seat:
            yield "<", {"type": "accepted", "id": f"7f-{requests}", "seq": seq}
        shown = after


class _Clocks:
    """When the open window was opened and closes; windows of one budget share a clock."""

    def __init__(self) -> None:
        self._window: Window | None = None
        self._opened = 0
        self._spent: Counter[str] = Counter()  # milliseconds, by budget

    def at(self, window: Window | None, now: int) -> Clock:
        """Return the clock of the window that is open now."""
        assert window is not None, "the turn is not the last"
        before = self._window
        if before is None or before.number != window.number:
            if before is not None and before.budget:
                self._spent[before.budget] += now - self._opened
            self._window, self._opened = window, now
        left = 1000 * window.seconds - self._spent[window.budget]
        return Clock(self._opened, self._opened + left)


def _act(id: str, room: str, turn: Turn) -> dict[str, Any]:
    """Return what was sent, without what the server has written into it."""
    action = msgspec.to_builtins(turn.action)
    action.pop("arrangement", None)
    window = {} if turn.window is UNSET else {"window": turn.window}
    return {"type": "act", "id": id, "room": room, **window, "action": action}
