"""Improving the museum: P-EXH-1 to P-EXH-4, but for arranging (`test_arrange`)."""

from saleroom_protocol.games.forms import Form, one_of
from saleroom_protocol.games.pictura import (
    Acquire,
    Done,
    Exhibit,
    Inventory,
    Options,
    PaintingHung,
    PaintingsArchived,
    Scored,
    TableMuseum,
    Why,
)
from tests.support.pictura import RENAISSANCE, Game, scored, table

HAND = ["p001", "p002", "p003", "p111"]
FULL = [f"p{number:03}" for number in range(50, 75)]


def test_p_exh_1_a_painting_is_hung_and_another_one_goes_to_the_archive() -> None:
    game = Game(table("action", hands={0: HAND}, archives={0: ["p090"]}))
    events = game.does(Exhibit("p003", "p001"))
    assert events == (PaintingsArchived(0, ("p001",)), PaintingHung(0, "p003", 0))
    assert game.hand(0) == ("p002", "p111")
    assert game.player(0).museum == {"p003": 0}
    assert game.player(0).archive == {"1": "p090", "2": "p001"}


def test_p_exh_1_it_needs_two_different_paintings_of_the_hand() -> None:
    game = Game(table("action", hands={0: HAND, 1: ["p004"]}))
    assert game.entries("exhibit")[0] == Form(
        "exhibit", {"painting": "p001"}, {"archive": one_of(HAND[1:])}
    )
    assert len(game.entries("exhibit")) == 4
    same = Exhibit("p001", "p001")
    assert game.refuses(same) == (Why.SAME_PAINTING, {"painting": "p001"})
    assert game.refuses(Exhibit("p004", "p001")) == (Why.NOT_IN_HAND, {"card": "p004"})
    assert game.refuses(Exhibit("p001", "p004")) == (Why.NOT_IN_HAND, {"card": "p004"})
    two = Game(table("action", hands={0: HAND[:2]}))
    assert [entry.fixed["painting"] for entry in two.entries("exhibit")] == HAND[:2]
    alone = Game(table("action", hands={0: HAND[:1]}))
    assert alone.entries("exhibit") == []


def test_p_exh_1_as_often_as_the_player_likes_mixed_with_acquiring() -> None:
    game = Game(table("action", hands={0: HAND[:3]}, archives={2: ["p090", "p091"]}))
    game.does(Exhibit("p003", "p001"), Acquire("p090", "p002"))
    assert game.archive(0) == ("p001", "p002")
    assert [*game.player(0).museum] == ["p003", "p090"]
    game.does(Done())
    assert game.table.turn == 3


def test_p_exh_2_a_rivals_painting_is_hung_for_one_of_the_hand_and_a_point() -> None:
    game = Game(
        table(
            "action",
            trend="t13",
            scores={0: 3},
            hands={0: HAND},
            archives={2: ["p090", "p091", "p092"]},
        )
    )
    events = game.does(Acquire("p091", "p111"))
    assert events == (
        PaintingsArchived(0, ("p111",)),
        Scored(0, "paid", -1, 2),
        Scored(2, "paid", 1, 11),
        PaintingHung(0, "p091", 0, 2),
        Scored(0, "trend", 2, 4),
    ), "paid before it scores"
    assert game.archive(2) == ("p090", "p092")


def test_p_exh_2_without_a_point_nothing_is_acquired() -> None:
    game = Game(table("action", scores={0: 0}, hands={0: HAND}, archives={1: ["p091"]}))
    assert game.entries("acquire") == []
    assert game.refuses(Acquire("p091", "p111")) == (Why.NO_POINT, {"score": 0})


def test_p_exh_2_the_last_point_is_enough_and_one_painting_of_the_hand() -> None:
    game = Game(table("action", scores={0: 1}, hands={0: HAND[:1]}, archives={1: ["p091"]}))
    assert len(game.entries("acquire")) == 1
    game.does(Acquire("p091", "p001"))
    assert (game.score(0), game.hand(0)) == (0, ())


def test_p_exh_2_from_archives_of_rivals_alone() -> None:
    game = Game(table("action", hands={0: HAND}, archives={0: ["p090"], 1: ["p091"], 2: ["p092"]}))
    choose = {"painting": one_of(["p091", "p092"]), "archive": one_of(HAND)}
    assert game.entries("acquire") == [Form("acquire", {}, choose)]
    for painting in ("p090", "p180", "p001"):
        facts = {"painting": painting}
        assert game.refuses(Acquire(painting, "p111")) == (Why.NOT_IN_ARCHIVE, facts)
    assert game.refuses(Acquire("p091", "p092")) == (Why.NOT_IN_HAND, {"card": "p092"})
    empty = Game(table("action", archives={1: ["p091"]}))
    assert empty.entries("acquire") == []


def test_p_exh_3_what_the_general_trend_likes_scores_when_it_is_hung() -> None:
    game = Game(table("action", hands={0: HAND}, trend="t02"))
    assert scored(game.does(Exhibit("p003", "p001"))) == [(0, "trend", 2)]
    assert scored(game.does(Exhibit("p111", "p002"))) == [], "it likes that one not at all"
    assert game.score(0) == 12


def test_p_exh_3_without_the_option_nothing_scores() -> None:
    options = Options(general_trend=False)
    game = Game(table("action", hands={0: HAND}, trend="t02", options=options))
    assert scored(game.does(Exhibit("p003", "p001"))) == []


def test_p_exh_4_a_painting_is_hung_at_the_lowest_free_place() -> None:
    museum = {"p050": 0, "p051": 1, "p052": 3}
    game = Game(table("action", hands={0: HAND}, museums={0: museum}))
    game.does(Exhibit("p003", "p001"), Exhibit("p002", "p111"))
    assert game.player(0).museum == {**museum, "p003": 2, "p002": 4}


def crowded(*hangs: str) -> Game:
    """Return a game in which seat 0 could exhibit and acquire, if there is room beside this."""
    museums, archives = {0: hangs}, {1: ["p091"]}
    return Game(table("action", hands={0: HAND}, museums=museums, archives=archives))


def test_p_exh_4_there_are_25_places() -> None:
    game = crowded(*FULL)
    assert game.entries("exhibit") == game.entries("acquire") == []
    for action in (Exhibit("p001", "p002"), Acquire("p091", "p001")):
        assert game.refuses(action) == (Why.MUSEUM_FULL, {"places": 25})
    game = crowded(*FULL[:24])
    game.does(Exhibit("p001", "p002"))
    assert game.player(0).museum["p001"] == 24
    assert game.legal() == [Done()]


def test_a_city_shows_what_it_likes_apart_from_the_rest() -> None:
    game = Game(table("action", cities={"tokyo": ("t02", ["p150", "p004", "p111", "p039"])}))
    shown = TableMuseum(trend="t02", matching=("p004", "p039"), other=("p150", "p111"))
    assert game.table.museums["tokyo"] == shown


def test_with_nothing_in_the_hand_only_the_inventory_is_left() -> None:
    game = Game(table("action", deck=[], museums={1: RENAISSANCE[:6]}))
    assert game.legal() == [Inventory()]
