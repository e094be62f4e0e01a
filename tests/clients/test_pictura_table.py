"""Museum Pictura in lines of text: its table, what may be chosen, and a museum being arranged."""

import re
from random import Random
from typing import Any

import pytest
from rich.text import Text

from saleroom_cli.console import Language
from saleroom_cli.games.pictura_board import Arranging, collections, place
from saleroom_cli.prompting import Decision, Drafts, Menu
from saleroom_cli.questions import Question
from saleroom_cli.table import described, table_lines
from saleroom_cli.telling import Teller
from saleroom_protocol.games.pictura import Arrange, FavourChoose, Options
from saleroom_rules.pictura.board import GRAND_GALLERY, PLACES
from saleroom_rules.pictura.museum import collection_points, gallery_points
from saleroom_rules.pictura.state import State
from saleroom_server.rooms.views import Clock, Viewer, document, look
from tests.support.pictura import (
    CITIES,
    FAVOUR,
    IMPRESSIONISM,
    PORTRAITS,
    RENAISSANCE,
    RULES,
    Game,
    table,
)

ENGLISH = Teller.of(RULES, Language.EN)
GERMAN = Teller.of(RULES, Language.DE)
NAMES = {"0": {"name": "Ada"}, "1": {"name": "Bo"}, "2": {"name": "Cl\x1beo"}}
FIVE = RENAISSANCE[:5]
HUNG = {0: FIVE}
LATE = IMPRESSIONISM[:4]
HANDS = {0: ("p037", "p061", "p175"), 1: ("p100",)}
EUROPE = {"madrid": ("t02", ("p001", "p141"))}  # likes Renaissance, history, and painter 14


def seen(state: State, viewer: Viewer = 0, options: Options | None = None) -> dict[str, Any]:
    chosen = options or Options()
    switches = {name: getattr(chosen, name) for name in Options.__struct_fields__}
    shown: dict[str, Any] = {"game": "pictura", "seats": NAMES, "options": switches}
    return shown | document(look(RULES, state, 3, Clock(0)), viewer)


def drawn(state: State, viewer: Viewer = 0, teller: Teller = ENGLISH, **more: Any) -> list[str]:
    return plain(table_lines(teller, seen(state, viewer, **more)))


def plain(lines: Any) -> list[str]:
    return [line.plain for line in lines if isinstance(line, Text)]


def after(lines: list[str], heading: str) -> list[str]:
    (start,) = [number for number, line in enumerate(lines) if line.startswith(heading)]
    return lines[start + 1 :]


def test_the_museums_of_the_world_are_shown_with_what_each_painting_is_worth_there() -> None:
    lines = drawn(table(cities=EUROPE, trend="t02"), None)
    assert lines[1:3] == [
        "General trend: Renaissance, history, Tiepolo ~ (t02)",
        "Worth under a trend ~: period 1, theme 1, painter 2, added up.",
    ]
    assert after(lines, "  Madrid, trend: Renaissance, history, Tiepolo ~ (t02)")[:2] == [
        "    1  Botticelli, mythology, Renaissance ~ (p001)",
        "    0  Goya, religion, Romanticism ~ (p141)",
    ]


def test_where_the_general_trend_counts_for_favours_alone_that_is_said() -> None:
    off = Options(general_trend=False)
    lines = drawn(table(hands=HANDS, options=off), options=off)
    told = [line for line in lines if "eneral trend" in line]
    assert len(told) == 1
    assert told[0].startswith("General trend, which counts for favours alone: ")


def test_patrons_chips_and_piles_are_shown() -> None:
    lines = drawn(table(patrons=("m15", "m16"), past_favours={"f01": "points", "f02": "points"}))
    assert after(lines, "Patrons")[:2] == [
        "  wants 2 × Baroque and 2 × history, gives +3 points ~ (m15)",
        "  wants 1 × Baroque and 3 × history, gives a painting (Baroque) ~ (m16)",
    ]
    assert any(line.startswith("Exhibition chips left: Renaissance 2, Baroque 2") for line in lines)
    assert "Favours discarded: 4 points ~ (2)." in lines


