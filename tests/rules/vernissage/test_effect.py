"""What a counter does: V-EFF-1, V-OUT-1 and V-OUT-2, V-VER-1 to V-VER-3, V-CRIT-2."""

from typing import Any

import pytest
from msgspec import UNSET

from saleroom_protocol.games.vernissage import (
    ArtistJumped,
    ArtistOut,
    Counter,
    CounterPlaced,
    FameMoved,
    GameEnded,
    Place,
    Reveal,
    WorksPaid,
    WorksShown,
)
from tests.support.vernissage import BOYZ, Game, loaded, stage, table, unopposed

PURCHASE, CRITIQUE, SCANDAL = ("purchase", 1), ("critique", -1), ("scandal", -2)


def names(events: tuple[Any, ...]) -> list[str]:
    return [type(event).__name__ for event in events]


def test_the_rulebooks_example_a_scandal_of_6_moves_boyz_six_down() -> None:
    _, events = unopposed("scandal", -6)
    assert events[1:] == (FameMoved("boyz", "counter", -6, 14),)


def test_v_crit_2_the_rulebooks_example_with_the_feather_boyz_falls_eleven() -> None:
    game, events = unopposed("scandal", -6, feather="boyz")
    assert events[1:] == (FameMoved("boyz", "counter", -11, 9),)
    assert game.artist("boyz").worth == -10_000


@pytest.mark.parametrize(("value", "space"), [(7, 22), (5, 20), (1, 16)])
def test_v_crit_2_the_feather_weighs_on_purchases_too(value: int, space: int) -> None:
    game, _ = unopposed("purchase", value, feather="boyz")
    assert game.artist("boyz").space == space


def test_v_crit_2_the_feather_weighs_on_nobody_else() -> None:
    game, _ = unopposed("scandal", -6, feather="kali")
    assert game.artist("boyz").space == 14
    assert game.artist("kali").space == 20


def test_v_eff_1_fame_and_feather_are_one_move() -> None:
    # +6 alone would lead IN on the way.
    game, events = unopposed("purchase", 6, feather="boyz", artists={"boyz": stage(space=29)})
    assert events[1:] == (FameMoved("boyz", "counter", 1, 30),)
    assert game.kind == "buy"


def test_v_eff_1_in_comes_before_the_jump_and_the_bonus_may_lead_in_again() -> None:
    boyz = stage(1, CRITIQUE, SCANDAL, space=29)
    hands = {0: BOYZ[:1], 2: BOYZ[1:3]}
    game, events = unopposed("purchase", 4, artists={"boyz": boyz}, hands=hands)
    assert events[1:] == (FameMoved("boyz", "counter", 4, 33),)
    assert game.facts.pays == 30_000
    game.does(Reveal(1), Reveal(0))
    assert game.does(Reveal(1)) == (
        WorksShown(0, BOYZ[:1]),
        WorksShown(2, BOYZ[1:2]),
        WorksPaid(0, "boyz", 1, 30_000),
        WorksPaid(2, "boyz", 1, 30_000),
        FameMoved("boyz", "paid", -3, 30),
        ArtistJumped("boyz", 5, 1, "great"),
        FameMoved("boyz", "great", 12, 42),
    )
    assert (game.kind, game.facts.pays) == ("reveal", 120_000)
    game.does(Reveal(0), Reveal(0))
    assert game.does(Reveal(1)) == (
        WorksShown(2, BOYZ[2:3]),
        WorksPaid(0, "boyz", 1, 120_000),
        WorksPaid(2, "boyz", 2, 240_000),
        FameMoved("boyz", "paid", -12, 30),
    )
    assert game.kind == "buy"


def test_v_eff_1_out_forbids_the_jump() -> None:
    boyz = stage(1, PURCHASE, CRITIQUE, space=3)
    game, events = unopposed("scandal", -4, artists={"boyz": boyz})
    assert events[1:] == (FameMoved("boyz", "counter", -4, -1), ArtistOut("boyz"))
    assert (game.artist("boyz").out, game.artist("boyz").step) == (True, UNSET)
    assert game.kind == "buy"


def test_v_eff_1_two_out_goes_before_a_counter_on_top() -> None:
    artists = {"kali": stage(out=True), "boyz": stage(10, space=3)}
    game, events = unopposed("scandal", -4, artists=artists)
    assert events[-1] == GameEnded("two_out")
    assert game.outcome.reason == "two_out"


