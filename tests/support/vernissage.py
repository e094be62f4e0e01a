"""Vernissage positions as a test wants them, loaded dice, and one way to act at them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from saleroom_protocol.games.vernissage import (
    Allow,
    Counter,
    Dispute,
    Object,
    Options,
    Place,
    Table,
    TableArtist,
    TablePlayer,
)
from saleroom_rules.rng import Rng
from saleroom_rules.vernissage import buy, fate, play
from saleroom_rules.vernissage.cards import ARTISTS, BROWN, COUNTERS, GREY, NUMBERS
from saleroom_rules.vernissage.game import Vernissage
from saleroom_rules.vernissage.state import OnStage, Player, State
from tests.support.hand_game import HandGame

RULES = Vernissage()
SEED = bytes(32)

# Cards by what they are; `test_setup` holds them against the catalogue.
KRACH = tuple(f"b{number:02}" for number in range(1, 8))
BOYZ = tuple(f"b{number:02}" for number in range(8, 15))
KALI = tuple(f"b{number:02}" for number in range(15, 22))
MIGHT = tuple(f"b{number:02}" for number in range(36, 59))
CRITICS = tuple(f"b{number:02}" for number in range(59, 72))
UNLIMITED = tuple(f"b{number:02}" for number in range(72, 83))
LIMITED = {
    1: tuple(f"g{number:02}" for number in range(1, 7)),
    2: tuple(f"g{number:02}" for number in range(7, 14)),
    3: tuple(f"g{number:02}" for number in range(14, 20)),
    4: tuple(f"g{number:02}" for number in range(20, 24)),
}

FACES = {"purchase": 0, "critique": 2, "scandal": 3, "any": 4, "minus": 5}
TOP_STEP = 11
START_SPACE, BELOW_IN = 20, 30  # 100,000 and 200,000


class LoadedRng(Rng, frozen=True):
    """Dice that fall as told, domain by domain, and by the seed after that."""

    loaded: dict[str, tuple[int, ...]] = msgspec.field(default_factory=dict)

    def _next(self, domain: str, bound: int, n: int) -> tuple[int, int]:
        told = self.loaded.get(domain, ())
        if n < len(told):
            assert told[n] < bound
            return told[n], n + 1
        return super()._next(domain, bound, n)


def loaded(
    *faces: str,
    trial: Sequence[tuple[int, int]] = (),
    start: Sequence[tuple[int, int]] = (),
    seed: bytes = SEED,
) -> LoadedRng:
    """Return dice: the faces of the fate die, pairs for trials and for who begins."""
    return LoadedRng(
        seed,
        loaded={
            "fate": tuple(FACES[face] for face in faces),
            "trial": tuple(die - 1 for pair in trial for die in pair),
            "start": tuple(die - 1 for pair in start for die in pair),
        },
    )


def dealt(seats: int = 3, *, might_tax: bool = False, seed: bytes = SEED) -> State:
    """Return a game as `setup` deals it."""
    return RULES.setup(seats, Options(might_tax=might_tax), Rng(seed)).state


def stage(
    step: int = 1, *counters: tuple[str, int], space: int = START_SPACE, out: bool = False
) -> OnStage:
    """Return an artist on a step, with counters in front and the marker on a space."""
    return OnStage(
        step=step,
        counters=tuple(Counter(kind, value) for kind, value in counters),
        space=space,
        out=out,
    )


def table(
    at: Literal["place", "buy", "play"] = "place",
    *,
    seats: int = 3,
    hands: Mapping[int, Iterable[str]] | None = None,
    agents: Mapping[int, Sequence[int]] | None = None,
    shown: Mapping[int, Mapping[str, str]] | None = None,
    cash: Mapping[int, int] | None = None,
    artists: Mapping[str, OnStage] | None = None,
    feather: str | UnsetType = UNSET,
    supply: Mapping[str, tuple[int, ...]] | None = None,
    piles: Sequence[Sequence[str]] | None = None,
    grey: Sequence[str] | None = None,
    discards: Mapping[str, int] | None = None,
    active: int = 0,
    turn: int = 1,
    remained: int = 0,
    might_tax: bool = False,
    rng: Rng | None = None,
) -> State:
    """Return a state in which the active player's turn begins, or is at B or C.

    Whoever is not named has the agents of the set-up, no cards and the first money. Cards not
    named lie in the piles, aside and in the grey pile by id; counters not in front of anybody lie
    beside the board.
    """
    on_stage = {key: stage() for key in ARTISTS} | dict(artists or {})
    taken = [counter for artist in on_stage.values() for counter in artist.counters]
    beside = {kind: list(values) for kind, values in COUNTERS.items()}
    for counter in taken:
        beside[counter.kind].remove(counter.value)
    held = {card for hand in (hands or {}).values() for card in hand}
    held |= {card for works in (shown or {}).values() for card in works}
    laid = {card for pile in piles or () for card in pile}
    brown = [card for card in BROWN if card not in held | laid]
    size = NUMBERS.pile
    if piles is None:
        piles = [brown[number * size : (number + 1) * size] for number in range(7)]
    in_piles = {card for pile in piles for card in pile}
    if grey is None:
        grey = [card for card in GREY if card not in held and card not in (discards or {})]
    state = State(
        might_tax=might_tax,
        start=active,
        turn=turn,
        active=active,
        players=tuple(
            Player(
                cash=(cash or {}).get(seat, NUMBERS.capital),
                agents=tuple(sorted((agents or {}).get(seat, (1, 2)))),
                reserve=3 - len((agents or {}).get(seat, (1, 2))),
                shown=dict((shown or {}).get(seat, {})),
                hand=tuple(sorted((hands or {}).get(seat, ()))),
            )
            for seat in range(seats)
        ),
        artists=on_stage,
        feather=feather,
        supply={kind: tuple(values) for kind, values in beside.items()} | dict(supply or {}),
        piles=tuple(tuple(pile) for pile in piles),
        aside=tuple(card for card in brown if card not in in_piles),
        grey=tuple(grey),
        discards=dict(discards or {}),
        gone={},
        remained=remained,
        recent={},
        rng=rng or Rng(SEED),
    )
    if at == "buy":
        return buy.begin(state).state
    if at == "play":
        return play.begin(state).state
    return fate.begin(replace(state, active=(active - 1) % seats, turn=turn - 1)).state


class Game(HandGame):
    """A game of Vernissage."""

    rules = RULES
    state: State

    @property
    def table(self) -> Table:
        """What everybody sees."""
        return RULES.table(self.state)

    @property
    def dispute(self) -> Dispute:
        """What the table says of this turn's counter."""
        dispute = self.table.dispute
        assert dispute is not UNSET, "no counter was placed"
        return dispute

    def player(self, seat: int) -> TablePlayer:
        """Return what everybody sees of a seat."""
        return self.table.players[str(seat)]

    def artist(self, key: str) -> TableArtist:
        """Return what everybody sees of an artist."""
        return self.table.artists[key]

    def hand(self, seat: int) -> tuple[str, ...]:
        """Return what a seat sees of its own cards."""
        return RULES.private(self.state, seat).cards


