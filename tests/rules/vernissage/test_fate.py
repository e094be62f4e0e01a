"""Influence, and a turn's fate counter: V-INF-1 and V-INF-2, V-TURN-1, V-FATE-1 to V-FATE-4."""

from typing import Any

import pytest
from msgspec import UNSET

from saleroom_protocol.games.forms import Form, one_of
from saleroom_protocol.games.vernissage import (
    Allow,
    BuyGrey,
    CounterPlaced,
    DieRolled,
    Done,
    FameMoved,
    FateSkipped,
    Object,
    Place,
    PlaceFacts,
    TurnBegun,
    Why,
)
from saleroom_rules.rng import Rng
from tests.support.vernissage import (
    CRITICS,
    FACES,
    LIMITED,
    MIGHT,
    RULES,
    UNLIMITED,
    Game,
    dealt,
    loaded,
    placed,
    stage,
    table,
    unopposed,
)

NOBODY: dict[int, tuple[int, ...]] = {0: (), 1: (), 2: ()}
EVERY_KIND = ("purchase", "critique", "scandal")


def rolling(face: str, **position: Any) -> Game:
    """Return a game in which the active player's fate die has shown this face."""
    return Game(table(rng=loaded(face), **position))


def artists_of(game: Game) -> tuple[Any, ...]:
    """Return the artists the active player may place a counter for."""
    return next(iter(game.legal())).choose["artist"].one_of  # type: ignore[no-any-return]


def steps_in(entry: dict[str, Any]) -> list[int]:
    """Return all steps a form on the wire offers."""
    (choice,) = entry["choose"].values()
    return [
        step
        for steps in choice.get("assign", {"": choice.get("one_of")}).values()
        for step in steps
    ]


def test_v_inf_1_influence_is_an_agent_on_the_artists_step() -> None:
    artists = {"krach": stage(4), "boyz": stage(3), "kali": stage(5), "hering": stage(3)}
    game = Game(table(agents={0: (3, 5)}, artists=artists))
    assert artists_of(game) == ("boyz", "kali", "hering")


def test_v_inf_1_at_first_everybody_influences_everybody() -> None:
    everybody = tuple(RULES.catalogue().artists)
    assert artists_of(Game(dealt(5))) == everybody
    for artist in everybody:
        assert placed("purchase", 1, artist, seats=5).window.seats == (1, 2, 3, 4)


def test_v_inf_1_an_agent_beside_a_counter_influences_nobody() -> None:
    counters = (("purchase", 1), ("scandal", -2))
    artists = dict.fromkeys(("krach", "boyz", "kali", "hering", "lightenstone"), stage(1))
    game = Game(table(agents={0: (2, 3)}, artists={**artists, "boyz": stage(1, *counters)}))
    assert game.kind == "buy"


def test_v_inf_1_an_artist_who_is_out_is_influenced_no_more() -> None:
    game = Game(table(artists={"krach": stage(out=True)}))
    assert artists_of(game) == ("boyz", "kali", "hering", "lightenstone")


def test_v_inf_1_a_counter_for_an_artist_without_influence_is_refused() -> None:
    game = rolling(
        "any", agents={0: (3,)}, artists={"kali": stage(3), "hering": stage(3, out=True)}
    )
    for artist in ("boyz", "hering", "nobody"):
        assert game.refuses(Place("scandal", -2, artist)) == (
            Why.NO_INFLUENCE,
            {"artist": artist},
        )


@pytest.mark.parametrize("kind", ["limited", "unlimited"])
def test_v_inf_2_no_card_brings_two_agents_of_a_player_to_one_step(kind: str) -> None:
    hand = LIMITED[4] if kind == "limited" else UNLIMITED
    game = Game(table("play", hands={0: hand}, agents={0: (2, 5), 1: (3, 6)}))
    steps = [set(steps_in(entry.wire())) for entry in game.legal() if isinstance(entry, Form)]
    assert steps
    for values in steps:
        assert not {2, 5} & values
        assert {3, 6} & values, "agents of others are no hindrance"


