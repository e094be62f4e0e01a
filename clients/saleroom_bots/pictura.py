"""`steady` at Museum Pictura: reckons in points what each answer is likely to bring.

What is hung counts for what its groups are likely to come to, so the bot hangs what belongs
together, keeps what will, and puts away what neither it nor a rival has much use for.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import inf
from typing import Any, TypeAlias

import msgspec

from saleroom_bots import pictura_patrons as patrons
from saleroom_bots.pictura_outlook import Outlook
from saleroom_bots.pictura_worths import Worths
from saleroom_bots.strategy import Plain, answers_of
from saleroom_protocol.games.forms import Pick
from saleroom_protocol.games.pictura import Catalogue
from saleroom_solver.pictura import arranged

Answer: TypeAlias = dict[str, Any]
Value: TypeAlias = Callable[[Worths, Answer], float]

# How far to look for the last arrangement: some milliseconds.
NODES = 1_500
# A favour that brings less than this share of what one is worth is kept for a better moment.
SAVED = 0.7
# Who may choose keeps the better paintings.
CHOSEN = 1.3
# Favours, from what is rather put away to what is rather kept.
RANKED = ("acquire", "recover", "trade", "take", "choose", "exhibit", "trend", "points")
# Two favours drawn are worth less than twice one.
SECOND = 0.8
# What it is worth in each turn that is left to hold two paintings more.
LARGER_HAND = 0.2
# What the archive grows by in a turn, and how likely it is not empty in the end.
ARCHIVED, IN_THE_END = 1.0, 0.6
# What a bonus space brings is lost to the next exhibition.
NEXT_SPACE = 0.7


def steady(document: Plain, catalogue: Plain, pick: Pick) -> dict[str, Any]:
    """Give the answer that is likely to bring most; `pick` only chooses among equals."""
    worths = Worths(Outlook(document, catalogue))
    answers = [answer for entry in document["legal"] for answer in _answers(worths, entry)]
    equals = _best([(_value(worths, answer), answer) for answer in answers])
    chosen: dict[str, Any] = pick(sorted(equals, key=lambda answer: str(sorted(answer.items()))))
    return chosen


def _answers(worths: Worths, entry: Plain) -> Iterator[Answer]:
    """Yield all that an entry stands for; of what has very many fillings only the best."""
    if entry["do"] == "discard":
        yield _discard(worths, entry["choose"])
    elif entry["do"] == "arrange":
        yield {"do": "arrange", "places": _arranged(worths.outlook)}
    else:
        yield from answers_of(entry)


def _arranged(outlook: Outlook) -> dict[str, int]:
    catalogue = msgspec.convert(outlook.catalogue, Catalogue)
    return arranged(catalogue, outlook.me["museum"], nodes=NODES)


def _best(rated: Sequence[tuple[float, Answer]]) -> Sequence[Answer]:
    """Return the best answers. The best favour comes before all else if it brings cards to use."""
    favours = _highest([(value, answer) for value, answer in rated if answer["do"] in FAVOURS])
    early = [answer for value, answer in favours if value > 0 and answer["do"] in BRINGING]
    return early or [answer for _, answer in _highest(rated)]


def _highest(rated: Sequence[tuple[float, Answer]]) -> Sequence[tuple[float, Answer]]:
    most = max((value for value, _ in rated), default=0.0)
    return [(value, answer) for value, answer in rated if value == most]


def _value(worths: Worths, answer: Answer) -> float:
    if answer["do"] not in FAVOURS:
        return VALUES[answer["do"]](worths, answer)
    value = FAVOURS[answer["do"]](worths, answer) - SAVED * worths.outlook.favour
    return value if value > 0 else -inf


def _discard(worths: Worths, choose: Plain) -> Answer:
    """Put away what is worth least."""
    kinds, answer = worths.outlook.catalogue["favours"], {"do": "discard"}
    least: Mapping[str, Callable[[str], float]] = {
        "paintings": worths.kept,
        "favours": lambda favour: RANKED.index(kinds[favour]["kind"]),
    }
    return answer | {
        field: sorted(choice["some_of"], key=least[field])[: choice["min"]]
        for field, choice in choose.items()
    }


def _keep_trend(worths: Worths, answer: Answer) -> float:
    """Keep the trend that likes the hand best."""
    return sum(worths.outlook.worth(painting, answer["trend"]) for painting in worths.outlook.hand)


def _trade(worths: Worths, answer: Answer) -> float:
    """A trade brings points, and one painting for another."""
    outlook, give, take = worths.outlook, answer["give"], answer["take"]
    trend = outlook.abroad[take]
    points = outlook.scored(outlook.worth(give, trend) - outlook.worth(take, trend))
    return points + worths.kept(take) - worths.kept(give)


def _exhibit(worths: Worths, answer: Answer) -> float:
    """An exhibited painting costs two of the hand; others may follow in the same turn."""
    hung, archived = answer["painting"], answer["archive"]
    cost = worths.losing(hung, archived) + worths.archiving(archived)
    return worths.hung(hung) - cost + _following(worths)


def _acquire(worths: Worths, answer: Answer) -> float:
    """A painting of a rival's costs a point, which the rival gets."""
    paid: float = worths.outlook.catalogue["acquired"] * (1 + 1 / len(worths.outlook.rivals))
    return _acquire_free(worths, answer) - paid + _following(worths)


