"""What is hidden stays hidden, and the pairs of worlds of `test_secrecy` do differ in all of it."""

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from saleroom_protocol.codec import MSGPACK
from saleroom_protocol.games.pictura import Arrange, FavourChoose, KeepTrend, KeepTwo
from saleroom_rules.pictura.game import MuseumPictura
from saleroom_rules.pictura.state import KeepTwoWindow, State, kind_of
from saleroom_server.rooms.views import Clock, Viewer, document, look
from tests.rules.test_secrecy import differences
from tests.support.games import Variant
from tests.support.pictura import FAVOUR, GREEDY, RULES, Game, table
from tests.support.worlds import OTHER_WORLD

CLOCK = Clock(1_790_000_000_000, 1_790_000_045_000)
OTHERS: tuple[Viewer, ...] = (None, 0, 2, 3)  # all but seat 1
HANDS = [["p001", "p002"], ["p037", "p150"], ["p111", "p003"]]


def documents(state: State, viewers: tuple[Viewer, ...] = OTHERS) -> list[bytes]:
    """Return every byte these viewers see."""
    sight = look(RULES, state, len(state.players), CLOCK)
    return [MSGPACK.encode(document(sight, viewer)) for viewer in viewers]


@pytest.mark.parametrize("active", [0, 1])
def test_being_asked_to_trade_tells_nothing_about_the_hand(active: int) -> None:
    seen, answers = [], []
    for hand in HANDS:
        hands = {0: ["p112"], 1: hand}
        scores = {0: 10, 1: 0}
        state = table(
            seats=4, active=active, hands=hands, scores=scores, cities=GREEDY, deck=["p180"]
        )
        game = Game(state)
        while game.asked != 1:
            game.does(RULES.default(game.state, game.asked))
        seen.append((game.window, documents(game.state)))
        answers.append(game.legal(1))
    assert all(other == seen[0] for other in seen)
    assert len({len(listed) for listed in answers}) > 1, "though some can trade and some cannot"


def test_whatever_a_player_declines_with_looks_the_same() -> None:
    seen = []
    for hand in HANDS:
        game = Game(table(seats=4, hands={0: ["p112"], 1: hand}, deck=["p180"]))
        game.does(RULES.default(game.state, 0), RULES.default(game.state, 1))
        seen.append(documents(game.state))
    assert all(other == seen[0] for other in seen)


def test_which_trend_was_kept_and_which_two_went_back_is_in_no_byte_of_others() -> None:
    state = Variant(RULES, 4, RULES.options()).dealt(3)
    seen, own = [], set()
    for trend in state.players[1].trends:
        game = Game(state)
        for seat in (0, 1, 2, 3):
            first = game.state.players[seat].trends[0]
            game.says(seat, KeepTrend(trend if seat == 1 else first))
        own.add(RULES.private(game.state, 1).trend)
        seen.append(documents(game.state))
    assert all(other == seen[0] for other in seen)
    assert len(own) == 3


def test_which_two_of_four_were_kept_is_in_no_byte_of_others() -> None:
    seen = []
    for place in range(3):
        favours = {1: [FAVOUR["choose"]]}
        deck = ["p150", "p120", "p130", "p140"]
        game = Game(table("action", seats=4, active=1, favours=favours, deck=deck))
        game.does(FavourChoose())
        seen.append(documents(game.state))
        game.does(KeepTwo((deck[place], deck[place + 1])))
        seen.append(documents(game.state))
    assert seen[0::2] == [seen[0]] * 3
    assert seen[1::2] == [seen[1]] * 3


def test_a_sealed_arrangement_is_in_no_byte_of_others() -> None:
    seen, own = [], []
    for places in ({"p001": 0, "p002": 1}, {"p001": 24, "p002": 12}):
        game = Game(table("arrange_final", seats=4, museums={1: {"p001": 0, "p002": 1}}))
        assert game.says(1, Arrange(places)) == ()
        seen.append(documents(game.state))
        own.append(documents(game.state, (1,)))
    assert seen[0] == seen[1]
    assert own[0] != own[1]


