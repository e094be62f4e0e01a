"""The table in lines of text: what is open is there, what is hidden is not."""

from typing import Any

import msgspec
import pytest

from saleroom_cli.console import Language
from saleroom_cli.table import described, table_lines
from saleroom_cli.telling import Teller
from saleroom_protocol.games import vernissage
from saleroom_protocol.games.kunstmarkt import AnyAction, Buy, Offer, PlayCustomer
from saleroom_rules.games import GAMES
from saleroom_rules.kunstmarkt.state import State
from saleroom_server.rooms.views import Clock, Viewer, document, look
from tests.support.kunstmarkt import RULES, Game, table

NAMES = {"0": {"name": "Ada"}, "1": {"name": "Bo"}, "2": {"name": "Cl\x1beo"}}
PICTURES = (("p01", "p08"), ("p09",), ())


def drawn(state: State, viewer: Viewer = None, language: Language = Language.EN) -> list[str]:
    shown: dict[str, Any] = {"game": "kunstmarkt", "seats": NAMES}
    shown |= document(look(RULES, state, 3, Clock(0)), viewer)
    return [line.plain for line in table_lines(Teller.of(RULES, language), shown)]


def visited(*actions: AnyAction) -> State:
    """Return a table at which seat 0 has played a customer, and some have answered."""
    game = Game(table(pictures=PICTURES, customers=(("c21",), (), ()), stock=7, deck=3))
    game.does(PlayCustomer("c21"), *actions)
    return game.state


def test_market_piles_and_players_are_shown_to_everybody() -> None:
    lines = drawn(table(pictures=PICTURES, customers=(("c01",), (), ()), stock=7, deck=3))
    assert lines[:3] == [
        "",
        "Market",
        "    2,000  Lucas Cranach d. Ä., “Adam und Eva” ~ "
        "(p02; from Germany, a biblical scene and a nude, 1528, fame 85 %, 138 dm²)",
    ]
    assert lines[6].startswith("   15,000  Adam Elsheimer, “Flucht nach Ägypten” ~ (p06; ")
    assert lines[7:] == [
        "Left in the piles: pictures 7, customers 3.",
        "  Ada (seat 0): cash 25,000, pictures 2, customers 1",
        "  Bo (seat 1): cash 25,000, pictures 1, customers 0",
        "  Cl\ufffdeo (seat 2): cash 25,000, pictures 0, customers 0",
    ]


def test_a_player_sees_the_own_hand_besides() -> None:
    state = table(pictures=PICTURES, customers=(("c21",), (), ()))
    common = drawn(state)
    own = drawn(state, 0)
    assert own[: len(common)] == common
    assert own[len(common) :] == [
        "You have 25,000.",
        "  Your pictures:",
        "    Albrecht Dürer, “Selbstbildnis” ~ "
        "(p01; from Germany, a portrait, 1500, fame 98 %, 33 dm²)",
        "    Carl Spitzweg, “Der arme Poet” ~ "
        "(p08; from Germany, a genre scene, 1839, fame 88 %, 16 dm²)",
        "  Your customers:",
        "    any picture, as famous as possible, pays 25,000 ~ (c21)",
    ]
    assert drawn(state, 2)[-2:] == ["  Your pictures: nothing", "  Your customers: nothing"]


def test_hidden_cash_is_shown_to_nobody_but_its_owner() -> None:
    state = table(pictures=PICTURES, cash=(11_000, 12_000, 13_000), hidden_cash=True)
    assert "  Ada (seat 0): pictures 2, customers 0" in drawn(state)
    seen = "\n".join(drawn(state, 1))
    assert "12,000" in seen
    assert "11,000" not in seen
    assert "13,000" not in seen


def test_a_customer_who_is_here_is_shown_with_the_best_offer() -> None:
    assert drawn(visited())[-1] == (
        "A customer is here: any picture, as famous as possible, pays 25,000 ~ (c21). "
        "Best offer: nothing."
    )
    offered = drawn(visited(Offer("p09")))[-1]
    assert offered.endswith(
        "Best offer: Adolph Menzel, “Wohnzimmer” ~ "
        "(p09; from Germany, a genre scene, 1847, fame 63 %, 15 dm²)."
    )


