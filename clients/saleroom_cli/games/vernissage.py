"""Vernissage in lines of text."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from rich.text import Text

from saleroom_cli.console import shown
from saleroom_cli.games.look import Look, Plain, by_seat, signed

if TYPE_CHECKING:
    from saleroom_cli.telling import Teller


def _lines(teller: "Teller", document: Plain) -> Iterator[Text]:
    yield from map(Text, _board(teller, document))
    table = document["table"]
    yield from map(Text, _supplies(teller, table))
    for seat, player in by_seat(table["players"]):
        yield from map(Text, _player(teller, document, seat, player))
    if "dispute" in table and "result" not in table["dispute"]:
        yield from _dispute(teller, document)
    yield from map(Text, _own(teller, document.get("you", {})))
    yield from _asked(teller, document)


# The board


def _board(teller: "Teller", document: Plain) -> Iterator[str]:
    table, words, catalogue = document["table"], teller.game["table"], teller.catalogue
    yield words["artists"].format(
        steps=catalogue["steps"],
        steps_mark=teller.mark("steps"),
        lowest=teller.number(catalogue["scale"][0]),
        highest=teller.number(catalogue["scale"][-1]),
        scale_mark=teller.mark("scale", "in_scale"),
    )
    for artist in catalogue["artists"]:  # in the order of ties
        yield shown(f"  {_artist(teller, document, artist, table['artists'][artist])}")


def _artist(teller: "Teller", document: Plain, artist: str, standing: Plain) -> str:
    words, name = teller.game["table"], teller.fact("artist", artist)
    if standing.get("out"):
        return str(words["out"].format(artist=name))
    table = document["table"]
    there = [
        teller.seat(document, seat)
        for seat, player in by_seat(table["players"])
        if standing["step"] in player["agents"]
    ]
    told = words["artist"].format(
        artist=name,
        step=standing["step"],
        fame=fame(teller, standing["space"]),
        counters=_counters(teller, standing["counters"]) or words["none"],
        agents=", ".join(there) or words["none"],
    )
    return f"{told} {words['feather']}" if table.get("feather") == artist else str(told)


def _counters(teller: "Teller", counters: Iterable[Plain]) -> str:
    return ", ".join(_counter(teller, counter) for counter in counters)


def _counter(teller: "Teller", counter: Plain) -> str:
    return f"{teller.fact('kind', counter['kind'])} {signed(teller, counter['value'])}"


def _supplies(teller: "Teller", table: Plain) -> Iterator[str]:
    words = teller.game["table"]
    supply = "; ".join(
        f"{teller.fact('kind', kind)} {' '.join(signed(teller, v) for v in left) or words['none']}"
        for kind, left in table["supply"].items()
    )
    yield words["supply"].format(supply=supply, mark=teller.mark("counters"))
    piles = (
        words["pile"].format(pile=pile, price=teller.number(held["price"]), cards=held["cards"])
        for pile, held in by_seat(table["piles"])
    )
    yield words["piles"].format(piles="; ".join(piles), mark=teller.mark("prices"))
    grey = table["grey"]
    discards = ", ".join(map(str, sorted(grey["discards"].values()))) or words["none"]
    price, mark = teller.number(grey["price"]), teller.mark("cards.g01")
    sentence = words["grey_one" if grey["cards"] == 1 else "grey"]
    yield sentence.format(price=price, cards=grey["cards"], discards=discards, mark=mark)


def _player(teller: "Teller", document: Plain, seat: int, player: Plain) -> Iterator[str]:
    words, steps = teller.game["table"], player["agents"]
    agents = words[("agents_off", "agents_on_one")[len(steps)] if len(steps) < 2 else "agents_on"]
    told = words["player"].format(
        name=teller.player(document, seat),
        cash=teller.number(player["cash"]),
        notes=player["notes"],
        agents=agents.format(steps=", ".join(map(str, steps))),
        reserve=player["reserve"],
        brown=player["brown"],
        grey=player["grey"],
    )
    yield shown(f"  {told}")
    if player["shown"]:
        yield shown(f"    {words['shown'].format(cards=teller.fact('cards', [*player['shown']]))}")
    if "hand" in player:  # laid open after the end
        yield shown(f"    {words['hand'].format(cards=teller.fact('cards', player['hand']))}")


# The counter of this turn


def _dispute(teller: "Teller", document: Plain) -> Iterator[Text]:
    dispute, words = document["table"]["dispute"], teller.game["table"]
    counter = _counter(teller, dispute)
    artist = teller.fact("artist", dispute["artist"])
    pro = teller.seat(document, dispute["pro"])
    yield Text(shown(words["contested"].format(pro=pro, counter=counter, artist=artist)), "bold")
    for part in ("objectors", "withdrawn"):
        if part in dispute:
            yield Text(
                shown(f"  {words[part].format(seats=_seats(teller, document, dispute[part]))}")
            )
    for seat, value in by_seat(dispute.get("stated", {})):
        yield Text(shown(f"  {_stated(teller, document, seat, value)}"))
    if "trial" in dispute:
        yield from map(Text, _trial(teller, document, dispute["trial"]))


def _seats(teller: "Teller", document: Plain, seats: Iterable[int]) -> str:
    named = [teller.seat(document, seat) for seat in seats]
    return ", ".join(named) or str(teller.words["common"]["nobody"])


def _stated(teller: "Teller", document: Plain, seat: int, value: int) -> str:
    dispute = document["table"]["dispute"]
    sentence = teller.game["table"]["offers" if seat == dispute["pro"] else "asks"]
    return str(
        sentence.format(
            name=teller.seat(document, seat),
            value=signed(teller, value),
            said=dispute.get("statements", {}).get(str(seat), 0),
            limit=teller.catalogue["statements"],
        )
    )


def _trial(teller: "Teller", document: Plain, trial: Plain) -> Iterator[str]:
    words = teller.game["table"]
    yield shown(f"  {words['contra'].format(seats=_seats(teller, document, trial['contra']))}")
    committed = [
        f"{teller.seat(document, seat)} {might}" for seat, might in by_seat(trial["might"])
    ]
    if committed:
        yield shown(f"  {words['might'].format(might=', '.join(committed))}")


# What is the player's alone


def _own(teller: "Teller", you: Plain) -> Iterator[str]:
    for part in ("cards", "pile"):
        if part in you:
            told = teller.game["table"][f"own_{part}"]
            yield shown(told.format(cards=teller.fact("cards", you[part])))


def _asked(teller: "Teller", document: Plain) -> Iterator[Text]:
    """Say what is public about the open window, where that is nowhere else on the table."""
    window = document.get("window", {})
    sentence = teller.game["table"].get(f"asked_{window.get('kind')}")
    if sentence is not None:
        facts = {name: teller.fact(name, fact) for name, fact in window["facts"].items()}
        if window["kind"] == "might":
            facts |= _sides(teller, document)
            if document["options"]["might_tax"]:
                taxed = teller.game["table"]["might_tax"]
                sentence = f"{sentence} {taxed.format(total=teller.catalogue['tax_total'])}"
        yield Text(shown(sentence.format(**facts)), "bold")


def _sides(teller: "Teller", document: Plain) -> dict[str, str]:
    """Name who is on which side of a Trial of Strength."""
    dispute = document["table"]["dispute"]
    contra = ", ".join(teller.player(document, seat) for seat in dispute["trial"]["contra"])
    return {"pro": teller.player(document, dispute["pro"]), "contra": contra}


def _described(teller: "Teller", document: Plain, entry: Plain) -> str:
    words = teller.game["table"]
    if entry["do"] == "unlimited" and "choose" in entry:
        agents = ", ".join(agent(teller, key) for key in entry["choose"]["agents"]["assign"])
        return shown(words["move"].format(agents=agents))
    price = _price(document["table"], entry)
    told = teller.action(entry)
    if entry["do"] == "buy_grey":
        told = words["buy_grey_for"].format(price=teller.number(price))
    elif entry["do"] == "done" and not document["window"]["facts"]["stepped"]:
        told = words["play_none"]
    cash = document["table"]["players"][str(document["you"]["seat"])]["cash"] if price else 0
    return f"{told} {words['borrow']}" if price > cash else told


def _price(table: Plain, entry: Plain) -> int:
    if entry["do"] == "buy_grey":
        return int(table["grey"]["price"])
    pile = entry.get("pile")
    return 0 if pile is None else int(table["piles"][str(pile)]["price"])


# Fields told in a way of their own


def fame(teller: "Teller", space: Any) -> str:
    """Say what a space on the scale of fame is worth."""
    scale, golden = teller.catalogue["scale"], teller.catalogue["in_scale"]
    words = teller.game["table"]
    if space < 0:
        return str(words["space_out"])
    if space < len(scale):
        return teller.number(scale[space])
    return str(words["space_in"].format(pays=teller.number(golden[space - len(scale)])))


def agent(teller: "Teller", key: Any) -> str:
    """Say where an agent stands."""
    words = teller.game["table"]
    return str(words["on_step"].format(step=key) if key.isdecimal() else words["in_reserve"])


def _agents(teller: "Teller", moved: Any) -> str:
    """Say where agents went, or where one may go."""
    if isinstance(moved, int):
        return str(teller.game["table"]["on_step"].format(step=moved))
    told = (f"{agent(teller, key)} → {_agents(teller, step)}" for key, step in moved.items())
    return ", ".join(told)


def _pile(teller: "Teller", pile: Any) -> str:
    price = teller.number(teller.catalogue["prices"][pile - 1])
    return str(teller.game["table"]["pile_at"].format(pile=pile, price=price))


def _rolls(teller: "Teller", rolls: Any) -> str:
    return ", ".join(f"{teller.who(int(seat))}: {_dice(dice)}" for seat, dice in by_seat(rolls))


def _dice(dice: Iterable[int]) -> str:
    return " + ".join(map(str, dice))


LOOK = Look(
    lines=_lines,
    described=_described,
    facts={
        "value": signed,
        "by": signed,
        "old": signed,
        "new": signed,
        "space": fame,
        "agent": agent,
        "agents": _agents,
        "pile": _pile,
        "rolls": _rolls,
        "dice": _rolls,
    },
)
