"""The turn of Vernissage in PROTOCOL.md: objection, bargaining, trial and payout, as a seat saw it.

Everybody does what leads there: the active player raises an artist as far as he can, the others
object, all bargain and nobody gives in, all the might is committed, every work is shown.
"""

from random import Random
from typing import Any

import msgspec

from saleroom_protocol.games import vernissage as words
from saleroom_protocol.games.forms import fillings
from saleroom_rules.contract import AnyRules, Window, do_of
from saleroom_rules.games import GAMES
from saleroom_rules.playout import Choose, Move, decode
from saleroom_rules.vernissage.cards import NUMBERS
from tests.golden.turns import found, lines

SEATS = 3
WANTED: set[type[Any]] = {
    words.Objected,
    words.Stated,
    words.Challenged,
    words.TrialRolled,
    words.WorksPaid,
}
HIGHEST = len(NUMBERS.scale) - 1
FIRST = ("offer", "ask", "challenge", "commit", "reveal", "buy_pile", "keep", "done")


def dispute() -> str:
    """Return the turn as lines of an arrow and a JSON message."""
    rules = GAMES["vernissage"]
    return lines(found(rules, SEATS, WANTED, words.TurnBegun, _to_the_point))


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
