"""Simple players of every game, for `steady` to be measured against."""

from collections.abc import Callable, Iterable, Mapping
from itertools import product
from typing import Any

from saleroom_bots.easy import easy
from saleroom_bots.strategy import Plain, Strategy, answers_of
from saleroom_protocol.games.forms import Pick


def eager(document: Plain, catalogue: Plain, pick: Pick) -> dict[str, Any]:
    """Play Kunstmarkt like `easy`, but never pass where something can be offered."""
    offers = [entry for entry in document["legal"] if entry["do"] == "offer"]
    return easy({"legal": offers or document["legal"]}, catalogue, pick)


def novice(document: Plain, catalogue: Plain, pick: Pick) -> dict[str, Any]:
    """Sell whatever can be sold, buy only for a customer in hand, else draw; count no cards."""
    you, legal = document["you"], document["legal"]
    pictures, customers = catalogue["pictures"], catalogue["customers"]

    def meet(shown: Iterable[str], waiting: Iterable[str]) -> bool:
        pairs = product(shown, waiting)
        return any(_matches(pictures[one], customers[other]) for one, other in pairs)

    wishes: dict[str, Callable[[Plain], bool]] = {
        "offer": lambda entry: True,
        "play_customer": lambda entry: meet(you["pictures"], [entry["customer"]]),
        "buy": lambda entry: meet([entry["picture"]], you["customers"]),
        "draw_customer": lambda entry: True,
    }
    for do, wanted in wishes.items():
        if liked := [entry for entry in legal if entry["do"] == do and wanted(entry)]:
            return easy({"legal": liked}, catalogue, pick)
    return easy(document, catalogue, pick)


def _matches(picture: Plain, customer: Plain) -> bool:
    if "nationalities" in customer and picture["nationality"] not in customer["nationalities"]:
        return False
    return "category" not in customer or customer["category"] in picture["categories"]


def collector(document: Plain, catalogue: Plain, pick: Pick) -> dict[str, Any]:
    """Buy the dearest works as cheaply as can be, push those artists and lower all others.

    He looks at no gallery but his own, never fights, and moves his agents at random.
    """
    table, you, cards = document["table"], document["you"], catalogue["cards"]
    shown = table["players"][str(you["seat"])]["shown"].values()
    owned = [*shown, *(cards[card].get("artist") for card in you["cards"])]

    def worth(card: Plain) -> int:
        artist = table["artists"].get(card.get("artist"), {"worth": 0})
        return int(artist.get("worth", -catalogue["out_cost"]))

    wishes: dict[str, Callable[[Plain], float]] = {
        "place": lambda answer: answer["value"] * (owned.count(answer["artist"]) or -1),
        "allow": lambda answer: 0,
        "forgo": lambda answer: 0,
        "reveal": lambda answer: answer["works"],
        "commit": lambda answer: answer["might"],
        "buy_pile": lambda answer: -answer["pile"],
        "keep": lambda answer: worth(cards[answer["card"]]),
        "critic": lambda answer: -owned.count(answer["artist"]),
    }
    return _wished(document, wishes) or easy(document, catalogue, pick)


def curator(document: Plain, catalogue: Plain, pick: Pick) -> dict[str, Any]:
    """Hang what shares most with what hangs, trade for points, hold whatever can be held.

    He keeps nothing for later, looks at no rival, and plays every favour as soon as he can.
    """
    table, paintings = document["table"], catalogue["paintings"]
    hung = table["players"][str(document["you"]["seat"])]["museum"]
    shown = [paintings[painting][what] for painting in hung for what in ("period", "theme")]

    def fits(painting: str) -> int:
        shows = paintings[painting]
        return shown.count(shows["period"]) + shown.count(shows["theme"])

    def points(answer: Plain) -> int:
        museums = table["museums"].values()
        home = next(at for at in museums if answer["take"] in (*at["matching"], *at["other"]))
        likes, scale = catalogue["trends"][home["trend"]], catalogue["trend"]
        given, taken = (
            sum(scale[what] for what in scale if paintings[card][what] == likes[what])
            for card in (answer["give"], answer["take"])
        )
        return int(given - taken)

    wishes: dict[str, Callable[[Plain], float]] = {
        "claim": lambda answer: 0,
        "favour_points": lambda answer: 0,
        "favour_exhibit": lambda answer: fits(answer["painting"]),
        "trade": points,
        "hold": lambda answer: shown.count(answer["category"]),
        "exhibit": lambda answer: fits(answer["painting"]) - fits(answer["archive"]),
    }
    return _wished(document, wishes) or easy(document, catalogue, pick)


def _wished(document: Plain, wishes: Mapping[str, Callable[[Plain], float]]) -> dict[str, Any]:
    """Return the best answer of the first kind there is; an empty one if there is none."""
    for do, value in wishes.items():
        meant = [entry for entry in document["legal"] if entry["do"] == do]
        answers = [answer for entry in meant for answer in answers_of(entry)]
        if answers:
            return max(answers, key=value)
    return {}


OPPONENTS: Mapping[str, Mapping[str, Strategy]] = {
    "kunstmarkt": {"easy": easy, "eager": eager, "novice": novice},
    "vernissage": {"easy": easy, "collector": collector},
    "pictura": {"easy": easy, "curator": curator},
}
