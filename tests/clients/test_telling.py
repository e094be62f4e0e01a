"""Sentences: every language has them all, and every entry and event has one."""

from typing import Any

import msgspec
import pytest
from rich.text import Text

from saleroom_cli.console import Language
from saleroom_cli.telling import Teller, words
from saleroom_protocol.games import VOCABULARIES
from saleroom_protocol.games import record as entries
from saleroom_protocol.games.kunstmarkt import CustomerDrawn, HandDealt, MarketOpened, PictureBought
from saleroom_protocol.games.record import AnyEntry, OutcomeLine
from saleroom_rules.games import GAMES

# Entries that say nothing but what the game itself tells.
SILENT = {"created", "acted", "finished"}
every_language = pytest.mark.parametrize("language", list(Language))


def keys(value: Any, path: str = "") -> set[str]:
    if not isinstance(value, dict):
        return {path}
    return {key for name, part in value.items() for key in keys(part, f"{path}.{name}")}


def sentence(line: Text) -> str:
    """Return a told line without its number."""
    return line.plain[7:]


def test_all_languages_have_the_same_keys() -> None:
    first, *others = (keys(words(language)) for language in Language)
    assert all(other == first for other in others)


@every_language
def test_every_entry_has_a_sentence_or_is_silent(language: Language) -> None:
    tags = {kind.__struct_config__.tag for kind in AnyEntry.__args__}
    assert set(words(language)["entries"]) == tags - SILENT


@every_language
@pytest.mark.parametrize("key", list(GAMES))
def test_every_event_of_every_game_has_a_sentence(language: Language, key: str) -> None:
    tags = {kind.__struct_config__.tag for kind in VOCABULARIES[key].event.__args__}
    sentences = words(language)[key]["events"]
    assert {name.split("_with_")[0] for name in sentences} == tags


@every_language
def test_every_value_on_a_card_has_a_word(language: Language) -> None:
    catalogue = msgspec.to_builtins(GAMES["kunstmarkt"].catalogue())
    values = words(language)["kunstmarkt"]["values"]
    for picture in catalogue["pictures"].values():
        assert {picture["nationality"], *picture["categories"]} <= values.keys()
    for customer in catalogue["customers"].values():
        assert customer["wish"] in values


def test_the_fuller_sentence_is_used_where_there_is_more_to_tell() -> None:
    teller = Teller.of(GAMES["kunstmarkt"], Language.EN)
    entry = entries.Finished(entry=7, seq=7, at=0)
    events = (
        CustomerDrawn(1),
        CustomerDrawn(1, "c13"),
        CustomerDrawn(1, "c07"),
        CustomerDrawn(1, "c21"),
        PictureBought(1, "p01", 2_000),
        PictureBought(1, "p21", 15_000, "p14"),
    )
    assert [sentence(line) for line in teller.lines(entry, events)] == [
        "Seat 1 draws a customer.",
        "Seat 1 draws a customer: a modern picture, as famous as possible, pays 18,000 (c13).",
        "Seat 1 draws a customer: a picture from the Netherlands or Russia, as new as possible, "
        "pays 24,000 ~ (c07).",
        "Seat 1 draws a customer: any picture, as famous as possible, pays 25,000 ~ (c21).",
        "Seat 1 buys Albrecht Dürer, “Selbstbildnis” ~ (p01) for 2,000.",
        "Seat 1 discards Lovis Corinth, “Liegender Akt” ~ (p14) and buys "
        "Dierick Bouts, “Verkündigung” ~ (p21) for 15,000.",
    ]


def test_what_happens_to_the_room_is_told_too() -> None:
    teller = Teller.of(GAMES["kunstmarkt"], Language.EN)
    told: list[AnyEntry] = [
        entries.SeatTaken(
            entry=1,
            seq=1,
            at=0,
            seat=0,
            player="paaaaaaaaaaaaaaaa",
            name="[A]\\[/x]d\na",
            kind="person",
        ),
        entries.Expired(entry=2, seq=2, at=0, window=7, answers={}),
        entries.Closed(entry=3, seq=3, at=0, reason="abandoned"),
        entries.Created(entry=4, seq=4, at=0),
    ]
    assert [sentence(line) for entry in told for line in teller.lines(entry, ())] == [
        "[A]\\[/x]d\ufffda takes seat 0.",
        "Time runs out in window 7.",
        "The room is closed: nobody came back.",
    ]


def test_what_has_a_word_is_told_by_it_and_what_has_none_as_it_is() -> None:
    teller = Teller.of(GAMES["kunstmarkt"], Language.DE)
    told: list[AnyEntry] = [
        entries.Closed(entry=1, seq=1, at=0, reason="abandoned"),
        entries.Closed(entry=2, seq=2, at=0, reason="flood"),
    ]
    assert [sentence(line) for entry in told for line in teller.lines(entry, ())] == [
        "Der Raum wird geschlossen: verlassen.",
        "Der Raum wird geschlossen: flood.",
    ]
    assert list(teller.places(OutcomeLine(reason="abandoned"))) == []


def test_lists_and_maps_of_cards_are_told_card_by_card() -> None:
    teller = Teller.of(GAMES["kunstmarkt"], Language.EN)
    entry = entries.Started(entry=1, seq=1, at=0)
    events = (HandDealt(2, ("p01",), ()), MarketOpened({"2000": "p14", "15000": "p26"}))
    assert [sentence(line) for line in teller.lines(entry, events)][1:] == [
        "Seat 2 is dealt Albrecht Dürer, “Selbstbildnis” ~ (p01); and customers: nothing.",
        "On the market: 2,000: Lovis Corinth, “Liegender Akt” ~ (p14); "
        "15,000: Rembrandt, “Kreuzabnahme” ~ (p26).",
    ]
    assert teller._named("odd", {"a": "b"}) == "a: b"
