"""Playing cards: V-PLAY-0 to V-PLAY-2, V-STEP-1 to V-STEP-4, V-CRIT-1 and V-CRIT-2."""

from typing import Any

import pytest
from msgspec import UNSET

from saleroom_protocol.games.forms import Form, assign, one_of
from saleroom_protocol.games.vernissage import (
    AgentsMoved,
    AnyAction,
    ArtistOut,
    BuyGrey,
    BuyPile,
    Critic,
    Done,
    FameMoved,
    FeatherTaken,
    GameEnded,
    KeepNone,
    Limited,
    Place,
    PlayFacts,
    TurnBegun,
    Unlimited,
    Why,
)
from tests.support.vernissage import (
    BOYZ,
    CRITICS,
    LIMITED,
    MIGHT,
    RULES,
    UNLIMITED,
    Game,
    stage,
    table,
    unopposed,
)

CRITIC, FREE_CARD, TWO = CRITICS[0], UNLIMITED[0], LIMITED[2][0]


def at_play(*hand: str, agents: tuple[int, ...] = (1, 2), **position: Any) -> Game:
    """Return a game in which seat 0, with these cards and agents, is to play."""
    return Game(table("play", hands={0: hand}, agents={0: agents}, **position))


def entries(game: Game, do: str) -> list[Any]:
    """Return the forms of one word."""
    return [entry for entry in game.legal() if isinstance(entry, Form) and entry.do == do]


def targets(game: Game, agent: str) -> tuple[Any, ...]:
    """Return where a limited card may bring an agent."""
    for entry in entries(game, "limited"):
        if entry.fixed["agent"] == agent:
            return entry.choose["to"].one_of  # type: ignore[no-any-return]
    return ()


# C as a whole


@pytest.mark.parametrize("hand", [MIGHT[:1], BOYZ[:1], LIMITED[1][:1], CRITICS[:1]])
def test_v_play_0_whoever_holds_a_card_of_any_sort_is_asked(hand: tuple[str, ...]) -> None:
    game = Game(table("buy", hands={0: hand}))
    game.does(BuyPile(1))
    game.does(KeepNone())
    assert (game.kind, game.window.seats, game.facts) == ("play", (0,), PlayFacts(False))


def test_v_play_0_with_neither_a_brown_nor_a_grey_card_the_turn_is_over() -> None:
    game = Game(table("buy", hands={1: MIGHT[:2]}))
    game.does(BuyPile(1))
    assert game.does(KeepNone())[1] == TurnBegun(2, 1)


def test_v_play_1_a_step_change_a_critic_or_nothing() -> None:
    game = at_play(CRITIC, FREE_CARD, TWO, MIGHT[0], BOYZ[0])
    words = [getattr(entry, "do", "done") for entry in game.legal()]
    assert list(dict.fromkeys(words)) == ["unlimited", "limited", "critic", "done"]
    assert game.legal()[-1] == Done()


def test_v_play_1_nothing_may_be_played() -> None:
    game = at_play(CRITIC, FREE_CARD)
    assert game.does(Done())[0] == TurnBegun(2, 1)
    assert game.hand(0) == (CRITIC, FREE_CARD)


def test_v_play_1_a_step_change_first_a_critic_second() -> None:
    game = at_play(CRITIC, TWO)
    assert game.does(Limited(2, "2", 4)) == (AgentsMoved(0, TWO, {"2": 4}),)
    assert game.does(Critic("boyz"))[0] == FeatherTaken(0, CRITIC, "boyz")
    assert game.asked == 1


def test_v_play_1_the_step_change_may_bring_the_influence_the_critic_needs() -> None:
    game = at_play(CRITIC, FREE_CARD, artists={"boyz": stage(9)})
    assert game.refuses(Critic("boyz")) == (Why.NO_INFLUENCE, {"artist": "boyz"})
    game.does(Unlimited({"1": 9}))
    assert entries(game, "critic") == [Form("critic", {}, {"artist": one_of(("boyz",))})]
    assert game.does(Critic("boyz"))[0] == FeatherTaken(0, CRITIC, "boyz")


def test_v_play_1_after_a_critic_no_step_change() -> None:
    game = at_play(CRITIC, FREE_CARD, TWO)
    game.does(Critic("boyz"))
    assert game.refuses(Limited(2, "2", 4), 0) == (Why.NOT_ASKED, {"seat": 0})


