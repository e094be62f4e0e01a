"""Museum Pictura: its entries, and fields told in a way of their own. Its table is next door."""

from typing import TYPE_CHECKING, Any

from saleroom_cli.games import pictura_table
from saleroom_cli.games.look import Look, Plain, signed
from saleroom_cli.games.pictura_board import Arranging, of_category, place, size_points
from saleroom_cli.games.pictura_table import worth
from saleroom_client import hints

if TYPE_CHECKING:
    from saleroom_cli.telling import Teller


def _described(teller: "Teller", document: Plain, entry: Plain) -> str:
    settled = _settled(entry)
    told = teller.action({**settled, **_printed(teller, entry["do"])})
    if entry["do"] == "exhibit":
        return told + _liked(teller, document, entry["painting"])
    if "category" in settled:  # there is but one
        return f"{told} {_exhibition(teller, document, settled['category'])}"
    return told


def _printed(teller: "Teller", do: str) -> Plain:
    """Return what stands on the favour that an action plays; nothing of another action."""
    if not do.startswith("favour_"):
        return {}
    drawn, mark = teller.catalogue["any_favour"], teller.mark("favours")
    return {**_card_of(teller, do.removeprefix("favour_")), "count": drawn, "mark": mark}


def _settled(entry: Plain) -> Plain:
    """Return an entry with what it leaves no choice about, which is not asked, filled in."""
    choose = dict(entry.get("choose", {}))
    only = {field: how["one_of"][0] for field, how in choose.items() if _is_settled(how)}
    return {**entry, **only, "choose": {field: choose[field] for field in choose.keys() - only}}


def _is_settled(how: Plain) -> bool:
    return len(how.get("one_of", ())) == 1


def _choice(teller: "Teller", document: Plain, action: Plain, field: str, value: str | int) -> str:
    words, told = teller.game["table"], teller.choice(field, value)
    if field == "category":
        return f"{told} {_exhibition(teller, document, str(value))}"
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


def _exhibition(teller: "Teller", document: Plain, category: str) -> str:
    """Say what an exhibition would show and bring."""
    table, catalogue = document["table"], teller.catalogue
    museum = table["players"][str(document["you"]["seat"])]["museum"]
    size = len(of_category(teller, category, museum))
    first = catalogue["first"] * (table["chips"][category] == catalogue["chips"])
    points = signed(teller, size_points(teller, size) + first)
    sentence, mark = teller.game["table"]["exhibition"], teller.mark("sizes")
    return str(sentence.format(size=size, points=points, mark=mark))


def _home(document: Plain, painting: str) -> str | None:
    """Return the international museum a painting is in, if it is in one."""
    for key, museum in document["table"]["museums"].items():
        if painting in (*museum["matching"], *museum["other"]):
            return str(key)
    return None


# Fields told in a way of their own


def _painter(teller: "Teller", number: Any) -> str:
    return teller.fact("name", teller.catalogue["painters"][str(number)]["name"])


def _kind(teller: "Teller", kind: Any) -> str:
    """Say what a kind of favour does, and how much of it."""
    told = teller.game["table"][f"kind_{kind}"]
    return str(told.format(**_card_of(teller, kind)))


def _card_of(teller: "Teller", kind: Any) -> Plain:
    """Return what stands on the favours of a kind; nothing of what is none."""
    cards = teller.catalogue["favours"].values()
    return next((card for card in cards if card["kind"] == kind), {})


def _favour(teller: "Teller", favour: Any) -> str:
    """Say a favour, which is a card or a kind of them."""
    if favour in teller.catalogue["favours"]:
        return teller.fact("favours", favour)
    return _kind(teller, favour) + teller.mark("favours")


def _how(teller: "Teller", how: Any) -> str:
    """Say how a favour was played, if not for what it says."""
    drawn = teller.catalogue["any_favour"]
    return str(teller.game["table"]["to_draw"].format(count=drawn)) if how == "draw" else ""


def _space(teller: "Teller", space: Any) -> str:
    amount = teller.catalogue["spaces"][space]
    told = teller.game["table"][f"space_{space}"].format(amount=amount)
    return f"{told}{teller.mark(f'spaces.{space}')}"


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