def test_v_turn_1_a_counter_then_a_purchase_then_cards_then_the_next_seat() -> None:
    game = placed("purchase", 1, hands={0: (MIGHT[0],)})
    kinds = [game.kind]
    game.does(Allow(), Allow())
    kinds.append(game.kind)
    game.does(BuyGrey())
    kinds.append(game.kind)
    assert game.does(Done())[:1] == (TurnBegun(2, 1),)
    assert [*kinds, game.kind] == ["objection", "buy", "play", "place"]


def test_v_turn_1_turns_go_clockwise_and_wrap() -> None:
    game = Game(table("buy", seats=4, active=2))
    begun: list[tuple[int, int]] = []
    while len(begun) < 6:
        events = game.does(RULES.default(game.state, game.asked))
        begun += [(event.turn, event.seat) for event in events if isinstance(event, TurnBegun)]
    assert begun == [(turn, (turn + 1) % 4) for turn in range(2, 8)]


def test_v_turn_1_nobody_else_is_asked() -> None:
    for at in ("place", "buy", "play"):
        game = Game(table(at, hands={seat: (MIGHT[seat],) for seat in range(3)}))
        action = RULES.default(game.state, 0)
        for seat in (1, 2):
            assert game.legal(seat) == []
            assert game.refuses(action, seat) == (Why.NOT_ASKED, {"seat": seat})


def test_v_fate_1_without_influence_no_die_is_rolled_and_the_turn_begins_with_b() -> None:
    game = Game(table("play", hands={0: MIGHT[:1]}, agents=NOBODY))
    counts = game.state.rng.counts
    assert game.does(Done()) == (TurnBegun(2, 1), FateSkipped(1))
    assert (game.kind, game.asked) == ("buy", 1)
    assert game.state.rng.counts == counts
    assert game.table.dispute is UNSET


@pytest.mark.parametrize(
    ("face", "kinds"),
    [
        ("purchase", ("purchase",)),
        ("critique", ("critique",)),
        ("scandal", ("scandal",)),
        ("any", EVERY_KIND),
        ("minus", ("critique", "scandal")),
    ],
)
def test_v_fate_2_each_face_allows_its_kinds(face: str, kinds: tuple[str, ...]) -> None:
    game = rolling(face)
    assert game.facts == PlaceFacts(face, kinds)
    assert [entry.fixed["kind"] for entry in game.legal()] == list(kinds)
    for kind in set(EVERY_KIND) - set(kinds):
        assert game.refuses(Place(kind, 2, "boyz")) == (Why.WRONG_KIND, {"kind": kind})


def test_v_fate_2_the_die_has_two_purchases_and_one_of_each_other_face() -> None:
    die = RULES.catalogue().die
    assert die == ("purchase", "purchase", "critique", "scandal", "any", "minus")
    assert {die[place] for place in FACES.values()} == set(die)


def test_v_fate_2_the_server_rolls_when_the_turn_begins_and_says_what_it_shows() -> None:
    game = Game(table("play", hands={0: MIGHT[:1]}, rng=loaded("minus")))
    rolled = DieRolled(1, "minus", ("critique", "scandal"))
    assert game.does(Done()) == (TurnBegun(2, 1), rolled)


def test_v_fate_2_every_face_comes_up() -> None:
    faces = set()
    for seed in range(60):
        facts: Any = Game(table(rng=Rng(bytes([seed])))).facts
        faces.add(facts.face)
    assert faces == set(FACES)


@pytest.mark.parametrize(
    ("face", "gone", "kinds"),
    [
        ("purchase", ("purchase",), ("critique", "scandal")),
        ("critique", ("critique",), ("purchase", "scandal")),
        ("scandal", ("scandal", "purchase"), ("critique",)),
        ("minus", ("critique",), ("scandal",)),
        ("minus", ("scandal",), ("critique",)),
        ("minus", ("critique", "scandal"), ("purchase",)),
        ("any", ("critique",), ("purchase", "scandal")),
    ],
)
def test_v_fate_2_where_none_of_the_allowed_is_left_any_that_is_left_will_do(
    face: str, gone: tuple[str, ...], kinds: tuple[str, ...]
) -> None:
    game = rolling(face, supply=dict.fromkeys(gone, ()))
    assert game.facts == PlaceFacts(face, kinds)


