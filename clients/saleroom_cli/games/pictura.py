"""Museum Pictura: its entries, and fields told in a way of their own. Its table is next door."""

from typing import TYPE_CHECKING, Any

from saleroom_cli.games import pictura_table
from saleroom_cli.games.look import Look, Plain, signed
from saleroom_cli.games.pictura_board import Arranging, of, place, size_points
from saleroom_cli.games.pictura_table import worth
from saleroom_client import hints

if TYPE_CHECKING:
    from saleroom_cli.telling import Teller


def _described(teller: "Teller", document: Plain, entry: Plain) -> str:
    told = teller.action(_settled(entry))
    if entry["do"] == "exhibit":
        return told + _liked(teller, document, entry["painting"])
    return told


def _settled(entry: Plain) -> Plain:
    """Return an entry with what it leaves no choice about, which is not asked, filled in."""
    open_ = dict(entry.get("choose", {}))
    only = {field: how["one_of"][0] for field, how in open_.items() if _is_settled(how)}
    return {**entry, **only, "choose": {field: open_[field] for field in open_.keys() - only}}


def _is_settled(how: Plain) -> bool:
    return len(how.get("one_of", ())) == 1


def _choice(teller: "Teller", document: Plain, action: Plain, field: str, value: str | int) -> str:
    words, told = teller.game["table"], teller.choice(field, value)
    if field == "category":
        return str(words["exhibition"].format(category=told, **_size(teller, document, str(value))))
    if field not in ("take", "painting"):
        return told
    home = _home(document, str(value))
    if home is None:
        return told + _liked(teller, document, str(value))
    museum, trend = teller.fact("museum", home), document["table"]["museums"][home]["trend"]
    told = words["in_museum"].format(painting=told, museum=museum)
    if "give" not in action:
        return str(told)
    net = worth(teller, trend, action["give"]) - worth(teller, trend, str(value))
    return str(words["net"].format(points=signed(teller, net), painting=told))


def _liked(teller: "Teller", document: Plain, painting: str) -> str:
    """Say what a painting to be hung would score; nothing if that is nothing."""
    points = worth(teller, document["table"]["trend"], painting)
    if not points or not document["options"]["general_trend"]:
        return ""
    return f" {teller.game['table']['liked'].format(points=signed(teller, points))}"


def _size(teller: "Teller", document: Plain, category: str) -> dict[str, Any]:
    """Return what an exhibition would show and bring."""
    table, catalogue = document["table"], teller.catalogue
    museum = table["players"][str(document["you"]["seat"])]["museum"]
    size = len(of(teller, category, museum))
    first = catalogue["first"] * (table["chips"][category] == catalogue["chips"])
    return {"size": size, "points": signed(teller, size_points(teller, size) + first)}


def _home(document: Plain, painting: str) -> str | None:
    """Return the international museum a painting is in, if it is in one."""
    for key, museum in document["table"]["museums"].items():
        if painting in (*museum["matching"], *museum["other"]):
            return str(key)
    return None


# Fields told in a way of their own


def _painter(teller: "Teller", number: Any) -> str:
    return str(teller.catalogue["painters"][str(number)]["name"])


def _kind(teller: "Teller", kind: Any) -> str:
    """Say what a kind of favour does, and how much of it."""
    cards = teller.catalogue["favours"].values()
    card = next(card for card in cards if card["kind"] == kind)
    told = teller.game["table"][f"kind_{kind}"]
    return str(told.format(amount=card["amount"], kept=card.get("kept")))


def _favour(teller: "Teller", favour: Any) -> str:
    """Say a favour, which is a card or a kind of them."""
    is_card = favour in teller.catalogue["favours"]
    return teller.fact("favours", favour) if is_card else _kind(teller, favour)


def _how(teller: "Teller", how: Any) -> str:
    """Say how a favour was played, if not for what it says."""
    drawn = teller.catalogue["any_favour"]
    return str(teller.game["table"]["to_draw"].format(count=drawn)) if how == "draw" else ""


def _space(teller: "Teller", space: Any) -> str:
    amount = teller.catalogue["spaces"][space]
    return str(teller.game["table"][f"space_{space}"].format(amount=amount))


def _why(teller: "Teller", why: Any) -> str:
    return str(teller.game["table"][f"why_{why}"])


def _owner(teller: "Teller", seat: Any) -> str:
    return teller.who(seat)


LOOK = Look(
    lines=pictura_table.lines,
    described=_described,
    choice=_choice,
    questions={"places": Arranging},
    found={"arrange": hints.arrangement},
    facts={
        "painter": _painter,
        "kind": _kind,
        "favour": _favour,
        "how": _how,
        "space": _space,
        "why": _why,
        "owner": _owner,
        "place": place,
        "points": signed,
    },
)
