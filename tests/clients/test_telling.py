"""Sentences: every language has them all, and every entry and event has one."""

import re
from itertools import pairwise
from random import Random
from typing import Any

import msgspec
import pytest
from rich.text import Text

from saleroom_cli import scene
from saleroom_cli.console import Language
from saleroom_cli.games import LOOKS
from saleroom_cli.problems import problem, refusal
from saleroom_cli.prompting import Menu
from saleroom_cli.table import table_lines
from saleroom_cli.telling import PARTS, Teller
from saleroom_cli.wording import words
from saleroom_client import (
    ConnectionLost,
    OutOfStep,
    Refused,
    RoomLeft,
    SaleroomError,
    VersionMismatch,
)
from saleroom_protocol.document import RoomAction, RoomEvent
from saleroom_protocol.errors import Reason
from saleroom_protocol.games import VOCABULARIES
from saleroom_protocol.games import record as entries
from saleroom_protocol.games.forms import Form
from saleroom_protocol.games.kunstmarkt import CustomerDrawn, HandDealt, MarketOpened, PictureBought
from saleroom_protocol.games.record import AnyEntry, OutcomeLine
from saleroom_protocol.messages import Said, Speaker
from saleroom_rules.games import GAMES
from saleroom_server.rooms.views import Clock, document, look
from tests.support.games import TOY, component_ids, strings_in, variants_of

# Entries that say nothing but what the game itself tells.
SILENT = {"created", "acted"}
every_language = pytest.mark.parametrize("language", list(Language))
every_game = pytest.mark.parametrize("key", list(GAMES))
ENGLISH = Teller.of(GAMES["kunstmarkt"], Language.EN)
VERNISSAGE = Teller.of(GAMES["vernissage"], Language.EN)
STARTS = 1_000_000


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
    assert set(words(language)["entries"]) == tags(AnyEntry) - SILENT


@every_language
@every_game
def test_every_event_of_every_game_has_a_sentence(language: Language, key: str) -> None:
    sentences = words(language)[key]["events"]
    assert {name.split("_with_")[0] for name in sentences} == tags(VOCABULARIES[key].event)


def tags(union: Any) -> set[str]:
    return {kind.__struct_config__.tag for kind in union.__args__}


@every_language
@every_game
def test_every_action_window_and_why_of_every_game_has_a_sentence(
    language: Language, key: str
) -> None:
    vocabulary, own = VOCABULARIES[key], words(language)[key]
    assert own.keys() == set(PARTS)
    assert own["actions"].keys() == tags(vocabulary.action)
    assert own["windows"].keys() == vocabulary.facts.keys()
    assert own["whys"].keys() == {str(why) for why in vocabulary.why}


@every_language
@every_game
def test_every_field_a_form_asks_for_has_a_question(language: Language, key: str) -> None:
    luck = Random(7)
    asked: set[str] = set()
    for variant in variants_of(GAMES[key]):
        for state, _ in variant.turns(luck.getrandbits(32), luck.getrandbits(32)):
            for seat in range(variant.seats):
                entries = [*variant.rules.legal(state, seat), *variant.rules.anytime(state, seat)]
                asked |= {field for e in entries if isinstance(e, Form) for field in e.choose}
    assert asked
    assert words(language)[key]["fields"].keys() == asked


@every_language
def test_every_event_and_action_of_the_room_has_a_sentence(language: Language) -> None:
    assert words(language)["room"].keys() == tags(RoomEvent)
    assert words(language)["actions"].keys() == tags(RoomAction)


@every_language
@pytest.mark.parametrize("reason", list(Reason))
def test_every_reason_has_a_sentence_that_holds_its_facts(
    language: Language, reason: Reason
) -> None:
    facts = dict.fromkeys(reason.facts, "FACT")
    told = refusal(language, reason, facts)
    assert told.endswith((".", "!"))
    assert "?" not in told
    assert told != reason


@every_language
@every_game
def test_every_why_is_told_instead_of_its_reason(language: Language, key: str) -> None:
    teller = Teller.of(GAMES[key], language)
    told = {teller.refusal("illegal_action", {"why": why}) for why in VOCABULARIES[key].why}
    assert len(told) == len(VOCABULARIES[key].why)
    assert teller.refusal("illegal_action", {"why": "later"}) not in told
    assert teller.refusal("illegal_action", {"why": "later"}) != "illegal_action"


