"""Kunstmarkt, `steady`: reckons in money what each answer is likely to bring, and gives the best.

The reckoning itself is in `kunstmarkt_outlook`; here is what makes an answer good.
"""

from collections.abc import Callable
from math import inf
from typing import Any

from saleroom_bots.kunstmarkt_outlook import Outlook
from saleroom_bots.strategy import Plain, answers_of
from saleroom_protocol.games.forms import Pick

# A customer I cannot serve pays a rival, but only one of several, and does so sooner or later
# anyway: enough to part with the poorest of such customers first, and to rather do something else.
RIVALS_GAIN = 0.1

# What it is worth not to show a picture: rivals remember it, so a vain offer is worse than none.
DISCRETION = 1.0


def steady(document: Plain, catalogue: Plain, pick: Pick) -> dict[str, Any]:
    """Give the answer that is likely to bring most; `pick` only chooses among equals."""
    outlook = Outlook(document, catalogue)
    answers = [answer for entry in document["legal"] for answer in answers_of(entry)]
    values = [VALUES[answer["do"]](outlook, answer) for answer in answers]
    best = max(values)
    equals = [answer for answer, value in zip(answers, values, strict=True) if value == best]
    chosen: dict[str, Any] = pick(equals)
    return chosen


def _draw(outlook: Outlook, _: Plain) -> float:
    """Drawing brings one of the customers I have not met, and any of them is as likely."""
    if outlook.table["deck"] == 1:
        return _ending(outlook, 0)
    unmet = outlook.unmet
    return sum(outlook.profit(customer) for customer in unmet) / max(1, len(unmet))


def _buy(outlook: Outlook, action: Plain) -> float:
    """A purchase brings what the hand is worth more with it, and costs its price.

    So a picture for which I hold the customer is worth much, a second one for him little, and what
    is discarded is the picture the hand misses least.
    """
    bought, hand = action["picture"], outlook.hand
    price = next(int(key) for key, shown in outlook.table["market"].items() if shown == bought)
    if outlook.table["stock"] == 1:
        return _ending(outlook, price)
    kept = [picture for picture in hand if picture != action.get("discard")]
    return outlook.worth([*kept, bought]) - outlook.worth(hand) - price


def _play(outlook: Outlook, action: Plain) -> float:
    """A customer brings what I expect to sell for more than the picture is worth to me anyway."""
    customer = action["customer"]
    lost = 1 - max((outlook.wins(picture, customer) for picture in outlook.hand), default=0.0)
    return outlook.profit(customer) - lost * RIVALS_GAIN * outlook.pays(customer)


def _offer(outlook: Outlook, action: Plain) -> float:
    """An offer brings the payment and costs the picture, but only if nobody after me beats it.

    Where several would win, that is most for the one I can best do without; where rivals are still
    to come, a stronger one may be worth its loss; and where I am asked last, chance is out of it.
    """
    picture, customer = action["picture"], outlook.sale["customer"]
    chance = outlook.wins(picture, customer, _still_to_come(outlook))
    if _decides(outlook):
        return chance * outlook.pays(customer)
    return chance * (outlook.pays(customer) - outlook.keeping(picture, customer))


def _pass(_: Outlook, __: Plain) -> float:
    return DISCRETION


VALUES: dict[str, Callable[[Outlook, Plain], float]] = {
    "draw_customer": _draw,
    "buy": _buy,
    "play_customer": _play,
    "offer": _offer,
    "pass": _pass,
}


def _still_to_come(outlook: Outlook) -> tuple[int, ...]:
    """List who is asked after me: the active player is the last one."""
    seats = len(outlook.players)
    distance = (outlook.table["active"] - outlook.seat) % seats
    return tuple((outlook.seat + step) % seats for step in range(1, distance + 1))


def _decides(outlook: Outlook) -> bool:
    """Tell whether this sale reaches the target, for me or for whose offer leads.

    Then the game is over and no picture is worth keeping.
    """
    richest: float = outlook.cash
    if "best" in outlook.sale:
        richest = max(richest, outlook.cash_of(outlook.sale["best"]))
    needed: int = outlook.catalogue["target"] - outlook.pays(outlook.sale["customer"])
    return richest >= needed


def _ending(outlook: Outlook, spent: int) -> float:
    """The last card of a pile ends the game: the best there is if I lead, else the last resort."""
    leads = all(outlook.cash - spent > outlook.cash_of(seat) for seat in outlook.rivals)
    return inf if leads else -inf
