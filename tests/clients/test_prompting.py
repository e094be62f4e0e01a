"""What may be done, as questions: every kind of choice, and what is no answer."""

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saleroom_cli.console import Language
from saleroom_cli.games import Look
from saleroom_cli.prompting import Decision, Menu
from saleroom_cli.questions import Confirmation, Question
from saleroom_cli.telling import Teller
from saleroom_client.forms import Form, admits
from saleroom_rules.games import GAMES
from tests.support.games import TOY

TELLER = Teller.of(TOY, Language.EN)
BID = {"do": "bid", "choose": {"cards": {"some_of": ["n02", "n04", "n07"], "max": 2}}}
SAY = {"do": "say", "choose": {"value": {"one_of": [-1, 1, 2]}}}
PLACES = {"a": [1, 2, 3], "b": [2, 3, 4]}
PLACE = {"do": "place", "choose": {"spaces": {"assign": PLACES, "distinct": True, "min": 2}}}
FEW = {"do": "lend", "fee": 3, "choose": {"to": {"assign": {"x": [7], "y": [7, 8], "z": [9]}}}}
NARROW = {
    "do": "lend",
    "choose": {
        "to": {"assign": {"x": [7, 8], "y": [7, 8], "z": [7, 8]}, "distinct": True, "max": 2}
    },
}
NOTHING = {"do": "rest", "choose": {"cards": {"some_of": []}, "to": {"assign": {}}}}
BOTH = {
    "do": "sell",
    "choose": {"card": {"one_of": ["n01", "n02"]}, "with": {"some_of": ["n03", "n04"], "min": 1}},
}
RESIGN = {"do": "resign"}
FORMS = [BID, SAY, PLACE, FEW, NARROW, NOTHING, BOTH]


def menu(*legal: Any, anytime: tuple[Any, ...] = (), teller: Teller = TELLER) -> Menu:
    document: dict[str, Any] = {"game": "toy", "you": {"seat": 0, "anytime": list(anytime)}}
    if legal:
        document |= {"legal": list(legal), "window": {"number": 17}}
    return Menu(document, teller)


def asked(question: object) -> list[str]:
    """Return what is asked, line by line."""
    assert isinstance(question, Question)
    return [line.plain for line in question.lines()]


def decided(answer: object) -> dict[str, Any]:
    assert isinstance(answer, Decision)
    return answer.action


def test_an_action_is_taken_by_its_number_in_the_window_it_was_listed_for() -> None:
    menu_ = menu({"do": "insist"}, SAY, anytime=(RESIGN,))
    assert asked(menu_.question) == ["  1  insist", "  2  say", "/resign  Give up for good."]
    assert menu_.answer("1") == Decision({"do": "insist"}, 17)


def test_answers_come_first_and_what_the_room_lets_do_last() -> None:
    room = (RESIGN, {"do": "come_back"}, {"do": "peek"})
    menu_ = menu({"do": "insist"}, anytime=room)
    assert asked(menu_.question) == [
        "  1  insist",
        "  2  peek",
        "  3  Come back.",
        "/resign  Give up for good.",
    ]
    assert menu_.answer("2") == Decision({"do": "peek"}, None)
    menu_.back()
    assert menu_.answer("3") == Decision({"do": "come_back"}, None)


def test_what_can_be_worked_out_need_not_be_chosen_piece_by_piece() -> None:
    teller = Teller.of(TOY, Language.EN)
    look = Look(found={"place": lambda document, catalogue: {"do": "place", "spaces": catalogue}})
    teller.look, teller.catalogue = look, {"a": 1, "b": 2}
    menu_ = menu({"do": "insist"}, PLACE, anytime=(RESIGN,), teller=teller)
    assert asked(menu_.question)[2:] == [
        "/resign  Give up for good.",
        "/place  place As well as can be worked out.",
    ]
    assert menu_.answer("/place") == Decision({"do": "place", "spaces": {"a": 1, "b": 2}}, 17)
    assert isinstance(menu_.answer("/resign"), Confirmation)
    assert isinstance(menu_.back(), Question)
    assert isinstance(menu_.answer("2"), Question)
    alone = menu({"do": "insist"}, anytime=(PLACE,), teller=teller)
    assert alone.answer("/place") == Decision({"do": "place", "spaces": {"a": 1, "b": 2}}, None)


