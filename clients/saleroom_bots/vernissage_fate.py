"""Vernissage: what fate counters, the feather and a Vernissage bring a player, in Rubens."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from saleroom_bots.strategy import Plain
from saleroom_bots.vernissage_outlook import Outlook

# How likely a jump is to come yet when one kind of counter is missing, or two.
NEARLY: Mapping[int, float] = {1: 0.35, 2: 0.1}

# How many counters are likely to be laid in front of an artist while the feather is there.
FEATHERED = 1.5
# For how many rounds it has to stay for that.
FULL = 3


class Landing(NamedTuple):
    """Where the marker comes to lie after a counter, and what else the counter leads to."""

    space: int
    paid: int  # for each work, on the way
    kinds: Sequence[str]  # of the counters that lie in front of the artist then
    ends: bool  # the game


def laid(outlook: Outlook, artist: str, kind: str, value: int) -> float:
    """Say what it brings me to lay a counter in front of an artist."""
    lying = [counter["kind"] for counter in _counters(outlook, artist)]
    return effect(outlook, artist, lying, kind, value)


def contested(outlook: Outlook, value: int | None = None) -> float:
    """Say what the counter in dispute would bring me, or another value in its place."""
    dispute = outlook.table["dispute"]
    *lying, kind = [counter["kind"] for counter in _counters(outlook, dispute["artist"])]
    value = dispute["value"] if value is None else value
    return effect(outlook, dispute["artist"], lying, kind, value)


def effect(outlook: Outlook, artist: str, lying: Sequence[str], kind: str, value: int) -> float:
    """Say what a counter brings me that takes effect, beside those that were lying there."""
    kinds = [*lying, kind]
    landing = _landing(outlook, artist, kinds, value)
    if landing.ends:
        return _ended(outlook, artist, landing)
    rise: float = landing.paid + outlook.worth(landing.space) - outlook.worth(outlook.fame[artist])
    rise += _promise(outlook, artist, landing.kinds) - _promise(outlook, artist, lying)
    return outlook.stakes[artist] * rise


def criticised(outlook: Outlook, artist: str) -> float:
    """Say what it brings me to give an artist the feather."""
    former = outlook.table.get("feather")
    space = outlook.fame[artist] - outlook.catalogue["feather"]
    if space < 0 and _one_is_out(outlook):
        return _ended(outlook, artist, Landing(space, 0, (), ends=True))
    fall = outlook.worth(space) - outlook.worth(outlook.fame[artist])
    gain = outlook.stakes[artist] * fall
    if former == artist:
        return gain
    if space >= 0:
        gain -= outlook.stakes[artist] * _burden(outlook, artist)
    if former is not None:
        gain += outlook.stakes[former] * _burden(outlook, former)
    return gain


def _landing(outlook: Outlook, artist: str, kinds: Sequence[str], value: int) -> Landing:
    """Follow a counter to the end of its effect (V-EFF-1); the last of the kinds is its own."""
    front = outlook.table["artists"][artist]["step"] + len(kinds)
    top = outlook.catalogue["steps"]
    loss = outlook.catalogue["feather"] if _feathered(outlook, artist) else 0
    paid, space = _paid(outlook, outlook.fame[artist] + value - loss)
    if space < 0:
        return Landing(space, paid, (), front == top or _one_is_out(outlook))
    if len(set(kinds)) < len(outlook.catalogue["counters"]):
        return Landing(space, paid, kinds, front == top)
    bonus = 0 if _feathered(outlook, artist) else _bonus(outlook, artist, front + 1)
    more, space = _paid(outlook, space + bonus)
    return Landing(space, paid + more, (), front + 1 >= top)


def _ended(outlook: Outlook, artist: str, landing: Landing) -> float:
    fame = {**outlook.fame, artist: landing.space}
    paid = {seat: landing.paid * outlook.works_of(seat)[artist] for seat in outlook.players}
    return outlook.ending(fame, paid)


def _paid(outlook: Outlook, space: int) -> tuple[int, int]:
    """Return what a work is paid there, and where the marker comes to lie."""
    if space <= outlook.highest:
        return 0, space
    return outlook.worth(space) - outlook.worth(outlook.highest), outlook.highest


def _counters(outlook: Outlook, artist: str) -> Iterable[Plain]:
    counters: Iterable[Plain] = outlook.table["artists"][artist]["counters"]
    return counters


def _one_is_out(outlook: Outlook) -> bool:
    return any(outlook.out(artist) for artist in outlook.fame)


def _feathered(outlook: Outlook, artist: str) -> bool:
    return bool(outlook.table.get("feather") == artist)


def _burden(outlook: Outlook, artist: str) -> float:
    """Say how much a work is going to lose by the feather's being there."""
    lying = [counter["kind"] for counter in _counters(outlook, artist)]
    losses = FEATHERED * outlook.catalogue["feather"] * min(1.0, outlook.rounds_left / FULL)
    return float(losses * outlook.rubens) + _hope(outlook, artist, lying)


def _promise(outlook: Outlook, artist: str, kinds: Sequence[str]) -> float:
    """Say what a work is likely to gain by a jump for which some kinds are lying there."""
    return 0.0 if _feathered(outlook, artist) else _hope(outlook, artist, kinds)


def _hope(outlook: Outlook, artist: str, kinds: Sequence[str]) -> float:
    """Say the same of an artist who has not got the feather, or has not got it any more."""
    missing = len(outlook.catalogue["counters"]) - len(set(kinds))
    if missing not in NEARLY:
        return 0.0
    step = outlook.table["artists"][artist]["step"] + len(kinds) + missing + 1
    return float(NEARLY[missing] * _bonus(outlook, artist, step) * outlook.rubens)


def _bonus(outlook: Outlook, artist: str, step: int) -> int:
    """Return how many spaces up a jump to a step brings, if the feather is elsewhere (V-VER-2)."""
    others = (other for name, other in outlook.table["artists"].items() if name != artist)
    higher = sum(other.get("step", 0) > step for other in others)
    return int((outlook.catalogue["great"], outlook.catalogue["small"], 0)[min(higher, 2)])
