"""The table of Museum Pictura in lines of text."""

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rich.text import Text

from saleroom_cli.console import shown
from saleroom_cli.games.look import Plain, by_seat
from saleroom_cli.games.pictura_board import board, collections

if TYPE_CHECKING:
    from saleroom_cli.telling import Teller

RECKONED = {  # a part of the final score -> what it is reckoned by, in the catalogue
    "collections": "sizes",
    "trend": "trends",
    "gallery": "gallery",
    "full": "full",
    "exhibitions": "exhibitions",
    "space": "spaces",
    "archive": "archived",
}


def lines(teller: "Teller", document: Plain) -> Iterator[Text]:
    """Show what is open: the world's museums, patrons, chips, all museums; then one's own."""
    table, words = document["table"], teller.game["table"]
    yield from _trends(teller, document)
    for key, museum in table["museums"].items():
        yield from _museum(teller, key, museum)
    yield Text(words["patrons"], "bold")
    yield from (Text(f"  {teller.card('patron', patron)}") for patron in table["patrons"])
    yield from map(Text, _supplies(teller, table))
    yield Text(words["players"], "bold")
    for seat, player in by_seat(table["players"]):
        yield from (Text(shown(line)) for line in _player(teller, document, seat, player))
    yield from _ending(teller, document)
    if "paintings" in document.get("you", {}):
        yield from _own(teller, document)
    yield from _asked(teller, document)


def worth(teller: "Teller", trend: str, painting: str) -> int:
    """Return what a painting is worth under a trend."""
    scale, likes = teller.catalogue["trend"], teller.catalogue["trends"][trend]
    shows = teller.catalogue["paintings"][painting]
    return sum(points for part, points in scale.items() if shows[part] == likes[part])


def _trends(teller: "Teller", document: Plain) -> Iterator[Text]:
    words = teller.game["table"]
    scores = document["options"]["general_trend"]
    trend = teller.card("trend", document["table"]["trend"])
    yield Text(words["general" if scores else "general_idle"].format(trend=trend), "bold")
    yield Text(words["worth"].format(**teller.catalogue["trend"], mark=teller.mark("trend")))
    yield Text(words["museums"], "bold")


def _museum(teller: "Teller", key: str, museum: Plain) -> Iterator[Text]:
    """Show one museum of the world, each painting behind what it is worth there."""
    words, trend = teller.game["table"], museum["trend"]
    name, likes = teller.fact("museum", key), teller.card("trend", trend)
    yield Text(f"  {words['museum'].format(museum=name, trend=likes)}")
    for painting in (*museum["matching"], *museum["other"]):
        points = teller.number(worth(teller, trend, painting))
        yield Text(f"    {points}  {teller.card('painting', painting)}")


def _supplies(teller: "Teller", table: Plain) -> Iterator[str]:
    words = teller.game["table"]
    chips = (f"{teller.fact('category', name)} {left}" for name, left in table["chips"].items())
    yield words["chips"].format(chips=", ".join(chips))
    yield words["piles"].format(**table["piles"])
    if table["favours"]:
        kinds = Counter(table["favours"].values())
        told = "; ".join(f"{teller.fact('favour', kind)} ({n})" for kind, n in kinds.items())
        yield words["discards"].format(favours=told)


def _player(teller: "Teller", document: Plain, seat: int, player: Plain) -> Iterator[str]:
    words, museum = teller.game["table"], player["museum"]
    counts = {name: player[name] for name in ("score", "paintings", "favours")}
    counts |= {"hung": len(museum), "claimed": len(player["patrons"])}
    yield "  " + words["player"].format(name=teller.player(document, seat), **counts)
    if museum:
        yield from (f"    {line}" for line in board(teller, museum))
        yield f"    {collections(teller, museum)}"
    if player["archive"]:
        archive = teller.fact("paintings", [*player["archive"].values()])
        yield "    " + words["archive"].format(paintings=archive)
    for space, category in player["exhibitions"].items():
        told = {"category": teller.fact("category", category), "space": teller.fact("space", space)}
        yield "    " + words["held"].format(**told)
    if "hand" in player:  # laid open after the end
        yield from (f"    {line}" for line in _opened(teller, player))


def _opened(teller: "Teller", player: Plain) -> Iterator[str]:
    words, hand, final = teller.game["table"], player["hand"], player["final"]
    told = {name: teller.fact(name, hand[name]) for name in ("paintings", "favours", "trend")}
    yield words["hand"].format(**told)
    parts = {**final, "collections": sum(final["collections"].values())}
    yield words["final"].format(**{name: _part(teller, name, n) for name, n in parts.items()})


def _part(teller: "Teller", name: str, points: int) -> str:
    """Say a part of a final score, marked where what it is reckoned by is reconstructed."""
    return teller.number(points) + (teller.mark(RECKONED[name]) if name in RECKONED else "")


def _ending(teller: "Teller", document: Plain) -> Iterator[Text]:
    table, words = document["table"], teller.game["table"]
    if "reached" in table:
        told = words["reached"].format(name=teller.seat(document, table["reached"]))
        yield Text(shown(told))
    if table.get("last_turns"):
        seats = ", ".join(teller.seat(document, seat) for seat in table["last_turns"])
        yield Text(shown(words["last"].format(seats=seats)))


# What is the player's alone


def _own(teller: "Teller", document: Plain) -> Iterator[Text]:
    you, words = document["you"], teller.game["table"]
    for part in ("trend", "trends", "drawn", "favours"):
        if part in you:
            yield Text(words[f"own_{part}"].format(cards=teller.card(part, you[part])))
    hand = [_held(teller, document, painting) for painting in you["paintings"]]
    nothing = teller.words["common"]["nothing"]
    yield Text(words["own_paintings"] if hand else f"{words['own_paintings']} {nothing}")
    yield from (Text(f"  {line}") for line in hand)


def _held(teller: "Teller", document: Plain, painting: str) -> str:
    """Say a painting of the hand, and where it would be worth something."""
    table, words, trends = document["table"], teller.game["table"], dict[str, Any]()
    for key, museum in table["museums"].items():
        trends[teller.fact("museum", key)] = museum["trend"]
    if document["options"]["general_trend"]:
        trends[words["under_general"]] = table["trend"]
    trends[words["under_own"]] = document["you"].get("trend")
    values = {name: worth(teller, trend, painting) for name, trend in trends.items() if trend}
    told = ", ".join(f"{name} {points}" for name, points in values.items() if points)
    card = teller.card("painting", painting)
    return str(words["held_worth"].format(painting=card, worth=told)) if told else card


def _asked(teller: "Teller", document: Plain) -> Iterator[Text]:
    """Say what is public about the open window, where that is nowhere else on the table.

    Who is asked is told besides what it is about, if that does not stand in the answers.
    """
    window = document.get("window", {})
    sentence = teller.game["table"].get(f"asked_{window.get('kind')}")
    if sentence is not None:
        facts = {name: teller.fact(name, fact) for name, fact in window["facts"].items()}
        if "active" in facts:
            facts["active"] = teller.player(document, window["facts"]["active"])
        yield Text(shown(sentence.format(**facts)), "bold")
    hint = teller.game["table"].get(f"hint_{window.get('kind')}")
    if hint is not None and document.get("legal"):
        yield Text(hint)