def test_v_play_1_only_one_step_change() -> None:
    game = at_play(FREE_CARD, *LIMITED[2][:2], UNLIMITED[1])
    game.does(Limited(2, "2", 4))
    for action in (Limited(2, "4", 5), Unlimited({"4": 5}), Limited(1, "4", 5)):
        assert game.refuses(action) == (Why.ONE_STEP_CHANGE, {})
    assert game.legal() == [Done()]


@pytest.mark.parametrize(
    ("hand", "action", "lacks"),
    [
        ((MIGHT[0], TWO), Critic("boyz"), "critic"),
        ((CRITIC, TWO), Unlimited({"1": 5}), "unlimited"),
        ((CRITIC, FREE_CARD), Limited(2, "2", 4), "limited"),
        ((TWO,), Limited(3, "2", 4), "limited"),
        ((TWO,), Limited(5, "2", 4), "limited"),
    ],
)
def test_v_play_1_only_a_card_of_the_own_hand_can_be_played(
    hand: tuple[str, ...], action: AnyAction, lacks: str
) -> None:
    assert at_play(*hand).refuses(action) == (Why.NOT_IN_HAND, {"card": lacks})


def test_v_play_1_might_and_works_are_not_played() -> None:
    assert at_play(MIGHT[0], BOYZ[0]).legal() == [Done()]


@pytest.mark.parametrize("rest", [(CRITIC,), MIGHT[:1], BOYZ[:1], LIMITED[1][:1]])
def test_v_play_2_a_step_card_opens_a_second_window_whatever_the_hand_holds(
    rest: tuple[str, ...],
) -> None:
    game = at_play(TWO, *rest)
    number = game.window.number
    game.does(Limited(2, "2", 4))
    window = game.window
    assert (window.kind, window.seats, window.facts) == ("play", (0,), PlayFacts(True))
    assert (window.number, window.budget) == (number + 1, "play-1")
    assert game.legal()[-1] == Done()


def test_v_play_2_when_the_step_card_was_the_last_card_of_all_the_turn_is_over() -> None:
    # V-PLAY-0: that both counts are 0 is public, so not being asked tells nothing.
    game = at_play(TWO)
    assert game.does(Limited(2, "2", 4))[1] == TurnBegun(2, 1)


def test_v_play_2_a_critic_or_done_ends_the_turn() -> None:
    answers: list[AnyAction] = [Critic("boyz"), Done()]
    for answer in answers:
        game = at_play(CRITIC, *CRITICS[1:3], TWO)
        game.does(Limited(2, "2", 4))
        assert TurnBegun(2, 1) in game.does(answer)


def test_v_play_2_both_windows_of_a_turn_share_a_budget_and_the_next_turn_has_its_own() -> None:
    game = at_play(CRITIC, TWO)
    budgets = [game.window.budget]
    game.does(Limited(2, "2", 4))
    budgets.append(game.window.budget)
    game.does(Done())
    while game.kind != "play":
        game.does(RULES.default(game.state, game.asked))
    budgets.append(game.window.budget)
    assert budgets == ["play-1", "play-1", "play-2"]


def test_nothing_but_cards_answers_a_play_window() -> None:
    actions: list[AnyAction] = [BuyGrey(), KeepNone(), Place("purchase", 1, "boyz")]
    for action in actions:
        assert at_play(TWO).refuses(action) == (Why.WRONG_WINDOW, {"open": "play"})


# Step changes


def test_v_step_1_every_own_agent_on_the_staircase_or_in_reserve_may_go_to_any_step() -> None:
    game = at_play(FREE_CARD, MIGHT[0])
    events = game.does(Unlimited({"1": 11, "2": 7, "reserve_1": 3}))
    assert events == (AgentsMoved(0, FREE_CARD, {"1": 11, "2": 7, "reserve_1": 3}),)
    assert (game.player(0).agents, game.player(0).reserve) == ((3, 7, 11), 0)


def test_v_step_1_the_card_leaves_the_game() -> None:
    game = at_play(FREE_CARD, MIGHT[0])
    game.does(Unlimited({"1": 5}))
    assert game.table.gone == {FREE_CARD: "unlimited"}
    assert game.hand(0) == (MIGHT[0],)