def test_a_museum_is_a_board_of_rows_that_can_be_read_one_by_one() -> None:
    lines = drawn(table(museums={0: {**dict(zip(FIVE, PLACES, strict=False)), "p040": 12}}))
    assert after(lines, "  Ada (seat 0, you): ")[:4] == [
        "       1             2             3             4             5",
        "    A  p001 Ren Myt  p002 Ren Myt  p003 Ren His  p004 Ren Rel  p005 Ren Lan",
        "    C  free          free          p040 Bar Rel  free          free",
        "    Collections, with points ~, as it hangs: Renaissance 5 (4).",
    ]


def test_a_full_board_fits_eighty_columns_in_every_language() -> None:
    for teller in (ENGLISH, GERMAN):
        lines = drawn(table(museums={0: RENAISSANCE[:25]}), teller=teller)
        rows = [line for line in lines if line[4:7] in ("A  ", "B  ", "C  ", "D  ", "E  ")]
        assert len(rows) == 5
        assert max(map(len, rows)) <= 80


@pytest.mark.parametrize("luck", range(5))
def test_the_collections_told_bring_what_the_rules_give_for_them(luck: int) -> None:
    dice = Random(luck)
    for count in (0, 6, 12, 18, 25):
        few = dice.sample([*RENAISSANCE, *PORTRAITS[6:12]], count)
        museum = dict(zip(few, dice.sample(PLACES, count), strict=True))
        expected = [*collection_points(museum).values(), gallery_points(museum)]
        told = re.findall(r"\(([0-9]+)\)", collections(ENGLISH, museum))
        assert [int(points) for points in told] == [points for points in expected if points]


def test_a_full_grand_gallery_of_one_category_is_told() -> None:
    gallery = dict(zip(RENAISSANCE, GRAND_GALLERY, strict=False))
    assert any("Grand Gallery (5)." in line for line in drawn(table(museums={0: gallery})))
    mixed = {**dict(list(gallery.items())[1:]), "p175": gallery["p001"]}
    assert not any("Grand Gallery" in line for line in drawn(table(museums={0: mixed})))


def test_what_belongs_to_a_player_is_shown_beside_the_board() -> None:
    state = table(archives={1: ("p037", "p061")}, exhibitions={1: {"draw_paintings": "baroque"}})
    lines = drawn(state)
    bo = after(lines, "  Bo (seat 1): points 10, paintings in hand 0, favours 0, hung 0, patrons 0")
    assert bo[:2] == [
        "    In the archive: Rubens, mythology, Baroque ~ (p037); "
        "Zurbarán, mythology, Baroque ~ (p061).",
        "    Exhibition of Baroque; bonus space: draw 3 paintings ~.",
    ]
    assert bo[2].startswith("  Cl\ufffdeo (seat 2): ")


def test_the_own_hand_is_shown_with_where_each_painting_is_worth_something() -> None:
    hand = ("p003", "p120", "p141")
    state = table(hands={0: hand}, favours={0: ("f01",)}, cities=EUROPE, trends={0: "t02"})
    lines = drawn(state)
    assert "The trend you keep: Renaissance, history, Tiepolo ~ (t02)." in lines
    assert "Your favours: 4 points ~ (f01)." in lines
    shown = after(lines, "Paintings in your hand:")
    assert "Madrid 2, " in shown[0]
    assert shown[0].endswith(", your trend 2")
    assert drawn(state, 1)[-2:] == ["Paintings in your hand: nothing", "The turn of Ada (seat 0)."]


def test_a_painting_worth_nothing_anywhere_is_shown_alone() -> None:
    cities = {city: ("t28", (shown,)) for city, shown in zip(CITIES, LATE, strict=True)}
    state = table(hands={0: ("p003",)}, cities=cities, trends={0: "t28"}, trend="t28")
    assert after(drawn(state), "Paintings in")[0] == "  Botticelli, history, Renaissance ~ (p003)"


def test_nobody_elses_cards_are_shown() -> None:
    state = table(hands=HANDS, favours={0: ("f01",)})
    for viewer in (None, 1, 2):
        told = "\n".join(drawn(state, viewer))
        assert not any(card in told for card in (*HANDS[0], "f01"))