def parts(state: State, viewer: Viewer) -> Iterator[tuple[str, Any]]:
    """Yield all that a viewer may not see, each part by its name."""
    for seat, player in enumerate(state.players):
        if seat != viewer:
            yield f"paintings {seat}", player.paintings
            yield f"favours {seat}", player.favours
            yield f"trends {seat}", player.trends
    yield "deck", state.deck
    yield "trend deck", state.trend_deck
    yield "patron deck", state.patron_deck
    yield "favour deck", state.favour_deck
    window = state.window
    if isinstance(window, KeepTwoWindow) and viewer != state.active:
        yield "drawn", window.drawn
    answers = dict(getattr(window, "answers", ()))
    answers.pop(viewer, None)
    if answers and window is not None:
        yield kind_of(window), answers


@pytest.mark.parametrize("viewer", [None, 0, 2])
def test_pairs_of_worlds_differ_in_all_that_is_hidden_and_in_nothing_else(viewer: Viewer) -> None:
    variant, luck, differed = Variant(RULES, 4, RULES.options()), Random(3), set()
    for seed in range(12):
        for state, _ in variant.moments(seed, seed):
            other = OTHER_WORLD[RULES.key](state, viewer, (), luck)
            there = dict(parts(other, viewer))
            differed |= {name for name, part in parts(state, viewer) if part != there[name]}
            if viewer is not None:
                assert RULES.private(state, viewer) == RULES.private(other, viewer)
    expected = {"deck", "trend deck", "patron deck", "favour deck", "drawn"}
    expected |= {"keep_trend", "arrange_final"}
    for seat in {0, 1, 2, 3} - {viewer}:
        expected |= {f"paintings {seat}", f"favours {seat}", f"trends {seat}"}
    assert expected == differed


class Leaky(MuseumPictura):
    """A game that gives something away by an order nobody would notice."""

    def gives_away(self, state: State) -> bool:
        """Tell what should be a secret."""
        raise NotImplementedError

    def table(self, state: State) -> Any:
        table = super().table(state)
        if self.gives_away(state):
            table = replace(table, players=dict(reversed(table.players.items())))
        return table


class ShowsAHand(Leaky):
    def gives_away(self, state: State) -> bool:
        return state.players[0].paintings[:1] < ("p040",)


class ShowsAFavour(Leaky):
    def gives_away(self, state: State) -> bool:
        return state.players[0].favours[:1] < ("f05",)


class ShowsAKeptTrend(Leaky):
    def gives_away(self, state: State) -> bool:
        return state.players[0].trends[0] < "t10"


class ShowsTheDeck(Leaky):
    def gives_away(self, state: State) -> bool:
        return state.deck[-1:] < ("p090",)


class ShowsTheTrends(Leaky):
    def gives_away(self, state: State) -> bool:
        return state.trend_deck[-1:] < ("t15",)


class ShowsThePatrons(Leaky):
    def gives_away(self, state: State) -> bool:
        return state.patron_deck[-1:] < ("m30",)


class ShowsAnAnswer(Leaky):
    def gives_away(self, state: State) -> bool:
        answers = [answer for _, answer in getattr(state.window, "answers", ())]
        return any(isinstance(answer, KeepTrend) and answer.trend < "t15" for answer in answers)


class TellsEverything(MuseumPictura):
    """A game that forgets to mask events."""

    def tell(self, event: Any, viewer: Viewer) -> Any:
        return event


class HurriesByTheHand(MuseumPictura):
    """A game that gives less time for a trade to whom some painting is in the hand."""

    def window(self, state: State) -> Any:
        window = super().window(state)
        if window is not None and window.kind == "trade":
            hand = state.players[window.seats[0]].paintings
            window = replace(window, seconds=2 if hand[:1] < ("p030",) else 45)
        return window


LEAKS = [
    ShowsAHand,
    ShowsAFavour,
    ShowsAKeptTrend,
    ShowsTheDeck,
    ShowsTheTrends,
    ShowsThePatrons,
    ShowsAnAnswer,
    TellsEverything,
    HurriesByTheHand,
]


@pytest.mark.parametrize("leaky", LEAKS)
def test_a_leak_is_found(leaky: type[MuseumPictura]) -> None:
    def look_for_it() -> None:
        for seed in range(12):
            differences(Variant(leaky(), 4, RULES.options()), seed, seed)

    with pytest.raises(AssertionError):
        look_for_it()