def test_a_number_typed_too_late_never_gives_up() -> None:
    menu_ = menu(anytime=(RESIGN,))
    assert asked(menu_.question) == ["/resign  Give up for good."]
    for line in ("0", "1", "2", "resign", "/resign 1"):
        assert menu_.answer(line) is None


def test_what_may_be_done_at_any_time_names_no_window() -> None:
    assert menu(SAY, anytime=({"do": "come_back"},)).answer("2") == Decision(
        {"do": "come_back"}, None
    )


def test_one_of_several_values_is_asked_for() -> None:
    menu_ = menu(BOTH)
    assert asked(menu_.answer("1")) == ["card", "  1  n01", "  2  n02"]
    menu_.answer("2")
    assert decided(menu_.answer("1")) == {"do": "sell", "card": "n02", "with": ["n03"]}


@pytest.mark.parametrize(
    ("typed", "value"), [("2", 2), ("+2", 2), ("-1", -1), ("−1", -1), ("1", 1)]
)
def test_where_numbers_are_asked_for_the_number_typed_is_meant(typed: str, value: int) -> None:
    menu_ = menu(SAY)
    asked_for = [line.split() for line in asked(menu_.answer("1"))]
    assert [line[0] for line in asked_for] == ["value", "-1", "1", "2"]
    assert decided(menu_.answer(typed)) == {"do": "say", "value": value}


@pytest.mark.parametrize("typed", ["3", "-3"])
def test_where_all_numbers_are_negative_the_sign_may_be_left_out(typed: str) -> None:
    menu_ = menu({"do": "say", "choose": {"value": {"one_of": [-1, -3]}}})
    menu_.answer("1")
    assert decided(menu_.answer(typed)) == {"do": "say", "value": -3}


def test_what_can_be_answered_in_one_way_only_is_not_asked() -> None:
    only = {"do": "say", "choose": {"value": {"one_of": [0]}}}
    assert decided(menu(only).answer("1")) == {"do": "say", "value": 0}


def test_several_of_several_values_are_asked_for_at_once() -> None:
    menu_ = menu(BID)
    assert asked(menu_.answer("1")) == [
        "cards",
        "  1  n02",
        "  2  n04",
        "  3  n07",
        "  0  nothing",
        "Type 1 to 2 numbers, with spaces between.",
    ]
    assert decided(menu_.answer("3, 1")) == {"do": "bid", "cards": ["n07", "n02"]}


def test_none_of_several_values_is_a_nought() -> None:
    menu_ = menu(BID)
    menu_.answer("1")
    assert decided(menu_.answer("0")) == {"do": "bid", "cards": []}


def test_a_map_is_asked_for_key_by_key_and_no_value_twice_if_they_are_to_be_distinct() -> None:
    menu_ = menu(PLACE)
    assert asked(menu_.answer("1")) == ["spaces · a", "  1  1", "  2  2", "  3  3"]
    assert asked(menu_.answer("2")) == ["spaces · b", "  3  3", "  4  4"]
    assert decided(menu_.answer("3")) == {"do": "place", "spaces": {"a": 2, "b": 3}}


def test_a_key_that_need_not_have_a_value_can_be_left_out() -> None:
    menu_ = menu(FEW)
    assert asked(menu_.answer("1")) == ["to · x", "  7  7", "  0  nothing"]
    for line in ("0", "8"):
        menu_.answer(line)
    assert decided(menu_.answer("9")) == {"do": "lend", "fee": 3, "to": {"y": 8, "z": 9}}


