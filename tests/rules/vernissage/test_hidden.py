"""What is hidden stays hidden, and the pairs of worlds of `test_secrecy` do differ in all of it."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from saleroom_protocol.codec import MSGPACK
from saleroom_protocol.games.vernissage import (
    Allow,
    AnyAction,
    BuyPile,
    Challenge,
    Commit,
    Forgo,
    Keep,
    Object,
    Options,
    Reveal,
    Stand,
)
from saleroom_rules.vernissage.cards import works_of
from saleroom_rules.vernissage.game import Vernissage
from saleroom_rules.vernissage.state import State, kind_of
from saleroom_server.rooms.views import Clock, Viewer, document, look
from tests.rules.test_secrecy import differences
from tests.support.games import Variant
from tests.support.vernissage import (
    BELOW_IN,
    BOYZ,
    KALI,
    LIMITED,
    MIGHT,
    RULES,
    Game,
    disputed,
    placed,
    stage,
    table,
    unopposed,
)
from tests.support.worlds import OTHER_WORLD

CLOCK = Clock(1_790_000_000_000, 1_790_000_045_000)
OTHERS: tuple[Viewer, ...] = (None, 0, 2, 3)  # all but seat 1
HAND = (*MIGHT[:3], *BOYZ[:3])


def documents(state: State, viewers: tuple[Viewer, ...] = OTHERS) -> list[bytes]:
    """Return every byte these viewers see."""
    sight = look(RULES, state, len(state.players), CLOCK)
    return [MSGPACK.encode(document(sight, viewer)) for viewer in viewers]


def at_objection(*hand: str) -> Game:
    return placed("scandal", -6, seats=4, hands={1: hand})


def at_challenge(*hand: str) -> Game:
    hands = {1: hand, 2: MIGHT[5:6], 3: MIGHT[6:7]}
    game = disputed(seats=4, objectors=(1, 2, 3), hands=hands)
    game.says(0, Stand())
    return game


def at_might(*hand: str) -> Game:
    game = at_challenge(*hand)
    game.does(Challenge(), Challenge(), Challenge())
    return game


def at_reveal(*hand: str) -> Game:
    boyz = stage(space=BELOW_IN)
    game, _ = unopposed("purchase", 6, artists={"boyz": boyz}, seats=4, hands={1: hand})
    return game


SEALED: dict[str, tuple[Callable[..., Game], list[AnyAction]]] = {
    "objection": (at_objection, [Object(), Allow()]),
    "challenge": (at_challenge, [Challenge(), Forgo()]),
    "might": (at_might, [Commit(number) for number in range(4)]),
    "reveal": (at_reveal, [Reveal(number) for number in range(4)]),
}


@pytest.mark.parametrize("kind", SEALED)
@pytest.mark.parametrize("order", [(1,), (1, 2), (2, 1)])
def test_a_sealed_answer_is_in_no_byte_of_others_whatever_comes_before_and_after_it(
    kind: str, order: tuple[int, ...]
) -> None:
    begun, answers = SEALED[kind]
    seen = []
    for answer in answers:
        game = begun(*HAND)
        for seat in order:
            action = answer if seat == 1 else RULES.default(game.state, seat)
            assert game.says(seat, action) == ()
        assert (game.kind, game.window.answered) == (kind, tuple(sorted(order)))
        seen.append(documents(game.state))
    assert all(bytes_seen == seen[0] for bytes_seen in seen)


@pytest.mark.parametrize("kind", SEALED)
def test_a_sealed_window_looks_the_same_whoever_holds_what(kind: str) -> None:
    begun, _ = SEALED[kind]
    seen = []
    for hand in (HAND, KALI[:6], MIGHT[8:14]):
        game = begun(*hand)
        assert 1 in game.window.seats
        seen.append((game.window, documents(game.state)))
    assert all(other == seen[0] for other in seen)


@pytest.mark.parametrize("kind", SEALED)
def test_the_own_sealed_answer_is_seen_by_its_seat(kind: str) -> None:
    begun, answers = SEALED[kind]
    seen = set()
    for answer in answers:
        game = begun(*HAND)
        game.says(1, answer)
        seen |= set(documents(game.state, (1,)))
    assert len(seen) == len(answers)


def test_what_a_buyer_kept_and_what_else_lay_there_is_in_no_byte_of_others() -> None:
    state = table("buy", seats=4, active=1)
    seen = []
    for place in range(7):
        game = Game(state)
        game.does(BuyPile(3))
        game.does(Keep(state.piles[2][place]))
        seen.append(documents(game.state))
    assert all(bytes_seen == seen[0] for bytes_seen in seen)


def parts(state: State, viewer: Viewer) -> Iterator[tuple[str, Any]]:
    """Yield all that a viewer may not see, each part by its name."""
    for seat, player in enumerate(state.players):
        if seat != viewer:
            yield f"brown {seat}", player.hand[: player.brown]
            yield f"grey {seat}", player.hand[player.brown :]
    for number, pile in enumerate(state.piles, 1):
        yield f"pile {number}", pile
    yield "aside", state.aside
    yield "grey pile", state.grey
    window = state.window
    answers = dict(getattr(window, "answers", ()))
    answers.pop(viewer, None)
    if answers and window is not None:
        yield kind_of(window), answers


@pytest.mark.parametrize("viewer", [None, 0, 2])
def test_pairs_of_worlds_differ_in_all_that_is_hidden_and_in_nothing_else(viewer: Viewer) -> None:
    variant, luck, differed = Variant(RULES, 4, Options()), Random(3), set()
    for seed in range(4):
        for state, _ in variant.turns(seed, seed):
            if luck.random() < 0.7:
                continue
            other = OTHER_WORLD[RULES.key](state, viewer, (), luck)
            there = dict(parts(other, viewer))
            differed |= {name for name, part in parts(state, viewer) if part != there[name]}
            if viewer is not None:
                assert RULES.private(state, viewer) == RULES.private(other, viewer)
    expected = {f"pile {number}" for number in range(1, 8)} | {"aside", "grey pile"}
    for seat in {0, 1, 2, 3} - {viewer}:
        expected |= {f"brown {seat}", f"grey {seat}"}
    assert expected <= differed
    assert {"objection", "reveal"} <= differed


class Leaky(Vernissage):
    """A game that gives something away by an order nobody would notice."""

    def gives_away(self, state: State) -> bool:
        """Tell what should be a secret."""
        raise NotImplementedError

    def table(self, state: State) -> Any:
        table = super().table(state)
        if self.gives_away(state):
            table = replace(table, players=dict(reversed(table.players.items())))
        return table


class ShowsTheGreyPile(Leaky):
    def gives_away(self, state: State) -> bool:
        return state.grey[-1:] > LIMITED[2][:1]


class ShowsWhatIsAside(Leaky):
    def gives_away(self, state: State) -> bool:
        return state.aside[0] in MIGHT


class ShowsAPile(Leaky):
    def gives_away(self, state: State) -> bool:
        return state.piles[6][:1] < MIGHT[:1]


class ShowsWhoHoldsMight(Leaky):
    def gives_away(self, state: State) -> bool:
        return bool(set(state.players[0].hand) & set(MIGHT))


class ShowsAnAnswer(Leaky):
    def gives_away(self, state: State) -> bool:
        return any(isinstance(action, Object) for _, action in getattr(state.window, "answers", ()))


class TellsEverything(Vernissage):
    """A game that forgets to mask events."""

    def tell(self, event: Any, viewer: Viewer) -> Any:
        return event


class HurriesWhoHoldsNoWork(Vernissage):
    """A game that gives more time where there is something to show."""

    def window(self, state: State) -> Any:
        window = super().window(state)
        if window is not None and window.kind == "reveal":
            artist = window.facts.artist  # type: ignore[attr-defined]
            if not any(works_of(artist, player.hand) for player in state.players):
                window = replace(window, seconds=2)
        return window


@pytest.mark.parametrize(
    "leaky",
    [
        ShowsTheGreyPile,
        ShowsWhatIsAside,
        ShowsAPile,
        ShowsWhoHoldsMight,
        ShowsAnAnswer,
        TellsEverything,
        HurriesWhoHoldsNoWork,
    ],
)
def test_a_leak_is_found(leaky: type[Vernissage]) -> None:
    def look_for_it() -> None:
        for seed in range(12):
            differences(Variant(leaky(), 5, Options()), seed, seed)

    with pytest.raises(AssertionError):
        look_for_it()
