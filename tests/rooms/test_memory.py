"""A room that goes on for long is no larger than one that has just begun to."""

import gc
from typing import Any

from saleroom_server.rooms.commands import Act
from saleroom_server.rooms.room import Room
from tests.support.rooms import HandRoom
from tests.support.toy.room import toy


def reachable(room: Room) -> int:
    """Count what a room holds on to, of our own and of plain containers."""
    seen: set[int] = set()
    waiting: list[Any] = [room]
    while waiting:
        one = waiting.pop()
        if id(one) in seen or isinstance(one, type) or callable(one):
            continue
        seen.add(id(one))
        waiting += gc.get_referents(one)
    return len(seen)


def goes_on(hand: HandRoom, times: int) -> None:
    """Act, talk, come and go, with nobody's memory but the room's own."""
    player = hand.playing(0)
    for number in range(times):
        shelf = {"a": 1 + number % 2, "b": 3}
        act: Act = hand.act(player, {"do": "arrange", "shelf": shelf}, None)
        hand.does(act)
        hand.says(player, "table", f"word {number % 7}")
        hand.is_gone(hand.joins(3, "spectator"))


def test_nothing_is_kept_of_what_a_room_was_but_what_is_bounded() -> None:
    hand, _ = toy(pace="untimed")
    goes_on(hand, 70)  # all that is bounded is full by then: ids, updates, words
    before = reachable(hand.room)
    goes_on(hand, 140)
    assert reachable(hand.room) <= before + 10