def test_v_eff_1_an_artist_on_top_goes_before_a_counter_on_top() -> None:
    boyz = stage(8, PURCHASE, CRITIQUE)
    game, events = unopposed("scandal", -4, artists={"boyz": boyz})
    assert events[0] == CounterPlaced(0, "boyz", "scandal", -4, 11)
    assert events[-1] == GameEnded("artist_on_top")
    assert game.artist("boyz").step == 11


def test_v_eff_1_a_counter_on_top_that_sends_its_own_artist_out_has_remained() -> None:
    game, events = unopposed("scandal", -4, artists={"boyz": stage(10, space=3)})
    assert names(events) == ["CounterPlaced", "FameMoved", "ArtistOut", "GameEnded"]
    assert game.outcome.reason == "counter_on_top"


def test_v_eff_1_a_counter_on_top_that_leads_in_is_paid_for_first() -> None:
    game, _ = unopposed("purchase", 7, artists={"boyz": stage(10, space=30)}, hands={1: BOYZ[:1]})
    assert not game.over
    game.does(Reveal(0), Reveal(1))
    events = game.does(Reveal(0))
    assert events[-1] == GameEnded("counter_on_top")
    assert game.player(1).cash == 270_000


def test_v_eff_1_the_end_is_immediate_and_b_and_c_fall_away() -> None:
    game, events = unopposed("purchase", 7, artists={"boyz": stage(10)}, hands={0: BOYZ})
    assert names(events) == ["CounterPlaced", "FameMoved", "GameEnded"]
    assert game.over


@pytest.mark.parametrize(("space", "out"), [(6, False), (5, True), (0, True)])
def test_v_out_1_an_artist_is_out_below_the_lowest_space(space: int, out: bool) -> None:
    game, events = unopposed("scandal", -6, artists={"boyz": stage(space=space)})
    assert bool(game.artist("boyz").out) == out
    assert (ArtistOut("boyz") in events) == out


def test_v_out_1_counters_go_back_and_the_feather_leaves_the_board() -> None:
    boyz = stage(1, PURCHASE, PURCHASE, space=3)
    game, _ = unopposed("scandal", -6, artists={"boyz": boyz}, feather="boyz")
    assert game.table.feather is UNSET
    assert game.table.supply == Game(table()).table.supply
    assert game.artist("boyz").counters is UNSET


def test_v_out_1_the_feather_of_another_stays() -> None:
    game, _ = unopposed("scandal", -6, artists={"boyz": stage(space=3)}, feather="kali")
    assert game.table.feather == "kali"


def test_v_out_1_works_stay_with_their_owners() -> None:
    game, _ = unopposed(
        "scandal",
        -6,
        artists={"boyz": stage(space=3)},
        hands={1: BOYZ[:2]},
        shown={2: {BOYZ[2]: "boyz"}},
    )
    assert game.hand(1) == BOYZ[:2]
    assert game.player(2).shown == {BOYZ[2]: "boyz"}


def test_v_out_2_the_first_artist_out_ends_nothing_the_second_does() -> None:
    game, _ = unopposed("scandal", -6, artists={"boyz": stage(space=3)})
    assert game.kind == "buy"
    artists = {"boyz": stage(space=3), "krach": stage(out=True)}
    game, events = unopposed("scandal", -6, artists=artists)
    assert events[-2:] == (ArtistOut("boyz"), GameEnded("two_out"))
    assert game.outcome.reason == "two_out"


ALL_THREE = [
    ((PURCHASE, CRITIQUE), "scandal", -2),
    ((SCANDAL, PURCHASE), "critique", -1),
    ((CRITIQUE, SCANDAL), "purchase", 1),
    ((PURCHASE, PURCHASE, ("purchase", 2), CRITIQUE), "scandal", -3),
]


@pytest.mark.parametrize(("lying", "kind", "value"), ALL_THREE)
def test_v_ver_1_with_all_three_kinds_in_front_the_artist_jumps_behind_them(
    lying: tuple[tuple[str, int], ...], kind: str, value: int
) -> None:
    game, events = unopposed(kind, value, artists={"boyz": stage(2, *lying)})
    jumped = [event for event in events if isinstance(event, ArtistJumped)]
    step = 2 + len(lying) + 2
    assert jumped == [ArtistJumped("boyz", step, 1, "great")]
    assert (game.artist("boyz").step, game.artist("boyz").counters) == (step, ())
    assert game.table.supply == Game(table()).table.supply, "the counters went back"


@pytest.mark.parametrize(
    ("lying", "kind"),
    [((), "scandal"), ((PURCHASE, PURCHASE), "scandal"), ((CRITIQUE, SCANDAL), "scandal")],
)
def test_v_ver_1_two_kinds_are_not_enough(lying: tuple[tuple[str, int], ...], kind: str) -> None:
    game, _ = unopposed(kind, -3, artists={"boyz": stage(2, *lying)})
    assert game.artist("boyz").step == 2
    assert len(game.artist("boyz").counters or ()) == len(lying) + 1


