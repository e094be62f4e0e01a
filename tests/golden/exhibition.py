"""The turn of Museum Pictura in PROTOCOL.md: trades, an exhibition, a patron, a favour, a discard.

Everybody does what leads there: hangs what goes with what hangs, and holds an exhibition when a
patron can be claimed too, with the museum in disorder. Of the others all trade but the last.
"""

from random import Random
from typing import Any

from saleroom_protocol.games import pictura as words
from saleroom_protocol.games.common import Action
from saleroom_protocol.games.forms import Form
from saleroom_rules.contract import AnyRules, Window, do_of
from saleroom_rules.games import GAMES
from saleroom_rules.pictura.board import PLACES
from saleroom_rules.pictura.cards import SHOWING
from saleroom_rules.playout import Choose, Move, decode
from tests.golden.turns import found, lines

SEATS = 3
WANTED: set[type[Any]] = {
    words.Traded,
    words.NothingTraded,
    words.Arranged,
    words.ExhibitionHeld,
    words.SpaceUsed,
    words.PatronClaimed,
    words.FavourPlayed,
    words.PaintingsArchived,
    words.TurnBegun,  # the next one
}
AFTERWARDS = ("claim", "favour_take", "favour_points", "favour_draw", "done")
SPARE = 4  # paintings in hand: with more of them one is hung


def exhibition() -> str:
    """Return the turn as lines of an arrow and a JSON message."""
    return lines(found(GAMES["pictura"], SEATS, WANTED, words.TurnBegun, _to_the_point))


def _to_the_point(luck: Random) -> Choose:
    """Return a chooser of the game described above."""

    def choose(rules: AnyRules, state: Any, seats: int, window: Window) -> Move:
        seat = window.owing[0]
        listed: dict[str, list[Action | Form]] = {}
        for entry in rules.legal(state, seat):
            listed.setdefault(do_of(entry), []).append(entry)
        table: Any = rules.table(state)
        museum = table.players[str(seat)].museum
        if window.kind == "trade" and (seat + 1) % seats == table.active:
            return Move(seat, words.Decline())
        if window.kind != "action":
            first = next(iter(listed.values()))[0]
            return Move(seat, decode(rules, first, luck.choice))
        if {"hold", "claim"} <= listed.keys() and [*museum.values()] == [*range(len(museum))]:
            places = luck.sample(PLACES, len(museum))
            arranged = words.Arrange(dict(zip(museum, places, strict=True)))
            return Move(seat, arranged, anytime=True)
        kind = _step(window, listed, table.players[str(seat)].paintings)
        best = max(listed[kind], key=lambda entry: _fitting(entry, museum))
        return Move(seat, decode(rules, best, luck.choice))

    return choose


def _step(window: Window, listed: dict[str, list[Action | Form]], hand: int) -> str:
    """Return what to do next in the action; favours are played in the turn of an exhibition."""
    facts: Any = window.facts
    if facts.chosen == "exhibition":
        return next(do for do in AFTERWARDS if do in listed)
    if {"hold", "claim"} <= listed.keys():
        return "hold"
    if "exhibit" in listed and hand > SPARE:
        return "exhibit"
    return "inventory" if "inventory" in listed else "done"


def _fitting(entry: Action | Form, museum: dict[str, int]) -> int:
    """Count what hangs of the categories of the painting that would be hung."""
    painting = entry.fixed.get("painting") if isinstance(entry, Form) else None
    if painting is None:
        return 0
    return sum(painting in alike and len(alike & museum.keys()) for alike in SHOWING.values())