def test_after_the_end_every_hand_lies_open() -> None:
    game = Game(table(pictures=PICTURES, customers=((), ("c21",), ()), stock=1))
    game.does(Buy("p02"))
    assert game.over
    lines = drawn(game.state, 2)
    assert (
        "    holds Adolph Menzel, “Wohnzimmer” ~ (p09); and of customers: "
        "any picture, as famous as possible, pays 25,000 ~ (c21)"
    ) in lines
    assert "    holds nothing; and of customers: nothing" in lines


def test_the_table_is_drawn_in_german_too() -> None:
    lines = drawn(visited(), 0, Language.DE)
    assert lines[1:3] == [
        "Markt",
        "    2.000  Lucas Cranach d. Ä., „Adam und Eva“ ~ "
        "(p02; aus Deutschland, ein biblisches Bild und ein Akt, 1528, Bekanntheit 85 %, 138 dm²)",
    ]
    assert any("Ada (Platz 0): bar 25.000, Bilder 2, Kunden 0" in line for line in lines)


@pytest.mark.parametrize("shown", [{"game": "kunstmarkt", "table": {}}, {"game": "chess"}])
def test_nothing_is_drawn_before_the_game_or_of_a_game_that_is_not_known(
    shown: dict[str, Any],
) -> None:
    assert list(table_lines(Teller.of(RULES, Language.EN), shown)) == []


# Vernissage


def gallery(*agents: int, **fields: Any) -> vernissage.TablePlayer:
    reserve, purse = 3 - len(agents), {"cash": 200_000, "notes": 0, "brown": 3, "grey": 0}
    return vernissage.TablePlayer(agents=agents, reserve=reserve, **{"shown": {}} | purse | fields)


def risen(**fields: Any) -> vernissage.Table:
    """Return a table at which Boyz is IN with the feather and two counters, and Kali is OUT."""
    stands = vernissage.TableArtist(step=1, counters=(), space=20, worth=100_000)
    counters = (vernissage.Counter("purchase", 7), vernissage.Counter("scandal", -2))
    boyz = vernissage.TableArtist(step=2, counters=counters, space=36, worth=60_000)
    artists = dict.fromkeys(("krach", "boyz", "kali", "hering", "lightenstone"), stands)
    artists |= {"boyz": boyz, "kali": vernissage.TableArtist(out=True)}
    whole: dict[str, Any] = {
        "start": 0,
        "turn": 9,
        "active": 0,
        "artists": artists,
        "feather": "boyz",
        "supply": {"purchase": (1, 1), "critique": (), "scandal": (-3,)},
        "piles": {"1": vernissage.TablePile(20_000, 6), "2": vernissage.TablePile(30_000, 0)},
        "grey": vernissage.TableGrey(10_000, 4, {"g20": 4, "g01": 1}),
        "gone": {},
        "players": {
            "0": gallery(1, 2),
            "1": gallery(2, 5, 7, notes=1, shown={"b08": "boyz"}),
            "2": gallery(),
        },
        "recent": {},
    }
    return vernissage.Table(**whole | fields)


def stairs(table_: vernissage.Table, language: Language = Language.EN, **fields: Any) -> list[str]:
    shown: dict[str, Any] = {"game": "vernissage", "seats": NAMES}
    shown |= {"table": msgspec.to_builtins(table_)} | fields
    teller = Teller.of(GAMES["vernissage"], language)
    return [line.plain for line in table_lines(teller, shown)]


def test_artists_are_shown_with_step_fame_counters_and_who_has_agents_there() -> None:
    assert stairs(risen())[:7] == [
        "",
        "Artists (a staircase of 11 steps ~; fame from −100,000 to 200,000 ~, then IN)",
        "  Elfrieda Krach: step 1, fame 100,000; counters: none; agents: Ada (seat 0).",
        "  Joe Boyz: step 2, fame IN at 60,000; counters: purchase +7, scandal −2; "
        "agents: Ada (seat 0), Bo (seat 1). Has the feather.",
        "  Donna Salva Kali: OUT.",
        "  Karl Hering: step 1, fame 100,000; counters: none; agents: Ada (seat 0).",
        "  Ron Lightenstone: step 1, fame 100,000; counters: none; agents: Ada (seat 0).",
    ]


