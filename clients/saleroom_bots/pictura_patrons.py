"""Museum Pictura: what patrons are worth to a player, and what brings him nearer. In points."""

from collections import Counter
from collections.abc import Iterable

from saleroom_bots.pictura_outlook import Outlook

# How much less a patron is worth for each painting that is missing.
MISSING = 0.45
# Others may be quicker, and only one is claimed in a turn.
CLAIMED = 0.6
# What a painting as a reward is about worth.
PAINTING = 2.0


def nearer(outlook: Outlook, painting: str) -> float:
    """Say how much nearer the open patrons come when a painting is hung."""
    opened, more = outlook.table["patrons"], outlook.counts + outlook.count([painting])
    return CLAIMED * (_hoped(outlook, opened, more) - _hoped(outlook, opened, outlook.counts))


def replaced(outlook: Outlook) -> float:
    """Say how much better the patrons nobody has seen are for me than those that lie open."""
    opened = outlook.table["patrons"]
    claimed = [patron for player in outlook.players.values() for patron in player["patrons"]]
    unseen = sorted(outlook.catalogue["patrons"].keys() - {*opened, *claimed})
    hoped = _hoped(outlook, unseen, outlook.counts) / max(1, len(unseen))
    return hoped * len(opened) - _hoped(outlook, opened, outlook.counts)


def _hoped(outlook: Outlook, patrons: Iterable[str], counts: Counter[str]) -> float:
    return sum(_worth(outlook, patron, counts) for patron in patrons)


def _worth(outlook: Outlook, patron: str, counts: Counter[str]) -> float:
    wants = outlook.catalogue["patrons"][patron]
    missing = max(0, wants["of_period"] - counts[wants["period"]])
    missing += max(0, wants["of_theme"] - counts[wants["theme"]])
    if missing and not outlook.turns_left:
        return 0.0
    return float(wants.get("points", PAINTING) * MISSING**missing)