def test_v_fate_3_any_value_left_and_any_artist_under_the_own_influence() -> None:
    # One −4 is on the board, both −2 are: of the first one is left, of the second none.
    artists = {
        "krach": stage(2, ("scandal", -4), ("scandal", -2)),
        "boyz": stage(5, ("scandal", -2)),
    }
    game = rolling("scandal", artists=artists)
    forms = [
        Form(
            "place",
            {"kind": "scandal"},
            {
                "value": one_of((-3, -4, -5, -6, -7)),
                "artist": one_of(("krach", "kali", "hering", "lightenstone")),
            },
        )
    ]
    assert game.legal() == forms
    assert game.refuses(Place("scandal", -2, "kali")) == (
        Why.NO_COUNTER,
        {"kind": "scandal", "value": -2},
    )


@pytest.mark.parametrize("value", [-1, -8, 2, 0])
def test_v_fate_3_a_value_the_kind_does_not_have_is_refused(value: int) -> None:
    refusal = Why.NO_COUNTER, {"kind": "scandal", "value": value}
    assert rolling("scandal").refuses(Place("scandal", value, "boyz")) == refusal


@pytest.mark.parametrize("lying", range(4))
def test_v_fate_3_the_counter_lies_on_the_next_empty_step_in_front(lying: int) -> None:
    counters = [("purchase", value) for value in range(1, lying + 1)]
    game = Game(table(rng=loaded("purchase"), artists={"boyz": stage(2, *counters)}))
    events = game.does(Place("purchase", 7, "boyz"))
    assert events == (CounterPlaced(0, "boyz", "purchase", 7, 2 + lying + 1),)
    lies = [(counter.kind, counter.value) for counter in game.artist("boyz").counters or ()]
    assert lies == [*counters, ("purchase", 7)]
    assert game.table.supply["purchase"].count(7) == 1


def test_v_fate_4_where_nobody_else_has_influence_it_takes_effect_at_once() -> None:
    game, events = unopposed("scandal", -6)
    assert events == (
        CounterPlaced(0, "boyz", "scandal", -6, 2),
        FameMoved("boyz", "counter", -6, 14),
    )
    assert game.kind == "buy"
    assert (game.dispute.objectors, game.dispute.result) == ((), "unopposed")


def test_v_fate_4_otherwise_the_others_may_object() -> None:
    game = placed("scandal", -6, agents={2: ()})
    assert (game.kind, game.window.seats) == ("objection", (1,))
    assert game.artist("boyz").space == 20


def test_what_time_running_out_places_is_the_smallest_counter_for_the_first_artist() -> None:
    artists = {"krach": stage(3), "boyz": stage(2)}
    for face, place in (
        ("purchase", Place("purchase", 1, "boyz")),
        ("any", Place("purchase", 1, "boyz")),
        ("minus", Place("critique", -1, "boyz")),
        ("scandal", Place("scandal", -2, "boyz")),
    ):
        game = rolling(face, artists=artists)
        assert RULES.default(game.state, 0) == place


@pytest.mark.parametrize(
    ("supply", "place"),
    [
        ({"purchase": (3,), "critique": (-3,), "scandal": (-3,)}, ("purchase", 3)),
        ({"purchase": (4,), "critique": (-3,), "scandal": (-3,)}, ("critique", -3)),
        ({"purchase": (4,), "critique": (-3,), "scandal": (-2,)}, ("scandal", -2)),
        ({"purchase": (), "critique": (-6,), "scandal": (-7,)}, ("critique", -6)),
    ],
)
def test_where_values_are_equal_time_running_out_takes_purchase_critique_scandal_in_turn(
    supply: dict[str, tuple[int, ...]], place: tuple[str, int]
) -> None:
    game = rolling("any", supply=supply)
    assert RULES.default(game.state, 0) == Place(*place, "krach")


def test_only_a_counter_answers_the_die() -> None:
    game = rolling("any", hands={0: CRITICS})
    for action in (BuyGrey(), Object(), Done()):
        assert game.refuses(action) == (Why.WRONG_WINDOW, {"open": "place"})
