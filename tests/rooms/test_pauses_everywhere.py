"""A pause leaves no residue: a game that pauses before every move goes as one that never does."""

from random import Random
from typing import Any

import pytest

from saleroom_rules.games import GAMES
from saleroom_server.rooms.limits import RoomLimits
from tests.support.founding import picked
from tests.support.rooms import HandRoom
from tests.support.toy.room import BID

AT_ONCE = RoomLimits(pause_after_ms=0, presence_ms=0)
PAUSE_MS = 7 * 60_000
MOVES = 25
PLAYED = [*(("toy", seed) for seed in range(3)), *((game, 4) for game in GAMES)]
Move = tuple[int, dict[str, Any]]


@pytest.mark.parametrize(("game", "seed"), PLAYED)
def test_a_game_that_pauses_at_every_point_goes_as_one_that_never_does(
    game: str, seed: int
) -> None:
    steady, pausing, luck, slept = begun(game), begun(game), Random(seed), 0
    for _ in range(MOVES):
        waiting = luck.choice([0, 1, 900, 4_000])
        for hand in (steady, pausing):
            hand.waits(waiting)
        assert steady.status == pausing.status
        if steady.standing.is_over:
            break
        slept += pauses(pausing)
        assert_alike(steady, pausing, slept)
        move = move_of(steady, luck)
        for hand in (steady, pausing):
            goes_on(hand, move)
        assert_alike(steady, pausing, slept)
    assert pausing.entries.count("paused") == pausing.entries.count("resumed") > 5


def test_what_counts_from_the_last_answer_does_not_count_the_pause() -> None:
    steady, pausing, slept = begun("toy"), begun("toy"), 0
    for hand in (steady, pausing):
        while hand.window["number"] < 5:
            hand.expires()
        hand.waits(2_000)  # in the second round, when all have drifted away
        hand.acts(hand.playing(0), BID)
        hand.waits(1_000)
    slept += pauses(pausing)
    assert steady.window["closes_at"] == steady.now + 4_000, "the others are not waited for"
    assert_alike(steady, pausing, slept)


def test_a_house_bot_takes_as_long_as_without_the_pause() -> None:
    steady, pausing = (HandRoom("toy", limits=AT_ONCE) for _ in range(2))
    for hand in (steady, pausing):
        hand.begins(0, 1)
        hand.waits(300)
        hand.acts(hand.playing(0), BID)
        hand.waits(300)
    assert_alike(steady, pausing, pauses(pausing))


def begun(game: str) -> HandRoom:
    hand = HandRoom(game, limits=AT_ONCE)
    hand.begins(0, 1, 2)
    hand.waits(0)
    return hand


def pauses(hand: HandRoom) -> int:
    """Let everybody go, a while pass, and everybody come back; return how long that was."""
    playing = [one for one in hand.live if one.viewer is not None]
    for player in playing:
        hand.is_gone(player)
    hand.waits(0)
    assert hand.status == "paused"
    hand.waits(PAUSE_MS)
    for player in playing:
        hand.rejoins(player)
    hand.waits(0)
    assert hand.status == "running"
    return PAUSE_MS


def move_of(hand: HandRoom, luck: Random) -> Move | None:
    """Choose what some seat that is asked does; None: time runs out, so that seats drift away."""
    seat = luck.choice(hand.asked)
    entry = luck.choice(hand.playing(seat).document["legal"])
    return None if luck.random() < 0.3 else (seat, picked(entry, luck.choice))


def goes_on(hand: HandRoom, move: Move | None) -> None:
    if move is None:
        hand.expires()
    else:
        seat, action = move
        hand.acts(hand.playing(seat), action)


def assert_alike(steady: HandRoom, pausing: HandRoom, slept: int) -> None:
    """All is the same for everybody, but later by the time slept."""
    assert steady.status == pausing.status
    for viewer in (None, 0, 1, 2):
        here, there = shown(steady, viewer), shown(pausing, viewer)
        window = here.get("window", {})
        for time in window.keys() & {"opened_at", "closes_at"}:
            window[time] += slept
        assert here == there
    due, later = steady.room.due(), pausing.room.due()
    assert (due is None) == (later is None)
    assert due is None or later == due + slept


def shown(hand: HandRoom, viewer: Any = None) -> Any:
    document = hand.document(viewer)
    if "window" in document:
        document["window"] = dict(document["window"])
    document.pop("result", None)  # its digest is of the record, which tells of the pauses
    return document