def placed(kind: str, value: int, artist: str = "boyz", *, face: str = "", **position: Any) -> Game:
    """Return a game in which the active player has just laid a counter."""
    rng = position.pop("rng", None) or loaded(face or kind)
    game = Game(table(rng=rng, **position))
    game.does(Place(kind, value, artist))
    return game


def unopposed(
    kind: str, value: int, artist: str = "boyz", **position: Any
) -> tuple[Game, tuple[Any, ...]]:
    """Lay a counter that takes effect at once; return the game and all events of it.

    Only the active player has agents beside the artist: the others keep all three in reserve.
    """
    seats = position.get("seats", 3)
    active = position.get("active", 0)
    step = position.get("artists", {}).get(artist, stage()).step
    others = {seat: () for seat in range(seats) if seat != active}
    agents = others | {active: (step,)} | position.pop("agents", {})
    rng = position.pop("rng", None) or loaded(kind)
    game = Game(table(rng=rng, agents=agents, **position))
    return game, game.does(Place(kind, value, artist))


def disputed(
    kind: str = "scandal",
    value: int = -6,
    artist: str = "boyz",
    *,
    objectors: Sequence[int] = (1, 2),
    **position: Any,
) -> Game:
    """Return a game in which these seats have objected and the bargaining begins."""
    game = placed(kind, value, artist, **position)
    for seat in game.window.seats:
        game.says(seat, Object() if seat in objectors else Allow())
    return game
