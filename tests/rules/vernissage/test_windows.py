"""Live windows: who is asked, for how long, sealed or not, and what time running out plays."""

from collections.abc import Callable
from typing import Any

import pytest

from saleroom_protocol.games.vernissage import (
    AnyAction,
    BuyGrey,
    BuyPile,
    Challenge,
    Commit,
    Critic,
    Done,
    Forgo,
    Insist,
    Keep,
    Limited,
    Object,
    Offer,
    Place,
    Reveal,
    Stand,
    TurnBegun,
    Unlimited,
    Why,
    Withdraw,
)
from tests.support.games import Variant, listed, variants
from tests.support.vernissage import (
    BELOW_IN,
    CRITICS,
    LIMITED,
    MIGHT,
    RULES,
    Game,
    dealt,
    disputed,
    placed,
    stage,
    table,
    unopposed,
)

VARIANTS = [variant for variant in variants() if variant.rules.key == RULES.key]


def at_challenge() -> Game:
    game = disputed(seats=4, objectors=(1, 2), hands={0: MIGHT[:1], 1: MIGHT[1:2], 2: MIGHT[2:3]})
    game.says(0, Stand())
    return game


def at_might() -> Game:
    game = at_challenge()
    game.does(Challenge(), Challenge())
    return game


def at_pros_might() -> Game:
    game = at_might()
    game.does(Commit(0), Commit(1))
    return game


def at_reveal() -> Game:
    game, _ = unopposed("purchase", 6, artists={"boyz": stage(space=BELOW_IN)}, seats=4)
    return game


def at_pick() -> Game:
    game = Game(table("buy", seats=4))
    game.does(BuyPile(1))
    return game


def at_second_play() -> Game:
    game = Game(table("play", seats=4, hands={0: (LIMITED[2][0], CRITICS[0])}))
    game.does(Limited(2, "2", 4))
    return game


WINDOWS: dict[str, Callable[[], Game]] = {
    "place": lambda: Game(table(seats=4)),
    "objection": lambda: placed("scandal", -6, seats=4),
    "bargain": lambda: disputed(seats=4, objectors=(1, 2)),
    "challenge": at_challenge,
    "might": at_might,
    "might of pro": at_pros_might,
    "reveal": at_reveal,
    "buy": lambda: Game(table("buy", seats=4)),
    "pick": at_pick,
    "play": lambda: Game(table("play", seats=4, hands={0: MIGHT[:1]})),
    "second play": at_second_play,
}
AS_DOCUMENTED: dict[str, tuple[str, tuple[int, ...], int, bool, str]] = {
    "place": ("place", (0,), 45, False, ""),
    "objection": ("objection", (1, 2, 3), 15, True, ""),
    "bargain": ("bargain", (0, 1, 2), 45, False, ""),
    "challenge": ("challenge", (1, 2), 15, True, ""),
    "might": ("might", (1, 2), 20, True, ""),
    "might of pro": ("might", (0,), 20, False, ""),
    "reveal": ("reveal", (0, 1, 2, 3), 20, True, ""),
    "buy": ("buy", (0,), 30, False, ""),
    "pick": ("pick", (0,), 30, False, ""),
    "play": ("play", (0,), 45, False, "play-1"),
    "second play": ("play", (0,), 45, False, "play-1"),
}
ANSWERS: list[AnyAction] = [
    Place("scandal", -2, "boyz"),
    Object(),
    Offer(-2),
    Withdraw(),
    Challenge(),
    Commit(0),
    Reveal(0),
    BuyGrey(),
    BuyPile(1),
    Keep("b01"),
    Limited(1, "1", 3),
    Unlimited({"1": 3}),
    Critic("boyz"),
    Done(),
]


@pytest.mark.parametrize("name", WINDOWS)
def test_kind_seats_seconds_seal_and_budget_are_as_documented(name: str) -> None:
    window = WINDOWS[name]().window
    told = (window.kind, window.seats, window.seconds, window.sealed, window.budget)
    assert told == AS_DOCUMENTED[name]
    assert window.answered == ()


