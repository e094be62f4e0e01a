"""Live windows: who is asked, for how long, sealed or not, and what time running out plays."""

from collections.abc import Callable
from typing import Any

import pytest

from saleroom_protocol.games.pictura import (
    AnyAction,
    Claim,
    Decline,
    Discard,
    Done,
    Exhibit,
    FavourChoose,
    FavourPoints,
    Hold,
    Inventory,
    KeepTrend,
    KeepTwo,
    NoTrade,
    Trade,
    UseSpace,
)
from tests.support.games import Variant, listed, variants
from tests.support.pictura import FAVOUR, PATRON, RENAISSANCE, ROCOCO, RULES, Game, hung, table

VARIANTS = [variant for variant in variants() if variant.rules.key == RULES.key]
HAND = [f"p{number:03}" for number in range(30, 42)]
TOKYO = {"tokyo": ("t02", ["p111", "p112", "p004", "p150"])}


def at_keep_trend() -> Game:
    return Game(Variant(RULES, 4, RULES.options()).dealt(3))


def at_others_trade() -> Game:
    game = Game(table(seats=4, hands={0: HAND[:1], 1: HAND[1:2]}))
    game.does(RULES.default(game.state, 0))
    return game


def at_keep_two() -> Game:
    favours = {0: [FAVOUR["choose"]]}
    game = Game(table("action", seats=4, favours=favours, deck=["p150", "p120", "p130", "p140"]))
    game.does(FavourChoose())
    return game


def at_bonus_space(**position: Any) -> Game:
    game = Game(table("action", seats=4, museums={0: RENAISSANCE[:4]}, **position))
    game.does(Hold("renaissance"))
    return game


def at_discard() -> Game:
    favours = {0: ["f01", "f09", "f03"]}
    game = Game(
        table("action", seats=4, hands={0: HAND[:10]}, favours=favours, favour_deck=["f05"])
    )
    game.does(Inventory(), Done())
    return game


WINDOWS: dict[str, Callable[[], Game]] = {
    "keep_trend": at_keep_trend,
    "trade": lambda: Game(table(seats=4, hands={0: HAND})),
    "trade of another": at_others_trade,
    "action": lambda: Game(table("action", seats=4)),
    "keep_two": at_keep_two,
    "bonus_space": at_bonus_space,
    "discard": at_discard,
    "arrange_final": lambda: Game(table("arrange_final", seats=4, ending="goal")),
}
EVERYBODY = (0, 1, 2, 3)
AS_DOCUMENTED: dict[str, tuple[tuple[int, ...], int, bool, str]] = {
    "keep_trend": (EVERYBODY, 30, True, ""),
    "trade": ((0,), 45, False, "trade-2"),
    "trade of another": ((1,), 20, False, ""),
    "action": ((0,), 60, False, "action-2"),
    "keep_two": ((0,), 20, False, ""),
    "bonus_space": ((0,), 20, False, ""),
    "discard": ((0,), 20, False, ""),
    "arrange_final": (EVERYBODY, 60, True, ""),
}


@pytest.mark.parametrize("case", WINDOWS)
def test_every_window_asks_as_documented(case: str) -> None:
    game = WINDOWS[case]()
    window = game.window
    told = (window.seats, window.seconds, window.sealed, window.budget)
    assert window.kind == case.split()[0]
    assert told == AS_DOCUMENTED[case]
    for seat in range(4):
        assert bool(game.legal(seat)) == (seat in window.owing)


DEFAULTS: dict[str, Callable[[Game], AnyAction]] = {
    "keep_trend": lambda game: KeepTrend(min(game.state.players[0].trends)),
    "trade of another": lambda game: Decline(),
    "action": lambda game: Inventory(),
    "keep_two": lambda game: KeepTwo(("p120", "p130")),
    "bonus_space": lambda game: UseSpace("draw_paintings"),
    "discard": lambda game: Discard(("p038", "p039"), ("f09",)),
}


