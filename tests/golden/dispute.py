"""The turn of Vernissage in PROTOCOL.md: objection, bargaining, trial and payout, as a seat saw it.

Everybody does what leads there: the active player raises an artist as far as he can, the others
object, all bargain and nobody gives in, all the might is committed, every work is shown. It is the
first turn that has it all, in the first golden game that has one; the player is the one whose turn
it is. Arrows as in the transcript.
"""

from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec

from saleroom_protocol.canonical import check
from saleroom_protocol.games import vernissage as words
from saleroom_protocol.games.forms import fillings
from saleroom_protocol.games.record import Header
from saleroom_protocol.patch import apply, diff
from saleroom_rules.contract import AnyRules, Window, do_of, heard
from saleroom_rules.games import GAMES
from saleroom_rules.playout import Choose, Move, Turn, deal, decode, play
from saleroom_rules.vernissage.cards import NUMBERS
from tests.golden.records import CREATED_AT, header
from tests.golden.transcript import EPOCH, whole

SEATS = 3
FIRST_SEQ = 40
WANTED = {words.Objected, words.Stated, words.Challenged, words.TrialRolled, words.WorksPaid}
MOST_LUCK = 32  # golden games have a room for each
HIGHEST = len(NUMBERS.scale) - 1
FIRST = ("offer", "ask", "challenge", "commit", "reveal", "buy_pile", "keep", "done")


def dispute() -> str:
    """Return the turn as lines of an arrow and a JSON message."""
    lines = (f"{arrow} {msgspec.json.encode(message).decode()}" for arrow, message in _told())
    return "\n".join(lines)


def _told() -> Iterator[tuple[str, dict[str, Any]]]:
    rules = GAMES["vernissage"]
    described, state, turns = _found(rules)
    table: Any = rules.table(state)
    seat, requests, opened = table.active, 0, CREATED_AT
    stamp = {"room": described.room, "epoch": EPOCH}
    shown = whole(rules, described, state, CREATED_AT, seat)
    view = {"type": "view", **stamp, "seq": FIRST_SEQ, "at": CREATED_AT}
    yield "<", view | {"document": shown, "check": check(shown)}
    for number, turn in enumerate(turns, 1):
        seq, at = FIRST_SEQ + number, CREATED_AT + 1000 * number
        if turn.seat == seat:
            requests += 1
            act = {"type": "act", "id": f"7f-{requests}", "room": described.room}
            action = msgspec.to_builtins(turn.action)
            yield ">", act | {"window": turn.window, "action": action}
        window = rules.window(turn.step.state)
        if window is not None and window.number != turn.window:
            opened = at
        after = whole(rules, described, turn.step.state, opened, seat)
        patch = diff(shown, after)
        assert apply(shown, patch) == after
        update = {"type": "update", **stamp, "seq": seq, "at": at, "patch": patch}
        events = heard(rules, turn.step.events, seat)
        yield "<", update | {"events": events, "check": check(after)}
        if turn.seat == seat:
            yield "<", {"type": "accepted", "id": f"7f-{requests}", "seq": seq}
        shown = after


def _found(rules: AnyRules) -> tuple[Header, Any, list[Turn]]:
    """Return a game, the state in which the turn begins, and what happens up to the payout."""
    for luck in range(MOST_LUCK):
        described = header(rules.key, SEATS, {}, luck)
        begun = deal(described)
        turns: list[Turn] = []
        seen: set[type[Any]] = set()
        for turn in play(rules, begun, SEATS, _to_the_point(Random(luck))):
            turns.append(turn)
            seen |= {type(event) for event in turn.step.events}
            if seen >= WANTED:
                return described, begun, turns
            if words.TurnBegun in map(type, turn.step.events):
                begun, turns, seen = turn.step.state, [], set()
    raise AssertionError("no golden game has such a turn")


def _to_the_point(luck: Random) -> Choose:
    """Return a chooser of the game described above; nobody objects before an artist comes IN."""

    def choose(rules: AnyRules, state: Any, seats: int, window: Window) -> Move:
        table: Any = rules.table(state)
        seat = window.owing[0]
        if window.kind == "bargain":
            silent = [seat for seat in window.owing if str(seat) not in table.dispute.stated]
            seat = silent[0] if silent else table.active
        listed = rules.legal(state, seat)
        if window.kind == "place":
            return Move(seat, _highest(table, listed))
        if window.kind == "objection":
            facts: Any = window.facts
            would_be_in = table.artists[facts.artist].space + facts.value > HIGHEST
            return Move(seat, words.Object() if would_be_in else words.Allow())
        if window.kind == "bargain" and str(seat) in table.dispute.stated:
            return Move(seat, rules.default(state, seat))
        kinds = {do_of(entry): entry for entry in listed}
        entry = next((kinds[do] for do in FIRST if do in kinds), listed[-1])
        pick: Any = luck.choice if window.kind in ("buy", "pick") else max
        if do_of(entry) == "ask":
            pick = min
        return Move(seat, decode(rules, entry, pick))

    return choose


def _highest(table: words.Table, listed: Any) -> words.Place:
    """Return the counter that brings a marker highest of all."""
    places = [
        msgspec.convert(filled, words.Place) for entry in listed for filled in fillings(entry)
    ]
    return max(places, key=lambda place: (table.artists[place.artist].space or 0) + place.value)
