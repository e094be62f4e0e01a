"""The dice of a Trial of Strength, and what it leads to: V-TRI-2 to V-TRI-5."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from saleroom_protocol.games.vernissage import (
    AgentReturned,
    ArtistOut,
    Challenge,
    Challenged,
    Commit,
    Counter,
    CounterReturned,
    FameMoved,
    Forgo,
    GameEnded,
    MightTaxed,
    Stand,
    TrialDecided,
    TrialRolled,
)
from tests.support.vernissage import BOYZ, LIMITED, MIGHT, Game, disputed, loaded, stage

PRO_WINS = ((1, 1), (1, 1), (6, 6))
CONTRA_WINS = ((6, 6), (1, 1), (1, 1))


def fought(
    *dice: tuple[int, int],
    contra: Sequence[int] = (1, 2),
    might: Mapping[int, int] | None = None,
    hands: Mapping[int, Sequence[str]] | None = None,
    **position: Any,
) -> tuple[Game, list[Any]]:
    """Fight a trial with these dice and so much might each; return all events from the challenge.

    Each commits all at once, and nobody adds to it.
    """
    cards = iter(MIGHT)
    might = might or {}
    taken = {seat: tuple(next(cards) for _ in range(count)) for seat, count in might.items()}
    held = {seat: (*taken.get(seat, ()), *cards) for seat, cards in (hands or {}).items()}
    rng = loaded("scandal", trial=dice)
    position = {"objectors": (1, 2), **position}
    game = disputed(hands={**taken, **held}, rng=rng, **position)
    game.says(game.dispute.pro, Stand())
    events: list[Any] = []
    while game.kind == "challenge":
        events += game.does(Challenge() if game.asked in contra else Forgo())
    added: set[int] = set()
    while game.kind == "might":
        seat = game.asked
        events += game.does(Commit(0 if seat in added else might.get(seat, 0)))
        added.add(seat)
    return game, events


def rolls(events: Sequence[Any]) -> list[TrialRolled]:
    return [event for event in events if isinstance(event, TrialRolled)]


def winner(events: Sequence[Any]) -> str:
    (decided,) = [event for event in events if isinstance(event, TrialDecided)]
    return decided.winner


def test_v_tri_2_contra_roll_by_seat_then_pro_and_might_is_added() -> None:
    dice = ((1, 2), (3, 4), (5, 6))
    _, events = fought(*dice, seats=4, active=2, objectors=(0, 3), contra=(0, 3), might={0: 2})
    (roll,) = rolls(events)
    assert list(roll.dice.items()) == [("0", (1, 2)), ("3", (3, 4)), ("2", (5, 6))]
    assert roll.totals == {"0": 5, "3": 7, "2": 11}
    assert winner(events) == "pro"


@pytest.mark.parametrize(
    ("dice", "might", "won_by"),
    [
        (((3, 3), (4, 4)), {}, "pro"),
        (((4, 4), (3, 3)), {}, "contra"),
        (((4, 4), (3, 3)), {0: 3}, "pro"),
        (((3, 3), (4, 4)), {1: 3}, "contra"),
        (((6, 6), (1, 1)), {0: 11}, "pro"),
    ],
)
def test_v_tri_2_the_highest_total_wins(
    dice: tuple[tuple[int, int], ...], might: dict[int, int], won_by: str
) -> None:
    game, events = fought(*dice, objectors=(1,), contra=(1,), might=might)
    assert winner(events) == won_by == game.dispute.result


def test_v_tri_2_one_contra_who_is_higher_than_pro_is_enough() -> None:
    _, events = fought((1, 1), (6, 5), (6, 4))
    assert winner(events) == "contra"


def test_v_tri_2_pro_tied_with_the_best_contra_rolls_again_with_the_might_still_counting() -> None:
    _, events = fought((2, 2), (3, 3), (1, 1), (2, 4), (1, 2), (3, 3), might={1: 2, 0: 4})
    first, again = rolls(events)
    assert first.totals == {"1": 6, "2": 6, "0": 6}
    assert again == TrialRolled({"1": (2, 4), "2": (1, 2), "0": (3, 3)}, {"1": 8, "2": 3, "0": 10})
    assert winner(events) == "pro"


def test_v_tri_2_only_those_tied_with_pro_roll_again_the_others_are_out_of_it() -> None:
    first, second = ((4, 4), (3, 3), (5, 3)), ((1, 1), (1, 2))
    game, events = fought(*first, *second)
    assert rolls(events) == [
        TrialRolled({"1": (4, 4), "2": (3, 3), "0": (5, 3)}, {"1": 8, "2": 6, "0": 8}),
        TrialRolled({"1": (1, 1), "0": (1, 2)}, {"1": 2, "0": 3}),
    ]
    assert winner(events) == "pro", "though seat 2 had rolled more"
    trial = game.dispute.trial
    assert trial
    assert trial.rolls == dict(zip(("1", "2"), rolls(events), strict=True))
    assert (trial.winner, trial.contra) == ("pro", (1, 2))


def test_v_tri_2_a_roll_off_that_is_tied_again_goes_on_with_who_is_still_tied() -> None:
    first = ((4, 4), (5, 3), (6, 2))
    second = ((2, 3), (1, 1), (1, 4))  # 5 2 5: seat 2 is out
    third = ((3, 3), (2, 4))
    fourth = ((6, 1), (1, 5))
    _, events = fought(*first, *second, *third, *fourth)
    assert [list(roll.dice) for roll in rolls(events)] == [
        ["1", "2", "0"],
        ["1", "2", "0"],
        ["1", "0"],
        ["1", "0"],
    ]
    assert winner(events) == "contra"


def test_v_tri_2_in_a_roll_off_the_highest_of_all_tied_wins() -> None:
    _, events = fought((4, 4), (5, 3), (6, 2), (2, 3), (6, 1), (3, 3))
    assert winner(events) == "contra"


def test_v_tri_2_a_tie_among_contra_alone_needs_no_roll_off() -> None:
    game, events = fought((5, 5), (4, 6), (4, 5))
    assert len(rolls(events)) == 1
    assert winner(events) == "contra"
    assert game.kind == "buy"


def test_v_tri_3_pro_wins_the_counter_stays_and_takes_effect() -> None:
    game, events = fought(*PRO_WINS)
    assert events == [
        Challenged((1, 2)),
        TrialRolled({"1": (1, 1), "2": (1, 1), "0": (6, 6)}, {"1": 2, "2": 2, "0": 12}),
        TrialDecided("pro"),
        AgentReturned(1, 1),
        AgentReturned(2, 1),
        FameMoved("boyz", "counter", -6, 14),
    ]
    assert game.artist("boyz").counters == (Counter("scandal", -6),)
    assert (game.kind, game.asked) == ("buy", 0)


def test_v_tri_3_a_counter_that_was_fought_for_may_send_its_artist_out_and_end_the_game() -> None:
    boyz, krach = stage(space=2), stage(out=True)
    game, events = fought(*PRO_WINS, artists={"boyz": boyz})
    assert events[-1] == ArtistOut("boyz")
    assert (game.kind, game.dispute.result) == ("buy", "pro")
    game, events = fought(*PRO_WINS, artists={"boyz": boyz, "krach": krach}, might={1: 1})
    assert events[-2:] == [ArtistOut("boyz"), GameEnded("two_out")]
    assert game.player(1).hand == MIGHT[:1], "might is back before it is shown"


def test_v_tri_3_a_counter_that_was_fought_for_may_lead_in() -> None:
    boyz = stage(1, ("purchase", 7), ("critique", -1), space=26)
    game, events = fought(*PRO_WINS, artists={"boyz": boyz})
    assert [type(event).__name__ for event in events[-2:]] == ["ArtistJumped", "FameMoved"]
    assert game.facts.pays == 20_000


def test_v_tri_3_every_contra_takes_back_the_agent_beside_the_artist_and_nobody_else_does() -> None:
    agents = {0: (3, 6), 1: (3, 5), 2: (3, 4), 3: (2, 3)}
    artists = {"boyz": stage(3)}
    game, _ = fought(
        *PRO_WINS, seats=4, objectors=(1, 2, 3), contra=(1, 3), agents=agents, artists=artists
    )
    players = [game.player(seat) for seat in range(4)]
    assert [player.agents for player in players] == [(3, 6), (5,), (3, 4), (2,)]
    assert [player.reserve for player in players] == [1, 2, 1, 2]


def test_v_tri_3_contra_out_of_the_comparison_has_lost_as_well() -> None:
    game, _ = fought((4, 4), (3, 3), (5, 3), (1, 1), (1, 2))
    assert [game.player(seat).agents for seat in range(3)] == [(1, 2), (2,), (2,)]


def test_v_tri_4_contra_wins_the_counter_goes_back_without_effect_and_pro_loses_the_agent() -> None:
    hands = {0: LIMITED[1][:1]}
    game, events = fought(*CONTRA_WINS, hands=hands, artists={"boyz": stage(1, ("purchase", 7))})
    assert events[2:] == [
        TrialDecided("contra"),
        AgentReturned(0, 1),
        CounterReturned("boyz", "scandal", -6),
    ]
    boyz = game.artist("boyz")
    assert (boyz.space, boyz.counters) == (20, (Counter("purchase", 7),))
    assert game.table.supply["scandal"].count(-6) == 2
    assert [game.player(seat).agents for seat in range(3)] == [(2,), (1, 2), (1, 2)]
    assert (game.kind, game.asked, game.dispute.result) == ("buy", 0, "contra")


def test_v_tri_4_pro_may_lose_the_last_agent_and_goes_on_with_b() -> None:
    game, _ = fought(*CONTRA_WINS, agents={0: (1,)})
    assert (game.player(0).agents, game.player(0).reserve) == ((), 3)
    assert (game.kind, game.asked) == ("buy", 0)


def test_v_tri_4_the_agents_of_contra_stay_even_of_those_who_rolled_badly() -> None:
    game, _ = fought((1, 1), (6, 6), (1, 1))
    assert [game.player(seat).agents for seat in (1, 2)] == [(1, 2), (1, 2)]


def test_v_tri_5_committed_might_goes_back_to_the_hand_whoever_wins() -> None:
    for dice in (PRO_WINS, CONTRA_WINS):
        hands = {1: BOYZ[:1]}
        game, _ = fought(*dice, might={0: 2, 1: 1, 2: 1}, hands=hands)
        held = [game.hand(seat) for seat in range(3)]
        assert held == [MIGHT[:2], (BOYZ[0], MIGHT[2]), (MIGHT[3],)]
        assert game.table.gone == {}
        assert game.player(0).brown == 2


@pytest.mark.parametrize(("total", "taxed"), [(((6, 5), (1, 1)), False), (((6, 6), (1, 1)), True)])
def test_v_tri_5_with_the_might_tax_a_total_of_14_costs_one_of_the_might_cards_committed(
    total: tuple[tuple[int, int], ...], taxed: bool
) -> None:
    options: dict[str, Any] = {"objectors": (1,), "contra": (1,), "might": {1: 2}}
    game, events = fought(*total, might_tax=True, **options)
    paid = [event for event in events if isinstance(event, MightTaxed)]
    assert paid == ([MightTaxed(1, MIGHT[0])] if taxed else [])
    assert game.table.gone == ({MIGHT[0]: "tax"} if taxed else {})
    assert game.hand(1) == (MIGHT[1:2] if taxed else MIGHT[:2])


def test_v_tri_5_without_the_option_no_total_costs_anything() -> None:
    game, events = fought((6, 6), (6, 6), (6, 6), might={0: 5, 1: 4, 2: 3})
    assert not any(isinstance(event, MightTaxed) for event in events)
    assert [len(game.hand(seat)) for seat in range(3)] == [5, 4, 3]


def test_v_tri_5_winner_and_losers_pay_alike_each_once() -> None:
    dice = ((6, 6), (6, 5), (6, 6))
    game, events = fought(*dice, might={0: 5, 1: 4, 2: 3}, might_tax=True)
    paid = [event for event in events if isinstance(event, MightTaxed)]
    assert paid == [
        MightTaxed(0, MIGHT[0]),
        MightTaxed(1, MIGHT[5]),
        MightTaxed(2, MIGHT[9]),
    ]
    assert [len(game.hand(seat)) for seat in range(3)] == [4, 3, 2]


def test_v_tri_5_the_last_total_counts() -> None:
    # All tie with 14, and roll again: seat 1 for less, seat 0 for more.
    first, again = ((6, 6), (6, 6)), ((1, 1), (6, 6))
    options: dict[str, Any] = {"objectors": (1,), "contra": (1,), "might": {0: 2, 1: 2}}
    game, events = fought(*first, *again, might_tax=True, **options)
    assert [roll.totals for roll in rolls(events)] == [{"1": 14, "0": 14}, {"1": 4, "0": 14}]
    assert [event.seat for event in events if isinstance(event, MightTaxed)] == [0]
    assert [len(game.hand(seat)) for seat in (0, 1)] == [1, 2]


def test_v_tri_5_who_did_not_roll_again_pays_for_the_only_total() -> None:
    # Seat 2 is out of the comparison with 14; the others tie with 15.
    dice = ((6, 6), (6, 6), (6, 6), (1, 1), (2, 2))
    _, events = fought(*dice, might={0: 3, 1: 3, 2: 2}, might_tax=True)
    assert [event.seat for event in events if isinstance(event, MightTaxed)] == [2]


def test_v_tri_5_who_committed_nothing_and_who_took_no_part_pay_nothing() -> None:
    # No two dice alone make 14, and seat 2 only watches.
    hands = {2: MIGHT[10:12], 1: MIGHT[12:13]}
    _, events = fought((6, 6), (6, 6), contra=(1,), might={0: 2}, hands=hands, might_tax=True)
    assert [event.seat for event in events if isinstance(event, MightTaxed)] == [0]
