"""Kunstmarkt in lines of text."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from rich.text import Text

from saleroom_cli.console import shown
from saleroom_cli.games.look import Look, Plain, by_seat

if TYPE_CHECKING:
    from saleroom_cli.telling import Teller


def _lines(teller: "Teller", document: Plain) -> Iterator[Text]:
    table, words = document["table"], teller.game["table"]
    yield Text(words["market"], "bold")
    for price, picture in sorted(table["market"].items(), key=lambda lot: int(lot[0])):
        yield Text(f"  {teller.number(int(price)):>7}  {teller.card('picture', picture)}")
    yield Text(words["piles"].format(stock=table["stock"], deck=table["deck"]))
    for seat, player in by_seat(table["players"]):
        yield from _player(teller, document, seat, player)
    if "sale" in table:
        yield _sale(teller, table["sale"])
    if "cash" in document.get("you", {}):
        yield from _own(teller, document["you"])


def _player(teller: "Teller", document: Plain, seat: int, player: Plain) -> Iterator[Text]:
    words = teller.game["table"]
    sentence = words["player" if "cash" in player else "player_hidden"]
    counts = {"pictures": player["pictures"], "customers": player["customers"]}
    cash = teller.number(player.get("cash", 0))
    told = sentence.format(name=teller.seat(document, seat), cash=cash, **counts)
    yield Text(shown(f"  {told}"))
    if "hand" in player:  # laid open after the end
        hand = {name: teller.fact(name, player["hand"][name]) for name in ("pictures", "customers")}
        yield Text(shown(f"    {words['hand'].format(**hand)}"))


def _sale(teller: "Teller", sale: Plain) -> Text:
    best = sale["offers"].get(str(sale.get("best")))
    offered = teller.words["common"]["nothing"] if best is None else teller.card("best", best)
    customer = teller.fact("customer", sale["customer"])
    return Text(teller.game["table"]["visiting"].format(customer=customer, best=offered), "bold")


def _own(teller: "Teller", you: Plain) -> Iterator[Text]:
    words = teller.game["table"]
    yield Text(words["own"].format(cash=teller.number(you["cash"])))
    for group in ("pictures", "customers"):
        yield from _held(teller, words[f"own_{group}"], group, you[group])


def _held(teller: "Teller", title: str, group: str, cards: Iterable[str]) -> Iterator[Text]:
    told = [f"    {teller.card(group, card)}" for card in cards]
    yield Text(f"  {title}" if told else f"  {title} {teller.words['common']['nothing']}")
    yield from map(Text, told)


def _described(teller: "Teller", document: Plain, entry: Plain) -> str:
    if entry["do"] != "buy":
        return teller.action(entry)
    market = document["table"]["market"]
    price = next(price for price, lot in market.items() if lot == entry["picture"])
    picture = teller.card("picture", entry["picture"])
    sentence = teller.game["table"]["buy_for"]
    return str(sentence.format(price=teller.number(int(price)), picture=picture))


def _year(_: "Teller", year: Any) -> str:
    return str(year)  # a year's digits stand in no groups


LOOK = Look(lines=_lines, described=_described, facts={"year": _year})
