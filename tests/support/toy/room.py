"""Rooms in which the toy is played, and its actions as a client sends them."""

from typing import Any

from tests.support.followers import Follower
from tests.support.rooms import HandRoom

BID: dict[str, Any] = {"do": "bid", "cards": []}
INSIST: dict[str, Any] = {"do": "insist"}
PLACE: dict[str, Any] = {"do": "place", "spaces": {"a": 1, "b": 2}}
ARRANGE: dict[str, Any] = {"do": "arrange", "shelf": {"a": 3, "b": 1}}
RESIGN: dict[str, Any] = {"do": "resign"}
COME_BACK: dict[str, Any] = {"do": "come_back"}


def toy(**fields: Any) -> tuple[HandRoom, list[Follower]]:
    """Return a toy game that has begun, and its three players' sockets."""
    hand = HandRoom("toy", **fields)
    hand.begins(0, 1, 2)
    return hand, [hand.playing(seat) for seat in range(3)]


def haggling(**fields: Any) -> tuple[HandRoom, list[Follower]]:
    """Return a toy game in its second window, where everybody may speak."""
    hand, players = toy(**fields)
    for player in players:
        hand.acts(player, BID)
    return hand, players


def placing(**fields: Any) -> tuple[HandRoom, list[Follower]]:
    """Return a toy game in which seat 0 places, on a clock it shares with seat 1."""
    hand, players = haggling(**fields)
    hand.acts(players[0], INSIST)
    return hand, players


def rearranges(hand: HandRoom, player: Follower, times: int) -> None:
    """Cause so many updates, each an entry."""
    for time in range(times):
        hand.acts(player, {"do": "arrange", "shelf": {"a": 1 + time % 2, "b": 3}}, None)