def test_keys_are_not_asked_for_once_there_are_enough_or_no_values_left() -> None:
    menu_ = menu(NARROW)
    for line in ("1", "7"):
        menu_.answer(line)
    assert decided(menu_.answer("8")) == {"do": "lend", "to": {"x": 7, "y": 8}}


def test_where_there_is_nothing_to_choose_nothing_is_asked() -> None:
    assert decided(menu(NOTHING).answer("1")) == {"do": "rest", "cards": [], "to": {}}


def test_one_choice_is_asked_after_the_other() -> None:
    menu_ = menu(BOTH)
    for line in ("1", "2"):
        menu_.answer(line)
    assert decided(menu_.answer("1 2")) == {"do": "sell", "card": "n02", "with": ["n03", "n04"]}


@pytest.mark.parametrize(
    "line",
    [
        "",
        " ",
        "0",
        "4",
        "99999",
        "9" * 5000,
        "-2",
        "+-1",
        "1.0",
        "1 2",
        "1 1",
        "one",
        "²",
        chr(0x661),
        "1;",
    ],
)
def test_what_is_no_answer_leaves_the_question_as_it_is(line: str) -> None:
    menu_ = menu(SAY)
    menu_.answer("1")
    before = menu_.question
    assert menu_.answer(line) is None
    assert menu_.question is before
    assert decided(menu_.answer("1")) == {"do": "say", "value": 1}


@pytest.mark.parametrize("line", ["1 2 3", "1 1", "0 1", "4", "x 1"])
def test_of_several_values_neither_too_many_nor_one_twice_are_taken(line: str) -> None:
    menu_ = menu(BID)
    menu_.answer("1")
    assert menu_.answer(line) is None


def test_who_changes_their_mind_begins_anew() -> None:
    menu_ = menu(PLACE, SAY)
    menu_.answer("1")
    menu_.answer("3")
    assert asked(menu_.back()) == ["  1  place", "  2  say"]
    menu_.answer("1")
    menu_.answer("1")
    assert decided(menu_.answer("2")) == {"do": "place", "spaces": {"a": 1, "b": 2}}


@pytest.mark.parametrize(
    ("language", "yes", "no"), [(Language.EN, "yes", "No"), (Language.DE, "J", "nein")]
)
def test_giving_up_is_asked_twice_and_answered_in_words(
    language: Language, yes: str, no: str
) -> None:
    menu_ = menu(SAY, anytime=(RESIGN,), teller=Teller.of(TOY, language))
    assert isinstance(menu_.answer("/Resign"), Confirmation)
    assert menu_.answer("1") is None
    assert menu_.answer("/resign") is None
    assert len(asked(menu_.answer(no))) == 2, "the first question again"
    assert len(asked(menu_.answer("/resign"))) == 2
    assert menu_.answer(yes) == Decision(RESIGN, None)


def test_a_form_of_a_later_version_is_left_out() -> None:
    later = {"do": "wish", "choose": {"star": {"any_of": [1]}}}
    assert asked(menu(later, SAY).question) == ["  1  say"]


@given(st.sampled_from(FORMS), st.integers(0, 2**32))
def test_however_a_form_is_answered_the_rules_allow_it(entry: dict[str, Any], seed: int) -> None:
    luck = Random(seed)
    menu_ = menu(entry)
    answer: object = menu_.question
    while isinstance(answer, Question):
        answer = menu_.answer(answered(answer, luck))
    assert admits(Form.read(entry), decided(answer))


def answered(question: Question, luck: Random) -> str:
    """Answer a question at random."""
    many = luck.randint(question.least, question.most)
    marks = [mark for mark, place in question.marks.items()]
    return " ".join(luck.sample(marks, many)) or "0"


