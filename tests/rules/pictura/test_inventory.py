"""The inventory, and what the decks do when they are empty: P-INV-1, P-DECK, P-REFILL."""

from random import Random

from msgspec.structs import replace

from saleroom_protocol.games.pictura import (
    Claim,
    Done,
    FavourDrawn,
    FavourPoints,
    FavourTake,
    Hold,
    Inventory,
    InventoryTaken,
    MuseumRefilled,
    PaintingTaken,
    PatronsShown,
    ReplacePatrons,
    TrendRevealed,
    UseSpace,
    Why,
)
from saleroom_rules.pictura.cards import kind_of_favour
from saleroom_rules.pictura.decks import reveal_trend
from saleroom_rules.pictura.state import State, begun
from saleroom_rules.playout import at_random, play
from saleroom_rules.rng import Rng
from tests.support.conservation import pictura as conserved
from tests.support.games import Variant
from tests.support.pictura import FAVOUR, PATRON, RENAISSANCE, RULES, SEED, Game, table

OPEN = ("m56", "m57", "m58", "m59", "m60")


def test_p_inv_1_the_whole_archive_comes_back_and_a_favour_is_drawn() -> None:
    game = Game(
        table("action", favour_deck=["f09"], hands={0: ["p050"]}, archives={0: ["p090", "p010"]})
    )
    assert game.does(Inventory()) == (InventoryTaken(0), FavourDrawn(0, "f09"))
    assert (game.hand(0), game.archive(0)) == (("p010", "p050", "p090"), ())
    assert game.favours(0) == ("f09",)


def test_p_inv_1_it_is_allowed_with_an_empty_archive() -> None:
    game = Game(table("action", favour_deck=["f09"]))
    assert game.does(Inventory()) == (InventoryTaken(0), FavourDrawn(0, "f09"))
    assert (game.kind, game.hand(0)) == ("action", ())


def test_p_inv_1_then_all_open_patrons_may_be_replaced_once() -> None:
    game = Game(table("action"))
    assert game.refuses(ReplacePatrons()) == (Why.NO_INVENTORY, {})
    game.does(Inventory())
    assert (game.facts.chosen, game.facts.replaced) == ("inventory", False)
    assert game.legal()[0] == ReplacePatrons()
    top = game.state.patron_deck[:5]
    assert game.does(ReplacePatrons()) == (PatronsShown(top),)
    assert game.table.patrons == top
    assert (game.table.piles.patrons, game.table.piles.past_patrons) == (50, 5)
    assert game.facts.replaced is True
    assert game.refuses(ReplacePatrons()) == (Why.NO_INVENTORY, {})
    assert ReplacePatrons() not in game.legal()


def test_p_inv_1_they_need_not_be_replaced() -> None:
    game = Game(table("action"))
    game.does(Inventory(), Done())
    assert (game.table.turn, game.table.patrons) == (3, OPEN)


def test_p_inv_1_favour_and_patron_may_come_before_replacing() -> None:
    points = PATRON["renaissance", "mythology", "points"]
    game = Game(
        table("action", patrons=[points], favours={0: ["f01"]}, museums={0: ["p001", "p002"]})
    )
    game.does(Inventory(), FavourPoints(), Claim(points), ReplacePatrons(), Done())
    assert game.table.turn == 3


def test_p_deck_favours_are_shuffled_from_their_discards_a_played_one_too() -> None:
    past = {"f09": "take", "f04": "exhibit"}
    game = Game(table(favour_deck=[], past_favours=past, favours={0: ["f01"]}, scores={0: 18}))
    shuffled, rng = Rng(SEED).shuffle("favours", ("f01", "f04", "f09"))
    events = game.does(FavourPoints())
    assert FavourDrawn(0, shuffled[0]) in events
    assert (game.state.favour_deck, game.table.favours) == (shuffled[1:], {})
    assert game.state.rng == rng, "the next shuffle is another one"


def test_p_deck_without_any_favour_none_is_drawn() -> None:
    game = Game(table("action", favour_deck=[]))
    assert game.does(Inventory()) == (InventoryTaken(0),)


def test_p_deck_patrons_are_shuffled_from_their_discards_those_just_replaced_too() -> None:
    game = Game(table("action", patrons=OPEN[::-1], patron_deck=("m01",)))
    shuffled, rng = Rng(SEED).shuffle("patrons", OPEN)
    game.does(Inventory(), ReplacePatrons())
    assert game.table.patrons == ("m01", *shuffled[:4])
    assert (game.state.patron_deck, game.state.rng) == (shuffled[4:], rng)