def test_what_a_refusal_does_not_tell_is_a_question_mark_and_a_later_one_tells_itself() -> None:
    assert refusal(Language.EN, "malformed", {}) == "The server cannot take this: ?."
    assert refusal(Language.EN, "too_rich", {}, "Too\nrich.") == "Too\ufffdrich."
    assert refusal(Language.DE, "too_rich", {}) == "too_rich"


def lost(cause: Exception | None = None) -> ConnectionLost:
    error = ConnectionLost("POST /v1/rooms: gone")
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (Refused("room_full", {}), "Every seat is taken."),
        (Refused("http_502", {}), "What answers there is no Saleroom server, or not at that"),
        (RoomLeft("r", "kicked"), "The host has freed your seat."),
        (RoomLeft("r", "flooded"), "flooded"),
        (ConnectionLost("4000", reason="bad_token", code=4000), "The server does not know you"),
        (lost(ConnectionRefusedError(111, "Connection refused")), "reached: Connection refused."),
        (lost(OSError("odd")), "The server cannot be reached: POST /v1/rooms: gone."),
        (lost(), "The server cannot be reached: POST /v1/rooms: gone."),
        (VersionMismatch("no"), "The server speaks another version of the protocol"),
        (OutOfStep("r"), "What the server sends of this room does not fit together."),
        (SaleroomError("another"), "another"),
    ],
)
def test_every_way_to_end_badly_is_told_in_one_line(error: SaleroomError, told: str) -> None:
    assert told in problem(Language.EN, error)
    assert problem(Language.DE, error)
    assert "\n" not in problem(Language.DE, error)


@every_language
def test_every_value_on_a_card_has_a_word(language: Language) -> None:
    catalogue = msgspec.to_builtins(GAMES["kunstmarkt"].catalogue())
    values = words(language)["kunstmarkt"]["values"]
    for picture in catalogue["pictures"].values():
        assert {picture["nationality"], *picture["categories"]} <= values.keys()
    for customer in catalogue["customers"].values():
        assert customer["wish"] in values


@every_game
def test_every_game_has_a_look(key: str) -> None:
    assert key in LOOKS


@every_language
@every_game
def test_whole_games_are_told_without_a_word_missing(language: Language, key: str) -> None:
    rules, luck = GAMES[key], Random(2)
    teller, values = Teller.of(rules, language), words(language)[key]["values"]
    names = {str(seat): {"name": "Ada"} for seat in range(10)}
    known = {*component_ids(rules), *words(language)[key]["reasons"], *values}
    for variant in variants_of(rules):
        for state, _ in variant.moments(luck.getrandbits(32), luck.getrandbits(32)):
            seen = look(rules, state, variant.seats, Clock(0))
            for seat in [seat for seat in range(variant.seats) if rules.legal(state, seat)]:
                shown: dict[str, Any] = document(seen, seat)
                shown |= {"game": key, "seats": names}
                shown["options"] = msgspec.to_builtins(variant.options)
                told = [line.plain for line in table_lines(teller, shown)]
                told += Menu(shown, teller).question.options
                assert_all_is_said(told)
        for _, turn in variant.turns(luck.getrandbits(32), luck.getrandbits(32)):
            events = [msgspec.to_builtins(event) for event in turn.step.events]
            assert_all_is_said([teller.event(event) for event in events])
            for event in events:  # of a field that is told in a way of its own every word is there
                plain = [value for name, value in event.items() if name not in teller.look.facts]
                said = {word for word in strings_in(plain) if word.isalpha()}
                assert said - {event["event"]} <= known


def assert_all_is_said(told: list[str]) -> None:
    """Expect neither a word of the wire nor an unfilled place in what is told."""
    for line in told:
        assert not re.search(r"[a-z]_[a-z0-9]|[{}\[\]]", line), line