def test_after_the_end_hands_lie_open_and_the_score_is_told_in_parts() -> None:
    game = Game(table("arrange_final", seats=3, hands=HANDS, museums=HUNG, ending="goal"))
    game.does(Arrange(dict(zip(FIVE, PLACES, strict=False))), Arrange({}), Arrange({}))
    lines = after(drawn(game.state, None), "  Ada")
    assert lines[3].startswith("    In hand: Rubens, mythology, Baroque ~ (p037); ")
    assert lines[4].startswith("    Points 10, collections 4 ~, trend ")
    outcome = RULES.outcome(game.state)
    assert outcome is not None
    assert lines[4].endswith(f", archive 0 ~: {outcome.scores[0]}.")


def test_that_the_end_is_near_is_told() -> None:
    lines = drawn(table(reached=0, ending="goal", last_turns=(1, 2)))
    assert "Ada (seat 0) was the first to have 50 points." in lines
    assert "Still one turn each: Bo (seat 1), Cl\ufffdeo (seat 2)." in lines


def test_cards_drawn_to_choose_from_are_shown_with_how_many_are_kept() -> None:
    game = Game(table(favours={0: (FAVOUR["choose"],)}, deck=RENAISSANCE[:6]))
    game.does(FavourChoose())
    lines = drawn(game.state)
    assert any(line.startswith("Drawn, to choose from: Botticelli, ") for line in lines)
    assert lines[-1] == "Paintings drawn: 4; to be kept: 2."
    assert drawn(game.state, 1)[-1] == lines[-1]


def test_who_is_asked_is_told_what_it_is_about_and_nobody_else() -> None:
    hint = "Actions, one a turn: hang as much as you like; or an exhibition; or an inventory."
    assert drawn(table("action"))[-1] == hint
    assert hint not in drawn(table("action"), 1)
    last = table("arrange_final", museums=HUNG)
    assert drawn(last)[-1].startswith("For the last time: everybody arranges their museum")


# What may be done


def menu(state: State, teller: Teller = ENGLISH) -> Menu:
    return Menu(seen(state), teller)


def chosen(menu_: Menu, told: str) -> list[str]:
    """Choose the entry that is told so, and return what is asked next."""
    menu_.back()
    number = menu_.question.options.index(told) + 1
    question = menu_.answer(str(number))
    assert isinstance(question, Question)
    return [question.heading, *question.options]


def test_what_is_taken_in_a_trade_is_told_with_the_points_and_the_museum() -> None:
    asked = chosen(
        menu(table(hands={0: ("p003", "p175")}, cities=EUROPE)),
        "Trade Botticelli, history, Renaissance ~ (p003) for …",
    )
    assert asked[0] == "Take which painting?"
    assert "Botticelli, mythology, Renaissance ~ (p001), in Madrid (points +1)" in asked


def test_what_may_be_taken_for_nothing_is_told_with_the_museum() -> None:
    state = table(favours={0: (FAVOUR["take"],)}, cities=EUROPE)
    told = "Play a favour ~: take … out of a museum of the world."
    assert "Botticelli, mythology, Renaissance ~ (p001), in Madrid" in chosen(menu(state), told)


def test_what_would_score_under_the_general_trend_is_told_with_it() -> None:
    fields: dict[str, Any] = {"hands": HANDS, "archives": {1: ("p001", "p141")}, "trend": "t02"}
    hang = "Hang Rubens, mythology, Baroque ~ (p037) and put … into the archive."
    own = menu(table("action", **fields)).question.options
    assert hang in own
    acquired = "Hang … out of somebody else's archive for a point, and put … into yours."
    asked = chosen(menu(table("action", **fields)), acquired)
    assert asked[1] == "Botticelli, mythology, Renaissance ~ (p001) (general trend +1)"
    assert asked[2] == "Goya, religion, Romanticism ~ (p141)"
    off = Options(general_trend=False)
    quiet = Menu(seen(table("action", **fields, options=off), options=off), ENGLISH)
    assert chosen(quiet, acquired)[1] == "Botticelli, mythology, Renaissance ~ (p001)"