def _following(worths: Worths) -> float:
    """Say what more can be exhibited, as long as the action may still be another one."""
    return 0.0 if "chosen" in worths.outlook.window["facts"] else worths.exhibited_then


def _hold(worths: Worths, answer: Answer) -> float:
    """An exhibition scores at once and in the end, and brings the best bonus space."""
    outlook, groups, category = worths.outlook, worths.groups, answer["category"]
    free = outlook.catalogue["spaces"].keys() - outlook.me["exhibitions"].keys()
    space = max(_space(worths, space) for space in free)
    points = outlook.scored(groups.held(category)) + groups.one_more + NEXT_SPACE * space
    return points - groups.giving_up(category)


def _inventory(worths: Worths, _: Answer) -> float:
    """An inventory brings a favour and the archive, as far as the hand can hold it."""
    return worths.outlook.favour + _recovered(worths, worths.outlook.archive)


def _recovered(worths: Worths, paintings: Sequence[str]) -> float:
    return worths.winning(paintings) + worths.archived * len(paintings)


def _claim(worths: Worths, answer: Answer) -> float:
    points = worths.outlook.catalogue["patrons"][answer["patron"]].get("points", 0)
    gift = worths.kept(answer["take"]) if "take" in answer else 0.0
    return worths.outlook.scored(points) + gift


def _use_space(worths: Worths, answer: Answer) -> float:
    if "painting" in answer:
        return _hang(worths, answer["painting"])
    return _space(worths, answer["space"])


def _space(worths: Worths, space: str) -> float:
    """Say what a bonus space brings."""
    outlook = worths.outlook
    much, turns = outlook.catalogue["spaces"][space], outlook.turns_left
    archive = len(outlook.archive) + ARCHIVED * turns
    brings: Mapping[str, Callable[[], float]] = {
        "draw_paintings": lambda: much * worths.drawn,
        "draw_favours": lambda: much * SECOND * outlook.favour,
        "exhibit": lambda: max([0.0, *(_hang(worths, painting) for painting in outlook.hand)]),
        "hand_limit": lambda: LARGER_HAND * turns,
        "archive_free": lambda: IN_THE_END * min(much, archive),
        "end_points": lambda: much,
    }
    return brings[space]()


def _hang(worths: Worths, painting: str) -> float:
    """Say what it brings to hang a painting of the hand for nothing."""
    return worths.hung(painting) - worths.losing(painting)


def _acquire_free(worths: Worths, answer: Answer) -> float:
    archived = answer["archive"]
    return worths.hung(answer["painting"]) - worths.losing(archived) - worths.archiving(archived)


def _amount(worths: Worths, kind: str, key: str = "amount") -> int:
    """Return how much of it a kind of favour gives."""
    cards = worths.outlook.catalogue["favours"].values()
    return next(int(card[key]) for card in cards if card["kind"] == kind)


def _lucky(worths: Worths, _: Answer) -> float:
    trend, hung = worths.outlook.table["trend"], worths.outlook.table["entered"]
    liked = sum(worths.outlook.worth(painting, trend) > 0 for painting in hung)
    return worths.outlook.scored(_amount(worths, "trend") * liked)


# What favours bring. Those that bring cards are played before anything else.
BRINGING: Mapping[str, Value] = {
    "favour_draw": lambda worths, _: worths.outlook.catalogue["any_favour"] * worths.drawn,
    "favour_take": lambda worths, answer: worths.winning([answer["painting"]]),
    "favour_recover": lambda worths, answer: _recovered(worths, answer["paintings"]),
    "favour_trade": _trade,
    "favour_choose": lambda worths, _: CHOSEN * _amount(worths, "choose", "kept") * worths.drawn,
}
FAVOURS: Mapping[str, Value] = {
    **BRINGING,
    "favour_points": lambda worths, _: worths.outlook.scored(_amount(worths, "points")),
    "favour_exhibit": lambda worths, answer: _hang(worths, answer["painting"]),
    "favour_trend": _lucky,
    "favour_acquire": _acquire_free,
}
VALUES: Mapping[str, Value] = {
    "keep_trend": _keep_trend,
    "trade": _trade,
    "no_trade": lambda *_: 0.0,
    "decline": lambda *_: 0.0,
    "exhibit": _exhibit,
    "acquire": _acquire,
    "hold": _hold,
    "inventory": _inventory,
    "replace_patrons": lambda worths, _: patrons.replaced(worths.outlook),
    "claim": _claim,
    "done": lambda *_: 0.0,
    "use_space": _use_space,
    "keep_two": lambda worths, answer: sum(map(worths.kept, answer["paintings"])),
    "discard": lambda *_: 0.0,
    "arrange": lambda *_: 0.0,
}