def test_what_moves_something_is_told_with_its_sign_and_what_it_leads_to() -> None:
    events: list[dict[str, Any]] = [
        {"event": "counter_placed", "seat": 1, "artist": "boyz", "kind": "scandal"}
        | {"value": -6, "step": 4},
        {"event": "fame_moved", "artist": "boyz", "why": "counter", "by": -11, "space": 9},
        {"event": "fame_moved", "artist": "kali", "why": "great", "by": 12, "space": 36},
        {"event": "fame_moved", "artist": "kali", "why": "critic", "by": -5, "space": -2},
        {"event": "stated", "seat": 0, "how": "agree", "value": 3},
        {"event": "counters_exchanged", "artist": "krach", "kind": "purchase", "old": 1, "new": 3},
        {"event": "counter_returned", "artist": "boyz", "kind": "critique", "value": -6},
    ]
    assert [VERNISSAGE.event(event) for event in events] == [
        "Seat 1 places scandal −6 in front of Joe Boyz, on step 4.",
        "Fame of Joe Boyz: −11 (counter), now −10,000.",
        "Fame of Donna Salva Kali: +12 (Great Vernissage), now IN at 60,000.",
        "Fame of Donna Salva Kali: −5 (critic), now OUT.",
        "Seat 0 agrees to +3.",
        "Agreed: purchase +1 in front of Elfrieda Krach becomes +3.",
        "Back beside the board: critique −6, until now in front of Joe Boyz.",
    ]


def test_what_is_held_by_seat_is_told_by_seat() -> None:
    dice = {"2": [6, 1], "0": [3, 4]}
    events: list[dict[str, Any]] = [
        {"event": "objected", "seats": []},
        {"event": "objected", "seats": [0, 2]},
        {"event": "might_committed", "might": {"2": 1}},
        {"event": "trial_rolled", "dice": dice, "totals": {"2": 8, "0": 7}},
        {"event": "trial_decided", "winner": "contra"},
    ]
    assert [VERNISSAGE.event(event) for event in events] == [
        "Nobody objects.",
        "Objections: seat 0, seat 2.",
        "Might added by seat 2: 1.",
        "Dice: seat 0: 3 + 4, seat 2: 6 + 1. With might: seat 2: 8, seat 0: 7.",
        "The Trial of Strength is won by Contra.",
    ]


def test_cards_and_agents_are_told_by_what_they_are() -> None:
    bought: dict[str, Any] = {"event": "grey_bought", "seat": 1, "price": 10_000}
    moved: dict[str, Any] = {"event": "agents_moved", "seat": 1, "card": "b72"}
    events = [
        {"event": "hand_dealt", "seat": 0, "cards": ["b08", "b36", "b59"]},
        bought,
        bought | {"card": "g20"},
        moved | {"agents": {"2": 11, "reserve_1": 4}},
        {"event": "pile_bought", "seat": 2, "pile": 3, "price": 40_000},
        {"event": "grey_shuffled", "cards": 5},
    ]
    assert [VERNISSAGE.event(event) for event in events] == [
        "Seat 0 is dealt work by Joe Boyz (b08), might (b36), critic (b59).",
        "Seat 1 buys a grey card for 10,000.",
        "Seat 1 buys a grey card for 10,000: step change up to 4 ~ (g20).",
        "Seat 1 plays unlimited step change (b72): step 2 → step 11, reserve → step 4.",
        "Seat 2 buys from pile 3 (40,000).",
        "The grey discards are shuffled into a new pile: 5 cards.",
    ]


def test_german_cards_stand_where_their_names_need_no_case() -> None:
    teller = Teller.of(GAMES["vernissage"], Language.DE)
    events: list[dict[str, Any]] = [
        {"event": "agents_moved", "seat": 1, "card": "b73", "agents": {"2": 11, "reserve_1": 4}},
        {"event": "feather_taken", "seat": 0, "card": "b61", "artist": "krach"},
        {"event": "card_kept", "seat": 2, "pile": 3, "card": "b72"},
        {"event": "works_shown", "seat": 1, "cards": ["b08", "b09"]},
        {"event": "hand_dealt", "seat": 0, "cards": ["b72", "b59"]},
        {"event": "pile_bought", "seat": 0, "pile": 1, "price": 20_000, "cards": ["b72"]},
    ]
    assert [teller.event(event) for event in events] == [
        "Platz 1 spielt: unbegrenzter Stufenwechsel (b73), Stufe 2 → Stufe 11, Reserve → Stufe 4.",
        "Platz 0 spielt: Kritiker (b61). Die Feder geht an Elfrieda Krach.",
        "Platz 2 behält: unbegrenzter Stufenwechsel (b72).",
        "Platz 1 zeigt: Werk von Joe Boyz (b08), Werk von Joe Boyz (b09).",
        "Platz 0 bekommt: unbegrenzter Stufenwechsel (b72), Kritiker (b59).",
        "Platz 0 kauft aus Stapel 1 (20.000) und sieht: unbegrenzter Stufenwechsel (b72).",
    ]
    assert teller.action({"do": "keep", "card": "b72"}) == (
        "Diese Karte behalten: unbegrenzter Stufenwechsel (b72)."
    )


