"""The table as a few lines of text, game by game."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from rich.text import Text

from saleroom_cli.console import shown
from saleroom_cli.telling import Teller

Document = Mapping[str, Any]


def table_lines(teller: Teller, document: Document) -> Iterator[Text]:
    """Show the table of a game that has begun; nothing of one this version has no picture of."""
    draw = _TABLES.get(document["game"])
    if draw is not None and document["table"]:
        yield Text("")
        yield from draw(teller, document)


def _kunstmarkt(teller: Teller, document: Document) -> Iterator[Text]:
    table, words = document["table"], teller.game["table"]
    yield Text(words["market"], "bold")
    for price, picture in sorted(table["market"].items(), key=lambda lot: int(lot[0])):
        yield Text(f"  {teller.number(int(price)):>7}  {teller.fact('picture', picture)}")
    yield Text(words["piles"].format(stock=table["stock"], deck=table["deck"]))
    for seat, player in sorted(table["players"].items()):
        yield Text(_player(teller, document, int(seat), player))
    sale = table.get("sale")
    if sale is not None:
        best = sale["offers"].get(str(sale.get("best")))
        offered = teller.words["common"]["nothing"] if best is None else teller.fact("best", best)
        customer = teller.fact("customer", sale["customer"])
        yield Text(words["visiting"].format(customer=customer, best=offered), "bold")
    if "you" in document:
        yield Text(_own(teller, document["you"]))


def _player(teller: Teller, document: Document, seat: int, player: Mapping[str, Any]) -> str:
    words = teller.game["table"]
    sentence = words["player" if "cash" in player else "player_hidden"]
    counts = {"pictures": player["pictures"], "customers": player["customers"]}
    cash = teller.number(player.get("cash", 0))
    return "  " + str(sentence.format(name=teller.seat(document, seat), cash=cash, **counts))


def _own(teller: Teller, you: Mapping[str, Any]) -> str:
    facts = {name: teller.fact(name, you[name]) for name in ("pictures", "customers")}
    return shown(teller.game["table"]["own"].format(cash=teller.number(you["cash"]), **facts))


_TABLES: dict[str, Callable[[Teller, Document], Iterator[Text]]] = {"kunstmarkt": _kunstmarkt}
