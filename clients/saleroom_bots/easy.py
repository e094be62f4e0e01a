"""`easy`: leaves everything to chance. It reads nothing but `legal`, so it plays any game."""

from typing import Any

from saleroom_bots.strategy import Plain
from saleroom_protocol.games.forms import Form, Pick, fill


def easy(document: Plain, catalogue: Plain, pick: Pick) -> dict[str, Any]:
    """Pick what to do, then an entry of that kind, then its filling.

    Picking among all entries at once, it would hardly do anything but buy: a market has five
    pictures, and each may be bought.
    """
    kinds: dict[str, list[Plain]] = {}
    for entry in document["legal"]:
        kinds.setdefault(entry["do"], []).append(entry)
    entry = pick(kinds[pick(list(kinds))])
    return fill(Form.read(entry), pick) if "choose" in entry else dict(entry)