@pytest.mark.parametrize(
    ("agents", "sets"),
    [
        ((), [["reserve_1"], ["reserve_1", "reserve_2"], ["reserve_1", "reserve_2", "reserve_3"]]),
        (
            (3, 8),
            [
                ["3"],
                ["8"],
                ["reserve_1"],
                ["3", "8"],
                ["3", "reserve_1"],
                ["8", "reserve_1"],
                ["3", "8", "reserve_1"],
            ],
        ),
        (
            (1, 4, 11),
            [["1"], ["4"], ["11"], ["1", "4"], ["1", "11"], ["4", "11"], ["1", "4", "11"]],
        ),
    ],
)
def test_v_step_1_a_form_for_each_set_of_agents_with_the_steps_where_none_stood(
    agents: tuple[int, ...], sets: list[list[str]]
) -> None:
    game = at_play(FREE_CARD, agents=agents)
    free = tuple(step for step in range(1, 12) if step not in agents)
    expected = [
        Form(
            "unlimited",
            {},
            {"agents": assign(dict.fromkeys(keys, free), distinct=True, least=len(keys))},
        )
        for keys in sets
    ]
    listed = entries(game, "unlimited")
    assert sorted(listed, key=str) == sorted(expected, key=str)
    assert [len(form.choose["agents"].assign) for form in listed] == sorted(map(len, sets))


def test_v_step_1_one_in_reserve_is_the_first_of_them() -> None:
    game = at_play(FREE_CARD, agents=(4,))
    for name in ("reserve_2", "reserve_3", "reserve", "3", "04", "reserve_0", ""):
        assert game.refuses(Unlimited({name: 7})) == (Why.NO_AGENT, {"agent": name})
    game.does(Unlimited({"reserve_1": 7, "reserve_2": 8}))


def test_v_step_1_nobody_has_more_than_three_agents() -> None:
    game = at_play(FREE_CARD, agents=(1, 2, 3))
    assert game.refuses(Unlimited({"reserve_1": 7})) == (Why.NO_AGENT, {"agent": "reserve_1"})
    assert not any("reserve" in str(form.wire()) for form in entries(game, "unlimited"))


@pytest.mark.parametrize("step", [0, 12, -1])
def test_v_step_1_only_steps_there_are(step: int) -> None:
    game = at_play(FREE_CARD, TWO, agents=(1, 11))
    assert game.refuses(Unlimited({"1": step})) == (Why.NO_STEP, {"step": step})
    assert game.refuses(Limited(2, "1", step)) == (Why.NO_STEP, {"step": step})


def test_v_step_1_several_cards_alike_the_lowest_id_is_played() -> None:
    game = at_play(*UNLIMITED[3:6])
    assert game.does(Unlimited({"1": 5}))[0].card == UNLIMITED[3]


@pytest.mark.parametrize("steps", [1, 2, 3, 4])
def test_v_step_2_one_own_agent_goes_up_to_so_many_steps_up_or_down(steps: int) -> None:
    game = at_play(LIMITED[steps][0], agents=(6,))
    within = tuple(step for step in range(6 - steps, 6 + steps + 1) if step != 6)
    assert targets(game, "6") == within
    for to in (6 - steps - 1, 6 + steps + 1):
        assert game.refuses(Limited(steps, "6", to)) == (Why.TOO_FAR, {"steps": steps})


@pytest.mark.parametrize("steps", [1, 2, 3, 4])
def test_v_step_2_one_in_reserve_is_placed_no_higher_than_the_number(steps: int) -> None:
    game = at_play(LIMITED[steps][0], MIGHT[0], agents=())
    assert targets(game, "reserve") == tuple(range(1, steps + 1))
    refusal = Why.TOO_FAR, {"steps": steps}
    assert game.refuses(Limited(steps, "reserve", steps + 1)) == refusal
    events = game.does(Limited(steps, "reserve", steps))
    assert events == (AgentsMoved(0, LIMITED[steps][0], {"reserve_1": steps}),)
    assert (game.player(0).agents, game.player(0).reserve) == ((steps,), 2)


def test_v_step_2_a_card_of_more_steps_than_wanted_will_do() -> None:
    game = at_play(LIMITED[4][0], MIGHT[0])
    game.does(Limited(4, "2", 3))
    assert game.player(0).agents == (1, 3)