def test_v_ver_1_nobody_jumps_beyond_the_top() -> None:
    boyz = stage(7, PURCHASE, PURCHASE, CRITIQUE)
    game, events = unopposed("scandal", -4, artists={"boyz": boyz})
    assert [event.step for event in events if isinstance(event, ArtistJumped)] == [11]
    assert game.artist("boyz").step == 11


def test_v_ver_1_the_next_free_step_is_free_of_counters_not_of_others() -> None:
    boyz, others = stage(1, PURCHASE, CRITIQUE), stage(5, PURCHASE)
    game, _ = unopposed("scandal", -4, artists={"boyz": boyz, "kali": others})
    assert game.artist("boyz").step == game.artist("kali").step == 5


def jump(*steps: int, feather: Any = UNSET) -> ArtistJumped:
    """Let Boyz jump to step 5 while the others stand on these; 0 is OUT."""
    keys = ("krach", "kali", "hering", "lightenstone")
    artists = {key: stage(step or 9, out=not step) for key, step in zip(keys, steps, strict=True)}
    boyz = stage(1, PURCHASE, CRITIQUE)
    _, events = unopposed(
        "scandal", -4, artists={"boyz": boyz, **artists}, feather=feather, agents={0: (1,)}
    )
    (jumped,) = [event for event in events if isinstance(event, ArtistJumped)]
    return jumped


@pytest.mark.parametrize(
    ("steps", "rank", "vernissage"),
    [
        ((1, 1, 1, 1), 1, "great"),
        ((5, 5, 1, 1), 1, "great"),
        ((6, 5, 4, 1), 2, "small"),
        ((6, 6, 1, 1), 3, UNSET),
        ((6, 9, 10, 1), 4, UNSET),
        ((6, 7, 8, 9), 5, UNSET),
        ((0, 5, 4, 1), 1, "great"),
        ((0, 6, 4, 1), 2, "small"),
    ],
    ids=[
        "first",
        "first, level with two",
        "second, level with one",
        "two level above: third",
        "fourth",
        "last",
        "who is OUT is not above",
        "nor beside who is",
    ],
)
def test_v_ver_2_rank_is_one_more_than_the_artists_in_play_on_higher_steps(
    steps: tuple[int, ...], rank: int, vernissage: Any
) -> None:
    assert jump(*steps) == ArtistJumped("boyz", 5, rank, vernissage)


def test_v_ver_2_a_great_vernissage_is_12_up_a_small_one_6_and_lower_ranks_nothing() -> None:
    moves = []
    for above in (1, 6):
        artists = {"boyz": stage(1, PURCHASE, CRITIQUE, space=10), "kali": stage(above)}
        _, events = unopposed("scandal", -4, artists=artists)
        moves.append(events[-1])
    assert moves == [FameMoved("boyz", "great", 12, 18), FameMoved("boyz", "small", 6, 12)]
    artists = {"boyz": stage(1, PURCHASE, CRITIQUE), "kali": stage(6), "krach": stage(6)}
    game, events = unopposed("scandal", -4, artists=artists)
    assert events[-1] == ArtistJumped("boyz", 5, 3)
    assert game.artist("boyz").space == 16


@pytest.mark.parametrize("above", [1, 6])
def test_v_ver_3_with_the_feather_there_is_a_jump_and_no_bonus(above: int) -> None:
    jumped = jump(above, 1, 1, 1, feather="boyz")
    assert (jumped.step, jumped.vernissage) == (5, UNSET)
    artists = {"boyz": stage(1, PURCHASE, CRITIQUE), "kali": stage(above)}
    game, events = unopposed("scandal", -4, artists=artists, feather="boyz")
    assert isinstance(events[-1], ArtistJumped)
    assert (game.artist("boyz").space, game.table.feather) == (11, "boyz")


def test_v_ver_3_the_feather_of_another_does_not_matter() -> None:
    assert jump(1, 1, 1, 1, feather="kali").vernissage == "great"


def test_a_counter_in_front_of_a_jumped_artist_lies_on_the_step_after_the_new_one() -> None:
    game = Game(table(rng=loaded("scandal"), artists={"boyz": stage(5)}, agents={0: (5,)}))
    assert game.does(Place("scandal", -3, "boyz"))[0] == CounterPlaced(0, "boyz", "scandal", -3, 6)
    assert game.artist("boyz").counters == (Counter("scandal", -3),)