@every_language
@every_game
def test_that_a_game_is_over_is_told_once_after_the_reason(language: Language, key: str) -> None:
    teller = Teller.of(GAMES[key], language)
    (over,) = teller.lines(entries.Finished(entry=9, seq=8, at=0), ())
    assert sentence(over) == teller.event({"event": "finished"})
    for reason, told in words(language)[key]["reasons"].items():
        assert teller.event({"event": "game_ended", "reason": reason}) == told


@every_language
@every_game
def test_every_event_begins_like_a_sentence(language: Language, key: str) -> None:
    for name, told in words(language)[key]["events"].items():
        assert re.match(r"[A-ZÄÖÜ]|\{(artist|reason)\}", told), name


def test_a_list_has_commas_unless_one_of_its_items_has() -> None:
    assert VERNISSAGE.fact("kinds", ["purchase", "scandal"]) == "purchase, scandal"
    assert VERNISSAGE.fact("amount", [1_000, 2]) == "1,000; 2"
    assert VERNISSAGE.fact("cards", []) == "nothing"


def test_the_legend_names_what_amounts_are_in_where_the_game_does() -> None:
    assert VERNISSAGE.legend().plain.endswith(
        "may differ. Amounts are in Rubens; a space of fame is 10,000."
    )
    assert ENGLISH.legend().plain.endswith("may differ.")
    catalogue = msgspec.to_builtins(GAMES["vernissage"].catalogue())
    scale = catalogue["scale"]
    assert {high - low for low, high in pairwise(scale)} == {10_000}


def test_a_score_below_nothing_has_the_sign_for_minus() -> None:
    outcome = OutcomeLine(reason="stall", scores={"0": -350_000}, places={"0": 1})
    assert [line.plain for line in ENGLISH.places(outcome)] == ["1. seat 0 with −350,000"]


def test_a_part_of_what_is_reconstructed_and_what_holds_one_are_marked() -> None:
    catalogue = {"game": "vernissage", "reconstructed": ["scale", "cards.g01.steps"]}
    teller = Teller("V", catalogue, Language.EN)
    for path in ("scale", "scale.0", "cards", "cards.g01", "cards.g01.steps"):
        assert teller.mark(path) == " ~"
    assert teller.mark("steps", "cards.g02", "cards.g01.kind", "scales") == ""
    assert teller.mark("steps", "scale") == " ~"


def test_the_fuller_sentence_is_used_where_there_is_more_to_tell() -> None:
    teller = Teller.of(GAMES["kunstmarkt"], Language.EN)
    entry = entries.Created(entry=7, seq=7, at=0)
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


def sitter(name: str, **marks: Any) -> dict[str, Any]:
    return {"name": name, "kind": "person", "connected": True, "away": False} | marks


def room(**fields: Any) -> dict[str, Any]:
    """Return a document of a room in which Ada and a bot play."""
    seats = {"1": sitter("Bo", kind="house"), "0": sitter("Ada")}
    return {"game": "kunstmarkt", "status": "running", "seats": seats, "table": {}} | fields


def window(**fields: Any) -> dict[str, Any]:
    return {"number": 3, "kind": "turn", "seats": [0, 1], "answered": [1], **fields}


def test_events_of_the_room_are_told_with_words_for_their_facts() -> None:
    told = [
        ENGLISH.event({"event": "presence", "seat": 1, "connected": False}),
        ENGLISH.event({"event": "presence", "seat": 1, "connected": True}),
        ENGLISH.event({"event": "closed", "reason": "abandoned"}),
        ENGLISH.event({"event": "closed", "reason": "flood"}),
        ENGLISH.event({"event": "passed", "seat": 2}),
    ]
    assert told == [
        "Seat 1 is not connected.",
        "Seat 1 is here.",
        "The room is closed: nobody came back.",
        "The room is closed: flood.",
        "Seat 2 passes.",
    ]


def test_a_game_of_a_later_version_is_told_by_the_names_on_the_wire() -> None:
    for key in ("toy", "common"):  # a game may be called like a part of the words
        teller = Teller("Toy", {"game": key}, Language.EN)
        assert teller.event({"event": "die_rolled", "eyes": 3}) == "die rolled"
        assert teller.action({"do": "put_down", "cards": ["a", "b"]}) == "put down a, b"
        assert teller.field("spaces_left", "a") == "spaces left · a"
        assert teller.window(room(window=window())) == "Ada (seat 0): turn"
        assert teller.refusal("illegal_action", {"why": "odd"}).startswith("The rules do not")
    assert Teller.of(TOY, Language.DE).choice("value", 1000) == "1.000"