def test_v_step_2_the_card_goes_to_the_grey_discards_open_to_all() -> None:
    game = at_play(*LIMITED[3][1:3])
    game.does(Limited(3, "2", 5))
    assert game.table.grey.discards == {LIMITED[3][1]: 3}, "the lowest id of those alike"
    assert game.table.gone == {}
    assert game.player(0).grey == 1


def test_v_step_2_a_form_for_each_number_of_steps_and_agent_reserve_agents_alike() -> None:
    game = at_play(LIMITED[1][0], LIMITED[1][1], LIMITED[3][0], agents=(1,))
    assert entries(game, "limited") == [
        Form("limited", {"steps": 1, "agent": "1"}, {"to": one_of((2,))}),
        Form("limited", {"steps": 3, "agent": "1"}, {"to": one_of((2, 3, 4))}),
        Form("limited", {"steps": 3, "agent": "reserve"}, {"to": one_of((2, 3))}),
    ]


@pytest.mark.parametrize("agent", ["3", "reserve_1", "reserve_2", "01", "", "x"])
def test_v_step_2_only_an_agent_there_is_can_move(agent: str) -> None:
    game = at_play(TWO, agents=(1, 6))
    assert game.refuses(Limited(2, agent, 2)) == (Why.NO_AGENT, {"agent": agent})


def test_v_step_2_with_nobody_in_reserve_nobody_can_be_placed() -> None:
    game = at_play(TWO, agents=(1, 6, 9))
    assert game.refuses(Limited(2, "reserve", 2)) == (Why.NO_AGENT, {"agent": "reserve"})
    assert targets(game, "reserve") == ()


def test_v_step_4_a_swap_that_changes_nothing_is_refused() -> None:
    game = at_play(FREE_CARD)
    assert game.refuses(Unlimited({"1": 2, "2": 1})) == (Why.STEP_TAKEN, {"step": 2})
    assert game.refuses(Unlimited({"1": 2, "reserve_1": 1})) == (Why.STEP_TAKEN, {"step": 2})


def test_v_step_4_staying_where_one_stands_is_refused() -> None:
    game = at_play(FREE_CARD, TWO)
    assert game.refuses(Limited(2, "2", 2)) == (Why.CHANGES_NOTHING, {})
    assert game.refuses(Unlimited({"2": 2})) == (Why.STEP_TAKEN, {"step": 2})
    assert game.refuses(Unlimited({})) == (Why.CHANGES_NOTHING, {})


def test_v_inf_2_two_agents_to_one_step_are_refused() -> None:
    game = at_play(FREE_CARD, TWO)
    assert game.refuses(Unlimited({"1": 5, "2": 5})) == (Why.STEP_TAKEN, {"step": 5})
    assert game.refuses(Limited(2, "1", 2)) == (Why.STEP_TAKEN, {"step": 2})
    assert game.refuses(Limited(2, "reserve", 1)) == (Why.STEP_TAKEN, {"step": 1})


def test_v_step_4_passing_own_agents_is_free() -> None:
    game = at_play(TWO, MIGHT[0], agents=(5, 6))
    assert targets(game, "5") == (3, 4, 7)
    game.does(Limited(2, "5", 7))
    assert game.player(0).agents == (6, 7)


def test_v_step_4_the_top_step_is_allowed_and_none_above() -> None:
    game = at_play(LIMITED[4][0], FREE_CARD, agents=(10,))
    assert targets(game, "10") == (6, 7, 8, 9, 11)
    game.does(Limited(4, "10", 11))
    assert game.player(0).agents == (11,)


def test_v_step_4_nobody_goes_back_to_reserve_by_a_card() -> None:
    game = at_play(TWO, FREE_CARD)
    assert game.refuses(Limited(2, "2", 0)) == (Why.NO_STEP, {"step": 0})
    assert game.player(0).reserve == 1
    for entry in (*entries(game, "unlimited"), *entries(game, "limited")):
        assert "0" not in str(entry.wire()).replace("10", "")


def test_v_step_4_a_card_that_brings_nobody_anywhere_is_not_listed() -> None:
    # One step up and one down of each stands another.
    game = at_play(LIMITED[1][0], agents=(1, 2, 3))
    assert [form.fixed["agent"] for form in entries(game, "limited")] == ["3"]
    assert targets(game, "3") == (4,)