def test_an_exhibition_is_told_with_its_size_and_points() -> None:
    two = table("action", museums={0: (*FIVE, *(p for p in RENAISSANCE[6:20] if p not in FIVE))})
    asked = chosen(menu(two), "Hold an exhibition: …")
    assert asked[1] == "Renaissance (paintings 19, points +47 ~)"
    one = menu(table("action", museums=HUNG)).question.options
    assert "Hold an exhibition: Renaissance. (paintings 5, points +7 ~)" in one


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        (
            {"do": "inventory"},
            "Das ganze Archiv auf die Hand nehmen und eine Gefallen-Karte ziehen.",
        ),
        (
            {"do": "use_space", "space": "hand_limit"},
            "Den Chip auf ein Bonusfeld legen: von jetzt an 10 Gemälde auf der Hand ~.",
        ),
        (
            {"do": "favour_draw", "choose": {"favour": {"one_of": ["points"]}}},
            "Eine Gefallen-Karte spielen, um stattdessen 2 Gemälde zu ziehen: 4 Punkte ~.",
        ),
        ({"do": "favour_points"}, "Eine Gefallen-Karte ~ spielen: 4 Punkte."),
        (
            {"do": "favour_choose"},
            "Eine Gefallen-Karte ~ spielen: 4 Gemälde ziehen und 2 behalten.",
        ),
    ],
)
def test_entries_are_told_in_german_too(entry: dict[str, Any], told: str) -> None:
    assert described(GERMAN, seen(table("action")), entry) == told


# What happened


def test_events_are_told_with_cards_places_and_points() -> None:
    events: list[dict[str, Any]] = [
        {"event": "traded", "seat": 1, "museum": "madrid", "gave": "p003", "took": "p037"},
        {"event": "scored", "seat": 1, "why": "paid", "points": -1, "score": 4},
        {"event": "painting_hung", "seat": 1, "painting": "p003", "place": 12},
        {"event": "painting_hung", "seat": 1, "painting": "p003", "place": 24, "owner": 2},
        {"event": "favour_played", "seat": 0, "favour": "f01", "how": "points"},
        {"event": "favour_played", "seat": 0, "favour": "f01", "how": "draw"},
        {"event": "exhibition_held", "seat": 0, "category": "baroque", "size": 4, "first": False},
        {"event": "exhibition_held", "seat": 0, "category": "baroque", "size": 4, "first": True},
        {"event": "museums_opened", "trends": {"tokyo": "t02"}, "paintings": {"tokyo": ["p003"]}},
        {"event": "last_turns", "reason": "goal", "seats": [1, 0]},
        {"event": "last_turns", "reason": "last_painting", "seats": []},
    ]
    card, other = "Botticelli, history, Renaissance ~ (p003)", "Rubens, mythology, Baroque ~ (p037)"
    assert [ENGLISH.event(event) for event in events] == [
        f"Seat 1 trades with Madrid: gives {card} and takes {other}.",
        "Seat 1: −1 (out of an archive), now 4.",
        f"Seat 1 hangs at C3: {card}.",
        f"Seat 1 hangs at E5, out of the archive of seat 2: {card}.",
        "Seat 0 plays a favour: 4 points ~ (f01).",
        "Seat 0 plays a favour to draw 2 paintings: 4 points ~ (f01).",
        "Seat 0 holds an exhibition: Baroque, paintings 4.",
        "Seat 0 holds an exhibition, the first of it: Baroque, paintings 4.",
        f"In the museums of the world: Tokyo: {card}. "
        "Their trends: Tokyo: Renaissance, history, Tiepolo ~ (t02).",
        "Somebody has 50 points. One more turn each, in this order: seat 1, seat 0.",
        "The last painting has been drawn. No more turns.",
    ]


# Arranging


def arranging(state: State | None = None) -> Menu:
    """Return a menu at which a museum is being arranged."""
    menu_ = menu(state or table(museums=HUNG))
    told = chosen(menu_, "Arrange your museum.")
    assert told == ["Where does everything hang?"]
    return menu_


def rows(answer: object) -> list[str]:
    """Return the rows of the board that is asked about."""
    assert isinstance(answer, Arranging)
    return [line[2:] for line in plain(answer.lines()) if line[2:5] in ("A  ", "B  ", "C  ")]


def test_a_museum_is_arranged_move_by_move_until_it_hangs_well() -> None:
    menu_ = arranging()
    assert rows(menu_.question)[0].startswith("A  p001 Ren Myt  p002")
    assert rows(menu_.answer("p001 C3"))[1:] == [
        "C  free          free          p001 Ren Myt  free          free"
    ]
    assert rows(menu_.answer("a2 a1, p003 a2"))[0].startswith("A  p002 Ren Myt  p003 Ren His  free")
    places = {"p001": 12, "p002": 0, "p003": 1, "p004": 3, "p005": 4}
    assert menu_.answer("OK") == Decision({"do": "arrange", "places": places}, None)


