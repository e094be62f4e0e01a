"""What is told of a room beside its game: who sits where, whom it waits for, what is said."""

from collections.abc import Iterator, Mapping
from typing import Any

from rich.text import Text

from saleroom_cli.console import shown
from saleroom_cli.table import table_lines
from saleroom_cli.telling import Teller
from saleroom_protocol.games.record import OutcomeLine
from saleroom_protocol.messages import Said

Document = Mapping[str, Any]


def seats(teller: Teller, document: Document) -> Iterator[Text]:
    """Tell who sits where, a line each."""
    for seat, sitter in sorted(document["seats"].items(), key=lambda item: int(item[0])):
        line = teller.words["seats"]["line"].format(seat=seat, name=sitter["name"])
        yield Text(shown("  " + " · ".join([line, *_marks(teller, sitter)])))


def _marks(teller: Teller, sitter: Mapping[str, Any]) -> Iterator[str]:
    words = teller.words["seats"]
    if sitter["kind"] in words:  # that of a person needs no word
        yield words[sitter["kind"]]
    if not sitter["connected"]:
        yield words["gone"]
    if sitter["away"]:
        yield words["away"]
    if sitter.get("resigned"):
        yield words["resigned"]


def standing(teller: Teller, document: Document, now: int) -> str:
    """Say what the room waits for at a server's time; empty if for nothing."""
    if document["status"] == "waiting":
        return _beginning(teller, document, now)
    if document["status"] == "paused":
        return str(teller.words["common"]["paused"])
    asked, seconds = teller.window(document), seconds_left(document, now)
    if not asked or seconds is None:
        return asked
    return str(teller.words["common"]["left"].format(window=asked, seconds=seconds))


def _beginning(teller: Teller, document: Document, now: int) -> str:
    if "starts_at" not in document:
        return str(teller.words["play"]["waiting"])
    seconds = _seconds(document["starts_at"] - now)
    return str(teller.words["play"]["starts"].format(seconds=seconds))


def seconds_left(document: Document, now: int) -> int | None:
    """Return how long the open window still waits; None if for ever, or if there is none."""
    closes_at = document.get("window", {}).get("closes_at")
    return None if closes_at is None else _seconds(closes_at - now)


def _seconds(ms: int) -> int:
    return max(0, round(ms / 1000))


def said(teller: Teller, document: Document, heard: Said) -> Text:
    """Tell what somebody said, and to whom if not to all."""
    speaker = heard.from_.seat
    who = teller.seat(document, speaker) if isinstance(speaker, int) else str(heard.from_.name)
    private = isinstance(heard.to, int)
    sentence = teller.words["chat"]["seat" if private else heard.to]
    to = teller.seat(document, heard.to) if isinstance(heard.to, int) else ""
    return Text(shown(sentence.format(who=who, to=to, text=heard.text)), "italic")


def ending(teller: Teller, document: Document) -> Iterator[Text]:
    """Tell how a room has ended: the open table, places with names; or why there are none."""
    result = document.get("result")
    if result is None:
        return
    if "places" not in result:
        reason = teller.words["reasons"].get(result["reason"], result["reason"])
        yield Text(shown(teller.words["common"]["no_result"].format(reason=reason)), "bold")
        return
    yield from table_lines(teller, document)
    yield Text("")
    outcome = OutcomeLine(reason=result["reason"], scores=result["scores"], places=result["places"])
    names = {int(seat): sitter["name"] for seat, sitter in document["seats"].items()}
    yield from teller.places(outcome, names)