# Critics


def test_v_crit_1_the_feather_comes_from_beside_the_board_and_fame_falls_by_5() -> None:
    game = at_play(CRITIC, MIGHT[0])
    assert game.does(Critic("boyz"))[:2] == (
        FeatherTaken(0, CRITIC, "boyz"),
        FameMoved("boyz", "critic", -5, 15),
    )
    assert game.table.feather == "boyz"
    assert game.table.gone == {CRITIC: "critic"}
    assert game.hand(0) == (MIGHT[0],)


def test_v_crit_1_the_feather_comes_from_another_artist_who_is_rid_of_it() -> None:
    game = at_play(CRITIC, feather="kali")
    game.does(Critic("boyz"))
    assert game.table.feather == "boyz"
    assert game.artist("kali").space == 20


def test_v_crit_1_also_an_artist_who_has_it_falls_again_by_5_and_no_more() -> None:
    game = at_play(CRITIC, feather="boyz")
    game.does(Critic("boyz"))
    assert (game.table.feather, game.artist("boyz").space) == ("boyz", 15)


def test_v_crit_1_only_on_an_artist_under_the_own_influence() -> None:
    artists = {"boyz": stage(7), "kali": stage(2), "hering": stage(1, out=True)}
    game = at_play(CRITIC, artists=artists)
    assert entries(game, "critic") == [
        Form("critic", {}, {"artist": one_of(("krach", "kali", "lightenstone"))})
    ]
    for artist in ("boyz", "hering", "nobody"):
        assert game.refuses(Critic(artist)) == (Why.NO_INFLUENCE, {"artist": artist})


def test_v_crit_1_without_influence_no_critic_is_listed() -> None:
    game = at_play(CRITIC, agents=(9,))
    assert game.legal() == [Done()]


@pytest.mark.parametrize(("space", "out"), [(5, False), (4, True)])
def test_v_crit_1_out_is_checked_counters_go_back_and_the_feather_leaves(
    space: int, out: bool
) -> None:
    boyz = stage(1, ("purchase", 1), ("critique", -1), space=space)
    game = at_play(CRITIC, artists={"boyz": boyz})
    events = game.does(Critic("boyz"))
    assert (ArtistOut("boyz") in events) == out
    assert bool(game.artist("boyz").out) == out
    assert game.table.feather == (UNSET if out else "boyz")
    assert (game.table.supply == Game(table()).table.supply) == out
    assert not game.over


def test_v_crit_1_a_second_out_ends_the_game_at_once() -> None:
    artists = {"boyz": stage(space=4), "kali": stage(out=True)}
    game = at_play(CRITIC, artists=artists)
    events = game.does(Critic("boyz"))
    assert events[-2:] == (ArtistOut("boyz"), GameEnded("two_out"))
    assert game.outcome.reason == "two_out"


def test_v_crit_1_counter_and_critic_may_send_two_out_in_one_turn() -> None:
    artists = {"boyz": stage(space=3), "kali": stage(space=4)}
    game, _ = unopposed("scandal", -4, artists=artists, hands={0: (CRITIC,)})
    game.does(BuyGrey())
    events = game.does(Critic("kali"))
    assert events[-1] == GameEnded("two_out")
    assert game.over


def test_v_crit_1_there_is_neither_a_jump_nor_a_counter_that_remains() -> None:
    game = at_play(CRITIC, artists={"boyz": stage(1, ("purchase", 1), ("critique", -1))})
    game.does(Critic("boyz"))
    assert game.artist("boyz").step == 1
    assert game.state.remained == 0


def test_v_crit_2_a_feather_just_given_weighs_on_the_next_counter() -> None:
    game = at_play(CRITIC, agents=(1,))
    game.does(Critic("krach"))
    action = game.legal()[0]
    kind = action.fixed["kind"]
    value = action.choose["value"].one_of[0]
    game.does(Place(kind, value, "krach"))
    while game.kind == "objection":
        game.does(RULES.default(game.state, game.asked))
    assert game.artist("krach").space == 15 + value - 5


def test_time_running_out_plays_nothing() -> None:
    game = at_play(CRITIC, FREE_CARD, TWO)
    assert RULES.default(game.state, 0) == Done()
