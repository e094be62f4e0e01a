"""The table as a few lines of text, and what can be done at it, game by game."""

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


def described(teller: Teller, document: Document, entry: Mapping[str, Any]) -> str:
    """Say what an entry of `legal` or `anytime` does, with what the table tells of it."""
    if document["game"] == "kunstmarkt" and entry["do"] == "buy":
        market = document["table"]["market"]
        price = next(price for price, lot in market.items() if lot == entry["picture"])
        facts = {"picture": teller.fact("picture", entry["picture"])}
        sentence = teller.game["table"]["buy_for"]
        return str(sentence.format(price=teller.number(int(price)), **facts))
    return teller.action(entry)


def _kunstmarkt(teller: Teller, document: Document) -> Iterator[Text]:
    table, words = document["table"], teller.game["table"]
    yield Text(words["market"], "bold")
    for price, picture in sorted(table["market"].items(), key=lambda lot: int(lot[0])):
        yield Text(f"  {teller.number(int(price)):>7}  {teller.fact('picture', picture)}")
    yield Text(words["piles"].format(stock=table["stock"], deck=table["deck"]))
    for seat, player in sorted(table["players"].items(), key=lambda item: int(item[0])):
        yield from _player(teller, document, int(seat), player)
    if "sale" in table:
        yield _sale(teller, table["sale"])
    if "cash" in document.get("you", {}):
        yield Text(_own(teller, document["you"]))


def _player(
    teller: Teller, document: Document, seat: int, player: Mapping[str, Any]
) -> Iterator[Text]:
    words = teller.game["table"]
    sentence = words["player" if "cash" in player else "player_hidden"]
    counts = {"pictures": player["pictures"], "customers": player["customers"]}
    cash = teller.number(player.get("cash", 0))
    told = sentence.format(name=teller.seat(document, seat), cash=cash, **counts)
    yield Text(shown(f"  {told}"))
    if "hand" in player:  # laid open after the end
        yield Text(shown(f"    {words['hand'].format(**_cards(teller, player['hand']))}"))


def _sale(teller: Teller, sale: Mapping[str, Any]) -> Text:
    best = sale["offers"].get(str(sale.get("best")))
    offered = teller.words["common"]["nothing"] if best is None else teller.fact("best", best)
    customer = teller.fact("customer", sale["customer"])
    return Text(teller.game["table"]["visiting"].format(customer=customer, best=offered), "bold")


def _own(teller: Teller, you: Mapping[str, Any]) -> str:
    cash = teller.number(you["cash"])
    return shown(teller.game["table"]["own"].format(cash=cash, **_cards(teller, you)))


def _cards(teller: Teller, hand: Mapping[str, Any]) -> dict[str, str]:
    return {name: teller.fact(name, hand[name]) for name in ("pictures", "customers")}


_TABLES: dict[str, Callable[[Teller, Document], Iterator[Text]]] = {"kunstmarkt": _kunstmarkt}