def test_what_is_beside_the_board_and_who_owns_what_is_shown() -> None:
    assert stairs(risen())[7:] == [
        "Counters beside the board ~: purchase +1 +1; critique none; scandal −3.",
        "Piles ~, with price and cards: 1 at 20,000 (6); 2 at 30,000 (0).",
        "Grey pile ~: 4 cards at 10,000; discarded, by their steps: 1, 4.",
        "  Ada (seat 0): cash 200,000, notes 0, agents on steps 1, 2, in reserve 1, "
        "brown cards 3, grey 0",
        "  Bo (seat 1): cash 200,000, notes 1, agents on steps 2, 5, 7, in reserve 0, "
        "brown cards 3, grey 0",
        "    shows work by Joe Boyz (b08)",
        "  Cl\ufffdeo (seat 2): cash 200,000, notes 0, no agent on the stairs, in reserve 3, "
        "brown cards 3, grey 0",
    ]


def test_only_the_own_cards_and_the_pile_looked_at_are_shown() -> None:
    hand = {"cards": ["b08", "b36", "g15"], "pile": ["b59", "b72"]}
    window = {"kind": "pick", "facts": {"pile": 3}}
    lines = stairs(risen(), you=hand, window=window)
    assert lines[: -len(hand)] == stairs(risen())
    assert lines[-2:] == [
        "You hold: work by Joe Boyz (b08), might (b36), step change up to 3 ~ (g15).",
        "In the pile before you: critic (b59), unlimited step change (b72).",
    ]


def test_the_bargaining_is_shown_with_what_everybody_states() -> None:
    dispute = vernissage.Dispute(
        pro=0,
        artist="boyz",
        kind="scandal",
        value=-2,
        objectors=(1, 2),
        withdrawn=(2,),
        stated={"1": -3, "0": -4},
        statements={"1": 2, "0": 5},
    )
    assert stairs(risen(dispute=dispute))[-5:] == [
        "Ada (seat 0) has placed scandal −2 in front of Joe Boyz.",
        "  Objections: Bo (seat 1), Cl\ufffdeo (seat 2).",
        "  Withdrawn: Cl\ufffdeo (seat 2).",
        "  Ada (seat 0) offers −4 (statement 5 of 12).",
        "  Bo (seat 1) asks for −3 (statement 2 of 12).",
    ]


def fought(**fields: Any) -> vernissage.Table:
    """Return a table at which Bo and Cleo fight the counter Ada has placed."""
    trial = vernissage.Trial(contra=(1, 2), might={"1": 1, "0": 2}, rolls={})
    facts: dict[str, Any] = {"pro": 0, "artist": "boyz", "kind": "scandal", "value": -2}
    return risen(dispute=vernissage.Dispute(**facts, trial=trial, **fields))


def test_a_trial_is_shown_with_the_might_added_so_far() -> None:
    assert stairs(fought())[-3:] == [
        "Ada (seat 0) has placed scandal −2 in front of Joe Boyz.",
        "  Trial of Strength demanded by: Bo (seat 1), Cl\ufffdeo (seat 2).",
        "  Might: Ada (seat 0) 2, Bo (seat 1) 1.",
    ]


@pytest.mark.parametrize("result", ["unopposed", "agreed", "pro", "contra"])
def test_a_settled_dispute_is_shown_no_more(result: str) -> None:
    assert stairs(fought(result=result)) == stairs(risen())


@pytest.mark.parametrize("taxed", [False, True])
def test_the_might_window_says_who_is_on_which_side_and_what_is_at_stake(taxed: bool) -> None:
    window = {"kind": "might", "facts": {"side": "pro", "round": 2, "might": {}}}
    you = {"seat": 2, "cards": []}
    told = stairs(fought(), window=window, you=you, options={"might_tax": taxed})[-1]
    assert told == (
        "Round 2 of might; asked: Pro. Pro: Ada (seat 0); "
        "Contra: Bo (seat 1), Cl\ufffdeo (seat 2, you). "
        "Who loses takes the agent beside the artist back into reserve; "
        "might returns to the hand."
        + " With a total of 14 or more, one of the cards added is lost for good."
        * taxed
    )