@pytest.mark.parametrize("case", DEFAULTS)
def test_what_time_running_out_plays(case: str) -> None:
    game = WINDOWS[case]()
    action = RULES.default(game.state, game.asked)
    assert action == DEFAULTS[case](game)
    assert listed(game.legal(), action)


@pytest.mark.parametrize(
    "hand", [["p003", "p014"], ["p008", "p003"], ["p111"], HAND, ["p004", "p180"]]
)
def test_time_running_out_makes_the_best_trade_the_lowest_ids_on_a_tie(hand: list[str]) -> None:
    game = Game(table(hands={0: hand}, cities=TOKYO))
    made = RULES.default(game.state, 0)
    assert isinstance(made, Trade)
    best = max(_gain(game, give, take) for give, take in _pairs(game))
    assert _gain(game, made.give, made.take) == best
    assert (made.give, made.take) == min(
        pair for pair in _pairs(game) if _gain(game, *pair) == best
    )


def _pairs(game: Game) -> list[tuple[str, str]]:
    return [
        (entry.fixed["give"], take)
        for entry in game.entries("trade")
        for take in entry.choose["take"].one_of
    ]


def _gain(game: Game, give: str, take: str) -> int:
    after = RULES.apply(game.state, 0, Trade(give, take)).state
    return after.players[0].score - game.score(0)


def test_time_running_out_without_an_allowed_trade_makes_none() -> None:
    game = Game(table(deck=[]))
    assert RULES.default(game.state, 0) == NoTrade()


def test_time_running_out_takes_the_first_free_space_and_hangs_what_is_liked_best() -> None:
    taken = {0: {"draw_paintings": "baroque", "draw_favours": "rococo"}}
    hand = ["p037", "p039", "p045", "p111"]
    game = at_bonus_space(exhibitions=taken, hands={0: hand}, trend="t08")
    assert RULES.default(game.state, 0) == UseSpace("exhibit", "p039")
    game = at_bonus_space(exhibitions=taken)
    assert RULES.default(game.state, 0) == UseSpace("exhibit")


def test_all_steps_of_a_turns_trade_and_of_its_action_share_a_clock_each() -> None:
    points = PATRON["renaissance", "mythology", "points"]
    museums = {0: hung(["p001", "p002", *ROCOCO[:1]])}
    game = Game(
        table(
            museums=museums,
            patrons=[points],
            hands={0: HAND, 1: HAND[:0]},
            favours={0: [FAVOUR["points"]]},
        )
    )
    seen = []
    for action in (Claim(points), RULES.default(game.state, 0), FavourPoints()):
        seen.append((game.window.number, game.window.budget))
        game.does(action)
    for _ in range(2):
        seen.append((game.window.number, game.window.budget))
        game.does(Exhibit(*game.hand(0)[:2]))
    budgets = [budget for _, budget in seen]
    assert budgets == ["trade-2", "trade-2", "action-2", "action-2", "action-2"]
    numbers = [number for number, _ in seen]
    assert numbers == [*range(numbers[0], numbers[0] + 5)], "a new window for every step"


def test_the_clock_of_an_action_stands_still_while_a_space_or_paintings_are_chosen() -> None:
    game = Game(table("action", museums={0: RENAISSANCE[:4]}, favours={0: [FAVOUR["choose"]]}))
    budgets = []
    for action in (FavourChoose(), None, Hold("renaissance"), UseSpace("end_points"), Done()):
        budgets.append(game.window.budget)
        game.does(action or RULES.default(game.state, 0))
    assert budgets == ["action-2", "", "action-2", "", "action-2"]


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_a_game_in_which_every_window_times_out_ends(variant: Variant) -> None:
    game, kinds = Game(variant.dealt(1)), set()
    while not game.over:
        kinds.add(game.kind)
        game.does(RULES.default(game.state, game.asked))
    assert kinds >= {"keep_trend", "trade", "action", "arrange_final"}
    assert game.outcome.reason in ("goal", "last_painting")