def test_p_deck_without_any_patron_the_row_stays_short() -> None:
    points = PATRON["renaissance", "mythology", "points"]
    museum = {0: ["p001", "p002"]}
    game = Game(table("action", museums=museum, patrons=[points], patron_deck=()))
    events = game.does(Claim(points))
    assert not [event for event in events if isinstance(event, PatronsShown)]
    assert game.table.patrons == ()


def test_p_deck_trends_are_shuffled_from_their_discards_the_last_one_too() -> None:
    state = table(trend_deck=(), past_trends=("t11", "t09"))
    shuffled, rng = Rng(SEED).shuffle("trends", ("t09", "t11", "t30"))
    step = reveal_trend(begun(state))
    assert step.events == (TrendRevealed(shuffled[0]),)
    assert (step.state.trend_deck, step.state.past_trends) == (shuffled[1:], ())
    assert step.state.rng == rng


def test_p_deck_the_only_trend_there_is_comes_again() -> None:
    step = reveal_trend(begun(table(trend_deck=(), trend="t30")))
    assert step.events == (TrendRevealed("t30"),)
    assert (step.state.trend, step.state.trend_deck, step.state.past_trends) == ("t30", (), ())


def test_p_deck_is_made_anew_only_when_a_card_is_needed_and_none_is_left() -> None:
    museums = {0: RENAISSANCE[:4]}
    past = {"f04": "exhibit"}
    game = Game(table("action", museums=museums, favour_deck=["f20"], past_favours=past))
    game.does(Hold("renaissance"))
    events = game.does(UseSpace("draw_favours"))
    assert events[1:] == (FavourDrawn(0, "f20"), FavourDrawn(0, "f04"))
    assert game.table.favours == {}


def used_up(seed: int) -> State:
    """Return a game of three whose decks lie discarded, and most of its paintings in archives."""
    game = Game(Variant(RULES, 3, RULES.options()).dealt(seed))
    game.does(*(RULES.default(game.state, seat) for seat in range(3)))
    state, archived = game.state, game.state.deck[20:]
    return replace(
        state,
        players=tuple(
            replace(player, archive=archived[seat::3]) for seat, player in enumerate(state.players)
        ),
        deck=state.deck[:20],
        trend_deck=(),
        past_trends=state.trend_deck,
        patron_deck=(),
        past_patrons=state.patron_deck,
        favour_deck=(),
        past_favours={favour: kind_of_favour(favour) for favour in state.favour_deck},
    )


def test_p_deck_with_every_deck_used_up_all_pieces_are_conserved_to_the_end() -> None:
    renewed: set[str] = set()
    for seed in range(6):
        state = used_up(seed)
        before = state.rng.counts
        for turn in play(RULES, state, 3, at_random(Random(seed).choice)):
            conserved(state, turn)
            state = turn.step.state
        renewed |= {domain for domain, count in state.rng.counts.items() if count > before[domain]}
    assert renewed == {"trends", "patrons", "favours"}


def test_p_refill_a_museum_short_of_a_painting_is_refilled_at_once() -> None:
    cities = {"madrid": ("t02", ["p004", "p005", "p006", "p007"])}
    game = Game(table(cities=cities, favours={0: [FAVOUR["take"]]}, deck=["p150", "p002"]))
    events = game.does(FavourTake("p005"))
    assert events[1:] == (PaintingTaken(0, "madrid", "p005"), MuseumRefilled("madrid", "p150"))
    assert game.state.museums["madrid"].paintings == ("p004", "p006", "p007", "p150"), "last"
    assert game.state.deck == ("p002",)
    assert game.hand(0) == ("p005",)


def test_p_refill_from_an_empty_deck_it_is_not() -> None:
    cities = {"madrid": ("t02", ["p004", "p005", "p006", "p007"])}
    game = Game(table(cities=cities, favours={0: [FAVOUR["take"]]}, deck=[]))
    game.does(FavourTake("p005"))
    assert game.city("madrid") == {"p004", "p006", "p007"}


def test_an_inventory_is_what_time_running_out_takes_and_its_patrons_stay() -> None:
    game = Game(table("action"))
    assert RULES.default(game.state, 0) == Inventory()
    game.does(Inventory())
    assert RULES.default(game.state, 0) == Done()