@pytest.mark.parametrize(("language", "you"), [(Language.EN, "you"), (Language.DE, "Sie")])
def test_the_own_seat_is_marked_among_the_players(language: Language, you: str) -> None:
    seat = "seat" if language is Language.EN else "Platz"
    lines = stairs(risen(), language, you={"seat": 1, "cards": []})
    marked = [line for line in lines if f"({seat} 1, {you}): " in line]
    assert [line.split(" (")[0] for line in marked] == ["  Bo"]
    assert not any(f", {you}): " in line for line in stairs(risen(), language))


@pytest.mark.parametrize(
    ("cards", "language", "told"),
    [
        (1, Language.EN, "Grey pile ~: 1 card at 10,000; discarded, by their steps: none."),
        (1, Language.DE, "Grauer Stapel ~: 1 Karte zu 10.000; abgelegt, nach Stufen: keine."),
        (8, Language.DE, "Grauer Stapel ~: 8 Karten zu 10.000; abgelegt, nach Stufen: keine."),
    ],
)
def test_the_grey_pile_is_counted_in_words_that_fit(
    cards: int, language: Language, told: str
) -> None:
    assert told in stairs(risen(grey=vernissage.TableGrey(10_000, cards, {})), language)


@pytest.mark.parametrize(
    ("agents", "language", "told"),
    [
        ((4,), Language.EN, "agent on step 4,"),
        ((4,), Language.DE, "Agent auf Stufe 4,"),
        ((4, 5), Language.DE, "Agenten auf den Stufen 4, 5,"),
        ((), Language.DE, "kein Agent auf der Treppe,"),
    ],
)
def test_where_agents_stand_is_told_in_words_that_fit_their_number(
    agents: tuple[int, ...], language: Language, told: str
) -> None:
    assert f" {told}" in stairs(risen(players={"0": gallery(*agents)}), language)[-1]


@pytest.mark.parametrize(
    ("entry", "stepped", "language", "told"),
    [
        ({"do": "done"}, False, Language.EN, "Play no card."),
        ({"do": "done"}, True, Language.EN, "Play no further card."),
        ({"do": "done"}, False, Language.DE, "Keine Karte spielen."),
        ({"do": "done"}, True, Language.DE, "Keine weitere Karte spielen."),
        ({"do": "buy_grey"}, False, Language.EN, "Buy the top grey card for 10,000."),
        ({"do": "forgo"}, False, Language.EN, "Demand no Trial of Strength."),
        ({"do": "forgo"}, False, Language.DE, "Keine Kraftprobe verlangen."),
    ],
)
def test_an_entry_is_described_by_what_the_table_and_the_window_tell(
    entry: dict[str, Any], stepped: bool, language: Language, told: str
) -> None:
    shown: dict[str, Any] = {"table": msgspec.to_builtins(risen()), "you": {"seat": 0}}
    shown["window"] = {"kind": "play", "facts": {"stepped": stepped}}
    assert described(Teller.of(GAMES["vernissage"], language), shown, entry) == told


@pytest.mark.parametrize(
    ("window", "told"),
    [
        (
            {"kind": "place", "facts": {"face": "minus", "kinds": ["scandal"]}},
            "The fate die shows: critique or scandal. May be placed: scandal.",
        ),
        (
            {"kind": "reveal", "facts": {"artist": "boyz", "pays": 60_000}},
            "Joe Boyz is IN: every work that lies open is paid 60,000.",
        ),
    ],
)
def test_what_is_public_about_the_open_window_is_shown_last(
    window: dict[str, Any], told: str
) -> None:
    assert stairs(risen(), window=window, you={"cards": []})[-1] == told


def test_after_the_end_the_galleries_hands_lie_open() -> None:
    players = {"0": gallery(hand=("b01", "b36")), "1": gallery(hand=())}
    lines = stairs(risen(players=players))
    assert "    holds work by Elfrieda Krach (b01), might (b36)" in lines
    assert lines[-1] == "    holds nothing"


def test_the_stairs_are_drawn_in_german_too() -> None:
    lines = stairs(risen(), Language.DE, you={"cards": ["b08", "g15"]})
    assert lines[3].startswith(
        "  Joe Boyz: Stufe 2, Ruhm IN bei 60.000; Marker: Ankauf +7, Skandal −2; Agenten: Ada (Pl"
    )
    assert lines[-1] == "Sie haben: Werk von Joe Boyz (b08), Stufenwechsel bis 3 ~ (g15)."