def test_who_sits_where_is_told_in_words() -> None:
    seats = {
        "10": sitter("Robo", kind="bot", connected=False, away=True, resigned=True),
        "2": sitter("Bo", kind="house"),
        "0": sitter("A\nda"),
    }
    told = [line.plain for line in scene.seats(ENGLISH, room(seats=seats))]
    assert told == [
        "  seat 0  A\ufffdda",
        "  seat 2  Bo · house bot",
        "  seat 10  Robo · bot · not connected · away · has given up",
    ]


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"status": "waiting"}, "The game begins when every seat is taken. At the table:"),
        ({"status": "waiting", "starts_at": STARTS + 2_600}, "The game begins in 3 s."),
        ({"status": "waiting", "starts_at": STARTS - 1}, "The game begins in 0 s."),
        ({"status": "paused"}, "The clock stands still until a player is back."),
        ({"window": window()}, "Ada (seat 0): has the turn"),
        ({"window": window(closes_at=STARTS + 9_000)}, "Ada (seat 0): has the turn, 9 s left"),
        ({"status": "finished"}, ""),
    ],
)
def test_what_a_room_waits_for_is_told(fields: dict[str, Any], told: str) -> None:
    assert scene.standing(ENGLISH, room(**fields), STARTS) == told


@pytest.mark.parametrize(
    ("speaker", "to", "told"),
    [
        ({"seat": 0}, "table", "Ada (seat 0): “Hi!\ufffd”"),
        ({"seat": 0}, 1, "Ada (seat 0) to Bo (seat 1) alone: “Hi!\ufffd”"),
        ({"name": "Zoe"}, "spectators", "Zoe to the spectators: “Hi!\ufffd”"),
        ({"seat": 4}, "table", "seat 4: “Hi!\ufffd”"),
    ],
)
def test_what_is_said_is_told_with_who_and_to_whom(
    speaker: dict[str, Any], to: Any, told: str
) -> None:
    heard = Said(room="r", number=1, from_=Speaker(**speaker), to=to, text="Hi!\x1b", at=0)
    assert scene.said(ENGLISH, room(), heard).plain == told


def test_an_ending_is_told_with_names_or_with_the_reason_there_is_no_result() -> None:
    won = {"reason": "capital", "scores": {"0": 9, "1": 7}, "places": {"0": 1, "1": 2}}
    assert [line.plain for line in scene.ending(ENGLISH, room(result=won))] == [
        "",
        "1. Ada (seat 0) with 9",
        "2. Bo (seat 1) with 7",
    ]
    for reason, told in (("abandoned", "nobody came back"), ("flood", "flood")):
        (line,) = scene.ending(ENGLISH, room(result={"reason": reason}))
        assert line.plain == f"The room has ended without a result: {told}."
    assert list(scene.ending(ENGLISH, room())) == []


def test_whoever_is_known_is_told_by_name_and_namesakes_with_their_seats() -> None:
    teller = Teller.of(GAMES["vernissage"], Language.EN)
    placed = {"event": "withdrew", "seat": 1}
    objected = {"event": "objected", "seats": [0, 1, 2]}
    assert teller.event(placed) == "Seat 1 objects no longer."
    names = ("Ada", "{B}", "Ada")
    teller.meet({"seats": {str(seat): {"name": name} for seat, name in enumerate(names)}})
    assert teller.event(placed) == "{B} objects no longer."
    assert teller.event(placed | {"seat": 2}) == "Ada (seat 2) objects no longer."
    assert "Ada (seat 0), {B}, Ada (seat 2)" in teller.event(objected)
    taken = {"event": "seat_taken", "seat": 1, "name": "{B}"}
    assert teller.event(taken) == "{B} takes seat 1."
    assert teller.event({"event": "seat_left", "seat": 3}) == "Seat 3 is free again."


def test_who_is_called_like_a_seat_is_told_with_the_own() -> None:
    teller = Teller.of(GAMES["vernissage"], Language.DE)
    teller.meet({"seats": {"0": {"name": "platz 2"}}})
    told = teller.event({"event": "withdrew", "seat": 0})
    assert told.startswith("platz 2 (Platz 0) ")