@pytest.mark.parametrize("name", WINDOWS)
def test_an_answer_to_another_kind_of_window_is_refused_and_the_open_one_named(name: str) -> None:
    game = WINDOWS[name]()
    own = {
        "bargain": (Offer, Withdraw),
        "buy": (BuyGrey, BuyPile),
        "play": (Limited, Unlimited, Critic, Done),
    }.get(game.kind, (type(RULES.default(game.state, game.asked)),))
    alike = {"objection": (Object,), "challenge": (Challenge,)}.get(game.kind, ())
    for action in ANSWERS:
        if not isinstance(action, (*own, *alike)):
            assert game.refuses(action) == (Why.WRONG_WINDOW, {"open": game.kind})


@pytest.mark.parametrize("name", WINDOWS)
def test_who_is_not_asked_may_do_nothing(name: str) -> None:
    game = WINDOWS[name]()
    for seat in {0, 1, 2, 3, 4, 9} - set(game.window.seats):
        assert game.legal(seat) == []
        for action in ANSWERS:
            assert game.refuses(action, seat) == (Why.NOT_ASKED, {"seat": seat})


@pytest.mark.parametrize("name", WINDOWS)
def test_time_running_out_plays_something_that_is_listed(name: str) -> None:
    game = WINDOWS[name]()
    for seat in game.window.owing:
        default = RULES.default(game.state, seat)
        assert listed(game.legal(seat), default)
        assert RULES.puzzle(game.state, seat) is None


def test_a_bargain_that_runs_out_of_time_ends_with_whoever_is_first() -> None:
    for seat, action in ((0, Stand()), (1, Insist()), (2, Insist())):
        game = disputed()
        assert RULES.default(game.state, seat) == action
        game.says(seat, RULES.default(game.state, seat))
        assert game.kind == "challenge"


def test_numbers_rise_by_one_with_each_window_and_stay_while_it_is_open() -> None:
    game = placed("scandal", -6, seats=4)
    number = game.window.number
    game.says(2, Object())
    assert game.window.number == number
    game.says(1, Object())
    game.says(3, Object())
    assert (game.kind, game.window.number) == ("bargain", number + 1)
    game.says(0, Offer(-3))
    game.says(1, Withdraw())
    assert game.window.number == number + 1
    game.says(0, Stand())
    game.says(2, Forgo())
    assert (game.kind, game.window.number) == ("challenge", number + 2)


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_a_game_in_which_every_window_times_out_ends(variant: Variant) -> None:
    for seed in range(3):
        game, kinds = Game(variant.dealt(seed)), []
        budgets: dict[str, int] = {}
        while not game.over:
            window = game.window
            kinds.append(window.kind)
            if window.budget:
                assert budgets.setdefault(window.budget, window.seconds) == window.seconds
            game.does(RULES.default(game.state, game.asked))
        assert {"place", "objection", "buy", "play"} <= set(kinds)
        assert not {"bargain", "challenge", "might"} & set(kinds), "nobody ever objects"
        assert game.outcome.reason in ("two_out", "artist_on_top", "counter_on_top", "stall")
        assert RULES.window(game.state) is None


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_a_game_ends_in_which_everybody_objects_challenges_and_then_times_out(
    variant: Variant,
) -> None:
    stubborn: dict[str, Any] = {"objection": Object(), "challenge": Challenge()}
    game, kinds = Game(variant.dealt(1)), set()
    while not game.over:
        kinds.add(game.kind)
        action = stubborn.get(game.kind) or RULES.default(game.state, game.asked)
        game.does(action)
    assert kinds >= {"place", "objection", "bargain", "challenge", "might", "buy", "play"}


def test_nothing_can_be_done_outside_a_window() -> None:
    game = Game(table())
    assert [RULES.anytime(game.state, seat) for seat in range(3)] == [(), (), ()]


def test_the_last_five_turns_are_kept_as_a_spectator_heard_them() -> None:
    game = Game(dealt(seed=b"recent"))
    heard: dict[str, list[Any]] = {"1": list(game.table.recent["1"].values())}
    while game.table.turn < 8:
        for event in game.does(RULES.default(game.state, game.asked)):
            if isinstance(event, TurnBegun):
                heard[str(event.turn)] = []
            told = RULES.tell(event, None)
            if told is not None:
                heard[list(heard)[-1]].append(told)
    recent = game.table.recent
    assert list(recent) == ["4", "5", "6", "7", "8"]
    for turn, events in recent.items():
        assert list(events) == [str(number) for number in range(1, len(heard[turn]) + 1)]
        assert list(events.values()) == heard[turn]