def test_a_purchase_is_listed_with_its_price() -> None:
    teller = Teller.of(GAMES["kunstmarkt"], Language.EN)
    buy = {"do": "buy", "picture": "p01", "choose": {"discard": {"one_of": ["p14", "p26"]}}}
    document = {
        "game": "kunstmarkt",
        "legal": [buy],
        "window": {"number": 3},
        "you": {"anytime": []},
        "table": {"market": {"2000": "p02", "5000": "p01"}},
    }
    menu_ = Menu(document, teller)
    assert asked(menu_.question) == [
        "  1  Buy Albrecht Dürer, “Selbstbildnis” ~ "
        "(p01; from Germany, a portrait, 1500, fame 98 %, 33 dm²) for 5,000."
    ]
    question, first, _ = asked(menu_.answer("1"))
    assert question == "Discard which picture for it?"
    assert first.startswith("  1  Lovis Corinth, “Liegender Akt” ~ (p14; from Germany, a nude, ")
    assert decided(menu_.answer("2")) == {"do": "buy", "picture": "p01", "discard": "p26"}


# Vernissage


def gallery(*legal: Any, language: Language = Language.EN) -> Menu:
    """Return what a player with 35,000 may do."""
    players = {"0": {"cash": 35_000}, "1": {"cash": 0}}
    piles = {"1": {"price": 20_000, "cards": 7}, "3": {"price": 40_000, "cards": 7}}
    document = {
        "game": "vernissage",
        "legal": list(legal),
        "window": {"number": 3},
        "you": {"seat": 0, "anytime": [RESIGN]},
        "table": {"players": players, "piles": piles, "grey": {"price": 10_000}},
    }
    return Menu(document, Teller.of(GAMES["vernissage"], language))


def test_a_purchase_that_takes_a_note_is_listed_as_one() -> None:
    menu_ = gallery(
        {"do": "buy_pile", "pile": 1}, {"do": "buy_pile", "pile": 3}, {"do": "buy_grey"}
    )
    assert asked(menu_.question) == [
        "  1  Buy from pile 1 (20,000).",
        "  2  Buy from pile 3 (40,000). You must borrow for it.",
        "  3  Buy the top grey card for 10,000.",
        "/resign  Give up for good.",
    ]


def test_values_of_counters_are_asked_for_with_their_sign_and_artists_by_name() -> None:
    choose = {"value": {"one_of": [1, 3]}, "artist": {"one_of": ["kali", "boyz"]}}
    menu_ = gallery({"do": "place", "kind": "purchase", "choose": choose})
    assert asked(menu_.question)[0] == "  1  Place purchase … in front of …"
    assert asked(menu_.answer("1")) == ["Which value?", "  1  +1", "  3  +3"]
    assert asked(menu_.answer("3")) == ["Which artist?", "  1  Donna Salva Kali", "  2  Joe Boyz"]
    assert decided(menu_.answer("1")) == {
        "do": "place",
        "kind": "purchase",
        "value": 3,
        "artist": "kali",
    }


def test_a_step_change_is_listed_with_the_agents_it_moves_and_asked_for_one_by_one() -> None:
    free = {"assign": {"2": [3, 4], "reserve_1": [3, 4]}, "distinct": True, "min": 2}
    menu_ = gallery(
        {"do": "unlimited", "choose": {"agents": free}},
        {"do": "limited", "steps": 2, "agent": "reserve", "choose": {"to": {"one_of": [1]}}},
    )
    assert asked(menu_.question)[:2] == [
        "  1  Play an unlimited step change, agents moved: step 2, reserve.",
        "  2  Play a step change up to 2: reserve → step …",
    ]
    first = asked(menu_.answer("1"))
    assert first == ["Where does this agent go? · step 2", "  3  step 3", "  4  step 4"]
    assert decided(menu_.answer("4")) == {"do": "unlimited", "agents": {"2": 4, "reserve_1": 3}}


def test_a_card_is_asked_for_by_what_it_is_in_german_too() -> None:
    choose = {"card": {"one_of": ["b08", "g15"]}}
    menu_ = gallery({"do": "keep", "choose": choose}, language=Language.DE)
    assert asked(menu_.answer("1")) == [
        "Welche Karte?",
        "  1  Werk von Joe Boyz (b08)",
        "  2  Stufenwechsel bis 3 ~ (g15)",
    ]
