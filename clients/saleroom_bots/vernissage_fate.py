"""Vernissage: what fate counters, the feather and a Vernissage bring a player, in Rubens."""

from collections.abc import Iterable, Mapping, Sequence

from saleroom_bots.strategy import Plain
from saleroom_bots.vernissage_outlook import Outlook

# How likely a jump is to come yet when one kind of counter is missing, or two.
NEARLY: Mapping[int, float] = {1: 0.35, 2: 0.1}

# How many counters are likely to be laid in front of an artist while the feather is there.
FEATHERED = 1.5


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
    space = outlook.fame[artist] + value - _loss(outlook, artist)
    paid, space = _paid(outlook, space)
    front = outlook.table["artists"][artist]["step"] + len(kinds)
    top = outlook.catalogue["steps"]
    promise = -_promise(outlook, artist, lying)
    if space < 0:
        ends = front == top or _outs(outlook) > 0
    elif len(set(kinds)) == len(outlook.catalogue["counters"]):
        bonus, space = _paid(outlook, space + _bonus(outlook, artist, len(kinds)))
        paid += bonus
        ends = front + 1 >= top
    else:
        promise += _promise(outlook, artist, kinds)
        ends = front == top
    if ends:
        return _ended(outlook, artist, space, paid)
    rise = paid + outlook.worth(space) - outlook.worth(outlook.fame[artist])
    return outlook.stakes[artist] * (rise + promise)


def criticised(outlook: Outlook, artist: str) -> float:
    """Say what it brings me to give an artist the feather."""
    former = outlook.table.get("feather")
    space = outlook.fame[artist] - outlook.catalogue["feather"]
    if space < 0 and _outs(outlook):
        return _ended(outlook, artist, space, 0)
    fall = outlook.worth(space) - outlook.worth(outlook.fame[artist])
    gain = outlook.stakes[artist] * fall
    if former == artist:
        return gain
    if space >= 0:
        gain -= outlook.stakes[artist] * _burden(outlook, artist)
    if former is not None:
        gain += outlook.stakes[former] * _burden(outlook, former)
    return gain


def _ended(outlook: Outlook, artist: str, space: int, paid: int) -> float:
    fame = {**outlook.fame, artist: space}
    earned = {seat: paid * outlook.works_of(seat)[artist] for seat in outlook.players}
    return outlook.ending(fame, earned)


def _paid(outlook: Outlook, space: int) -> tuple[int, int]:
    """Return what a work is paid there, and where the marker comes to lie."""
    if space <= outlook.highest:
        return 0, space
    return outlook.worth(space) - outlook.worth(outlook.highest), outlook.highest


def _counters(outlook: Outlook, artist: str) -> Iterable[Plain]:
    counters: Iterable[Plain] = outlook.table["artists"][artist]["counters"]
    return counters


def _outs(outlook: Outlook) -> int:
    return sum(outlook.out(artist) for artist in outlook.fame)


def _loss(outlook: Outlook, artist: str) -> int:
    """Return how many spaces the feather takes from every counter of an artist."""
    return int(outlook.catalogue["feather"]) if _feathered(outlook, artist) else 0


def _feathered(outlook: Outlook, artist: str) -> bool:
    return bool(outlook.table.get("feather") == artist)


def _burden(outlook: Outlook, artist: str) -> float:
    """Say how much a work is going to lose by the feather's being there."""
    lying = [counter["kind"] for counter in _counters(outlook, artist)]
    losses = FEATHERED * outlook.catalogue["feather"] * min(1.0, outlook.rounds_left / 3)
    return losses * outlook.rubens + _promise(outlook, artist, lying, feathered=False)


def _promise(
    outlook: Outlook, artist: str, kinds: Sequence[str], *, feathered: bool | None = None
) -> float:
    """Say what a work is likely to gain by a jump for which some kinds are lying there."""
    missing = len(outlook.catalogue["counters"]) - len(set(kinds))
    if missing not in NEARLY or (_feathered(outlook, artist) if feathered is None else feathered):
        return 0.0
    spaces = _bonus(outlook, artist, len(kinds) + missing, feathered=False)
    return NEARLY[missing] * spaces * outlook.rubens


def _bonus(outlook: Outlook, artist: str, counters: int, *, feathered: bool | None = None) -> int:
    """Return how many spaces a jump over so many counters brings."""
    if _feathered(outlook, artist) if feathered is None else feathered:
        return 0
    step = min(outlook.table["artists"][artist]["step"] + counters + 1, outlook.catalogue["steps"])
    others = (other for name, other in outlook.table["artists"].items() if name != artist)
    higher = sum(other.get("step", 0) > step for other in others)
    return int((outlook.catalogue["great"], outlook.catalogue["small"], 0)[min(higher, 2)])