def test_what_hangs_where_something_is_moved_changes_places_with_it() -> None:
    menu_ = arranging()
    menu_.answer("a1 a5")
    menu_.answer("p002 p003")
    places = {"p001": 4, "p002": 2, "p003": 1, "p004": 3, "p005": 0}
    assert menu_.answer("ok") == Decision({"do": "arrange", "places": places}, None)


@pytest.mark.parametrize("line", ["", "a1", "a1 a2 a3", "a1 f1", "p040 a1", "a9 a1", "1 2", "okay"])
def test_a_line_that_is_no_move_moves_nothing(line: str) -> None:
    menu_ = arranging()
    assert menu_.answer(line) is None
    assert menu_.answer("a1 a2 a1 x9") is None
    places = dict(zip(FIVE, PLACES, strict=False))
    assert menu_.answer("ok") == Decision({"do": "arrange", "places": places}, None)


def test_going_back_leaves_everything_as_it_was() -> None:
    menu_ = arranging()
    menu_.answer("a1 e5")
    assert "Arrange your museum." in menu_.back().options
    again = chosen(menu_, "Arrange your museum.")
    assert again == ["Where does everything hang?"]
    assert rows(menu_.question)[0].startswith("A  p001")


def test_an_arrangement_that_was_not_sent_is_at_hand_when_another_question_has_come() -> None:
    drafts: Drafts = {}
    before = Menu(seen(table(museums=HUNG)), ENGLISH, drafts)
    chosen(before, "Arrange your museum.")
    before.answer("a1 c3")
    menu_ = Menu(seen(table("action", museums=HUNG)), ENGLISH, drafts)
    menu_.answer(
        str(menu_.question.options.index("Arrange your museum. (begun, not yet sent)") + 1)
    )
    assert rows(menu_.question)[1].startswith("C  free          free          p001")
    places = {"p001": 12, "p002": 1, "p003": 2, "p004": 3, "p005": 4}
    assert menu_.answer("ok") == Decision({"do": "arrange", "places": places}, None)
    assert drafts == {}
    assert len(menu_.spent) == 1


def test_what_was_moved_before_another_painting_came_is_forgotten() -> None:
    drafts: Drafts = {}
    before = Menu(seen(table(museums=HUNG)), ENGLISH, drafts)
    chosen(before, "Arrange your museum.")
    before.answer("a1 c3")
    menu_ = Menu(seen(table(museums={0: RENAISSANCE[:6]})), ENGLISH, drafts)
    assert "Arrange your museum." in menu_.question.options


def test_the_last_arrangement_is_asked_in_the_same_way_and_answers_its_window() -> None:
    menu_ = arranging(table("arrange_final", museums=HUNG))
    decision = menu_.answer("ok")
    assert isinstance(decision, Decision)
    assert decision.window is not None


def test_an_empty_museum_is_arranged_without_a_question() -> None:
    menu_ = menu(table("arrange_final"))
    assert isinstance(menu_.answer("1"), Decision)


def test_a_painting_to_be_exhibited_is_told_with_what_it_scores() -> None:
    likes = table("action", hands={0: ("p003", "p037", "p061")}, trend="t02")
    told = "Hang Botticelli, history, Renaissance ~ (p003) and put … into the archive."
    assert f"{told} (general trend +2)" in menu(likes).question.options


def test_how_to_move_is_said_with_a_painting_that_hangs_there() -> None:
    told = plain(arranging().question.lines())
    assert "“p001 c3”" in told[-1]
    assert told[-2].strip().startswith("The Grand Gallery ~, which counts")
    assert told[-2].endswith(": A3, B3, C1, C2, C3, C4, C5, D3, E3.")


def test_cities_and_painters_have_their_german_names() -> None:
    told = "\n".join(drawn(table(hands={0: ("p013", "p019")}), teller=GERMAN))
    assert "  Moskau, Trend: " in told
    assert "  Raffael, Mythologie, Renaissance ~ (p013)" in told
    assert "  Bruegel der Ältere, Mythologie, Renaissance ~ (p019)" in told


def test_places_are_called_by_row_and_column() -> None:
    assert [place(ENGLISH, number) for number in (0, 4, 5, 24)] == ["A1", "A5", "B1", "E5"]
