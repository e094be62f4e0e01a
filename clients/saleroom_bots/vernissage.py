"""`steady` at Vernissage: reckons in Rubens what each answer is likely to bring.

What counts is to be ahead: an artist's fame matters to a player as far as he owns more of the
artist's works than the others do. One function a window; each returns the answers that are best.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, TypeAlias

from saleroom_bots import vernissage_cards as cards
from saleroom_bots import vernissage_fate as fate
from saleroom_bots import vernissage_stairs as stairs
from saleroom_bots.strategy import Plain, answers_of
from saleroom_bots.vernissage_dispute import Dispute
from saleroom_bots.vernissage_outlook import Outlook
from saleroom_protocol.games.forms import Pick

# Every rival beside the artist who suffers by a counter may see that it goes back.
OPPOSED = 0.15

# Smaller losses are not worth an objection.
PETTY = 10_000

# After so many statements there is nothing left to say.
STATEMENTS = 3

Answers: TypeAlias = Sequence[dict[str, Any]]


def steady(document: Plain, catalogue: Plain, pick: Pick) -> dict[str, Any]:
    """Give the answer that is likely to bring most; `pick` only chooses among equals."""
    outlook = Outlook(document, catalogue)
    answers = [answer for entry in document["legal"] for answer in _answers(outlook, entry)]
    chosen: dict[str, Any] = pick(DECISIONS[document["window"]["kind"]](outlook, answers))
    return chosen


def _answers(outlook: Outlook, entry: Plain) -> Iterator[dict[str, Any]]:
    """Yield all that an entry stands for; of the unlimited card's very many ways those of use."""
    if entry["do"] != "unlimited":
        yield from answers_of(entry)
    else:
        table = entry["choose"]["agents"]["assign"]
        for steps in stairs.posts(outlook):
            moves = stairs.sent(outlook, steps)
            if moves.keys() == table.keys():
                yield {"do": "unlimited", "agents": moves}


def _best(value: Callable[[dict[str, Any]], float], answers: Answers) -> Answers:
    values = [value(answer) for answer in answers]
    most = max(values)
    return [answer for answer, worth in zip(answers, values, strict=True) if worth == most]


def _place(outlook: Outlook, answers: Answers) -> Answers:
    """Lay what brings most, unless rivals beside the artist are likely to fight it."""

    def value(answer: dict[str, Any]) -> float:
        artist, spaces = answer["artist"], answer["value"]
        gain = fate.laid(outlook, artist, answer["kind"], spaces)
        return gain - max(0.0, gain) * OPPOSED * against[artist, spaces > 0]

    ways = product(outlook.fame, (False, True))
    against = {(artist, up): _opponents(outlook, artist, up) for artist, up in ways}
    return _best(value, answers)


def _opponents(outlook: Outlook, artist: str, up: bool) -> int:
    """Count the rivals beside an artist who suffer when fame goes up, or down."""
    step = outlook.table["artists"][artist].get("step")
    beside = [seat for seat in outlook.rivals if step in outlook.players[seat]["agents"]]
    return sum((outlook.rival_stake(seat, artist) < 0) == up for seat in beside)


def _objection(outlook: Outlook, answers: Answers) -> Answers:
    """Object to what costs me something; it commits to nothing."""
    objects = fate.contested(outlook) < -PETTY
    return _doing("object" if objects else "allow", answers)


def _bargain(outlook: Outlook, answers: Answers) -> Answers:
    """Ask for much, then for less, agree to what is as good, and never say much."""
    dispute = Dispute(outlook)
    enough = dispute.enough(dispute.said / STATEMENTS)
    agreeable = [
        answer
        for answer in _doing("agree", answers)
        if answer["value"] == dispute.other_sides and dispute.gain(answer["value"]) >= enough
    ]
    if agreeable:
        return agreeable
    statable = [
        answer
        for answer in (*_doing("offer", answers), *_doing("ask", answers))
        if dispute.gain(answer["value"]) >= enough
    ]
    if statable and dispute.said < STATEMENTS:
        return _best(lambda answer: -dispute.gain(answer["value"]), statable)
    if dispute.pro:
        return _doing("stand", answers)
    return _doing("insist" if dispute.worth_a_trial else "withdraw", answers)


def _challenge(outlook: Outlook, answers: Answers) -> Answers:
    """Fight if that promises more than to put up with the counter."""
    return _doing("challenge" if Dispute(outlook).worth_a_trial else "forgo", answers)


def _might(outlook: Outlook, answers: Answers) -> Answers:
    """Add as much as the trial is worth."""
    dispute = Dispute(outlook)
    return _best(lambda answer: dispute.committed(answer["might"]), answers)


def _reveal(_: Outlook, answers: Answers) -> Answers:
    """Show all: the bank pays now, and what rivals learn costs less."""
    return _best(lambda answer: float(answer["works"]), answers)


def _buy(outlook: Outlook, answers: Answers) -> Answers:
    """Buy where the best card to be hoped for is worth most more than it costs."""
    worths = cards.worths(outlook)
    values: Mapping[str, Callable[[dict[str, Any]], float]] = {
        "buy_pile": lambda answer: cards.pile(outlook, str(answer["pile"]), worths),
        "buy_grey": lambda _: cards.grey(outlook),
    }
    return _best(lambda answer: values[answer["do"]](answer), answers)


def _pick(outlook: Outlook, answers: Answers) -> Answers:
    """Keep the card that is worth most, none if all of them cost."""

    def value(answer: dict[str, Any]) -> float:
        if "card" not in answer:
            return 0.0
        card = outlook.catalogue["cards"][answer["card"]]
        return worths[card.get("artist", card["kind"])]

    worths = cards.worths(outlook)
    return _best(value, answers)


def _play(outlook: Outlook, answers: Answers) -> Answers:
    """Play what brings more than to keep the card; a step change is judged by the critic too."""
    now = stairs.influence(outlook, outlook.me["agents"])

    def moved(moves: Mapping[str, int], keeping: float) -> float:
        agents = stairs.after(outlook.me["agents"], moves)
        gain = stairs.influence(outlook, agents) - now
        return gain - keeping + max(0.0, cards.critic(outlook, agents))

    values: Mapping[str, Callable[[dict[str, Any]], float]] = {
        "unlimited": lambda answer: moved(answer["agents"], cards.KEEPING_UNLIMITED),
        "limited": lambda answer: moved({answer["agent"]: answer["to"]}, cards.KEEPING_LIMITED),
        "critic": lambda answer: fate.criticised(outlook, answer["artist"]) - cards.KEEPING_CRITIC,
        "done": lambda _: 0.0,
    }
    return _best(lambda answer: values[answer["do"]](answer), answers)


def _doing(do: str, answers: Answers) -> Answers:
    return [answer for answer in answers if answer["do"] == do]


DECISIONS: Mapping[str, Callable[[Outlook, Answers], Answers]] = {
    "place": _place,
    "objection": _objection,
    "bargain": _bargain,
    "challenge": _challenge,
    "might": _might,
    "reveal": _reveal,
    "buy": _buy,
    "pick": _pick,
    "play": _play,
}
