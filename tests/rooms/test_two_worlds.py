"""Two worlds that differ in what does not concern a viewer send him the same bytes.

Beside `test_room_secrecy`, which deals the hidden cards anew: here it is what others say and try,
how long they take to try it, and what is played for those who do not answer themselves.
"""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from saleroom_protocol.codec import JSON, MSGPACK
from saleroom_rules.games import GAMES
from saleroom_server.rooms.commands import AddBot
from saleroom_server.rooms.views import Viewer
from tests.support.followers import Follower
from tests.support.founding import ANYBODY, PEOPLE
from tests.support.rooms import HandRoom
from tests.support.toy.room import BID, toy
from tests.support.worlds import HIDDEN, OTHER_WORLD

VIEWERS: list[Viewer] = [None, 1]  # who must not notice: seats 0 and 2 are the others


def sockets_of(hand: HandRoom, viewer: Viewer) -> list[Follower]:
    """Let a viewer follow from now on, by both subprotocols if that can be."""
    if viewer is not None:
        return [hand.joins(viewer)]
    return [hand.joins(ANYBODY, "spectator", codec=codec) for codec in (MSGPACK, JSON)]


def frames_of(followers: list[Follower]) -> list[list[bytes]]:
    return [follower.frames for follower in followers]


# What others say and try


def nothing(hand: HandRoom, one: Follower, other: Follower) -> None:
    """Do nothing at all."""


def whispers(hand: HandRoom, one: Follower, other: Follower) -> None:
    for number in range(7):
        hand.says(one, 2, "a word " * number + "or two", f"{hand.now}-{number}")
        hand.says(other, 0, "Yes?", f"{hand.now}-{number}")


def tries_in_vain(hand: HandRoom, one: Follower, other: Follower) -> None:
    for action in ({"do": "bid", "cards": ["n99"]}, {"do": "insist"}, {"do": "dance"}):
        for player in (one, other):
            hand.refuses(hand.act(player, action, 0, "in vain"))


def repeats_itself(hand: HandRoom, one: Follower, other: Follower) -> None:
    for player in (one, other):
        for receipt in player.told("accepted"):
            if "seq" in receipt:  # of an act
                hand.does(hand.act(player, BID, 1, receipt["id"]))


MEANWHILE = [nothing, whispers, tries_in_vain, repeats_itself]


@pytest.mark.parametrize("viewer", VIEWERS)
def test_what_others_whisper_or_try_in_vain_changes_no_byte(viewer: Viewer) -> None:
    heard = [frames_of(lives_through(meanwhile, viewer)) for meanwhile in MEANWHILE]
    assert sum(map(len, heard[0])) > 10
    assert all(other == heard[0] for other in heard)


def lives_through(meanwhile: Callable[..., None], viewer: Viewer) -> list[Follower]:
    """Let something happen between others all along; come late and come back, too."""
    hand, players = toy()
    watching = players[1:2] if viewer == 1 else sockets_of(hand, viewer)
    one, other = players[0], players[2]
    meanwhile(hand, one, other)
    hand.acts(one, BID, 0, "one's")
    hand.waits(1_000)
    meanwhile(hand, one, other)
    hand.acts(other, BID, 0, "other's")
    hand.says(one, "table", "Your turn.")
    for follower in watching:
        hand.is_gone(follower)
    hand.waits(1_500)
    meanwhile(hand, one, other)
    for follower in watching:
        hand.resumes(follower)
    hand.waits(20_000)
    late = sockets_of(hand, viewer)
    hand.says(other, "table", "Too late.")
    return [*watching, *late]


# What is played for those who do not answer


def public(game: str, level: str, document: dict[str, Any]) -> dict[str, Any]:
    """Answer as everybody could foretell; where that cannot be, the default is taken."""
    return {"bid": BID, "haggle": {"do": "insist"}}.get(document["window"]["kind"], {})


@pytest.mark.parametrize("viewer", VIEWERS)
def test_a_house_bot_gives_nothing_away_by_when_it_answers(viewer: Viewer) -> None:
    hand = HandRoom("toy", think=public)
    hand.seats(0, 1)
    hand.does(AddBot(PEOPLE[0], "steady"))
    hand.waits(2_000)
    luck, heard = Random(3), []
    for state in (hand.state, *(other_deal(hand, viewer, luck) for _ in range(3))):
        twin = HandRoom(standing=replace(hand.standing, state=state), now=hand.now, think=public)
        players = [twin.joins(seat) for seat in range(2)]
        watching = players[1:] if viewer == 1 else sockets_of(twin, viewer)
        for player in players:
            twin.waits(300)
            twin.acts(player, BID, 0, "an answer")
        twin.waits(60_000)  # the bot bids, insists, and places by default; time runs out for others
        assert twin.entries.count("acted") > 3
        heard.append(frames_of(watching))
    assert all(other == heard[0] for other in heard)


def other_deal(hand: HandRoom, viewer: Viewer, luck: Random) -> Any:
    """Deal what a viewer cannot see anew; what will be drawn openly stays."""
    return OTHER_WORLD[hand.rules.key](hand.state, viewer, (), luck)


@pytest.mark.parametrize("game", ["toy", *GAMES])
def test_what_is_played_when_time_runs_out_names_no_hidden_card(game: str) -> None:
    hand, luck, ran_out = HandRoom(game), Random(11), set()
    hand.begins(0, 1, 2)
    watching = [hand.playing(seat) for seat in range(3)] + sockets_of(hand, None)
    for _ in range(80):
        before, kind = hand.state, hand.window["kind"]
        for follower in watching:
            follower.forgets()
        if luck.random() < 0.6:
            hand.moves(luck)
            continue
        hand.expires()
        ran_out.add(kind)
        if hand.status != "running":
            break  # at the end everything is laid open
        for follower in watching:
            hidden = HIDDEN[game](before, follower.viewer) & HIDDEN[game](
                hand.state, follower.viewer
            )
            told = b"".join(map(JSON.encode, follower.messages))
            assert b'"expired"' in told
            assert not [card for card in hidden if f'"{card}"'.encode() in told]
    assert len(ran_out) > 1
