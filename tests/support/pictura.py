"""Museum Pictura positions as a test wants them, and one way to act at them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from msgspec.structs import replace

from saleroom_protocol.games.pictura import ActionFacts, Options, Scored, Table, TablePlayer
from saleroom_rules.contract import do_of
from saleroom_rules.pictura import arrange_final, trade, turn
from saleroom_rules.pictura.board import PLACES
from saleroom_rules.pictura.cards import (
    CATEGORIES,
    FAVOUR_CARDS,
    MUSEUMS,
    PAINTINGS,
    PATRONS,
    TRENDS,
    kind_of_favour,
    of_category,
)
from saleroom_rules.pictura.game import MuseumPictura
from saleroom_rules.pictura.points import steps_up_to
from saleroom_rules.pictura.state import InternationalMuseum, Moment, Player, State, begun, go_on
from saleroom_rules.rng import Rng
from tests.support.hand_game import HandGame

RULES = MuseumPictura()
SEED = bytes(32)
STANDARD = Options()

# By what they show; `test_setup` holds the numbers against the catalogue.
RENAISSANCE = of_category("renaissance", PAINTINGS)  # p001 to p036
BAROQUE = of_category("baroque", PAINTINGS)
ROCOCO = of_category("rococo", PAINTINGS)
IMPRESSIONISM = of_category("impressionism", PAINTINGS)
PORTRAITS = of_category("portrait", PAINTINGS)
FAVOUR = {kind_of_favour(card): card for card in reversed(FAVOUR_CARDS)}  # the first of each kind
PATRON = {  # the one with these wishes, by period, theme and reward
    (card.period, card.theme, card.reward): patron for patron, card in PATRONS.items()
}
LIKES_RENAISSANCE = "t02"  # and history, and painter 14
LIKES_NOTHING_EARLY = "t28"  # impressionism, landscape, painter 22
CITIES = tuple(MUSEUMS)
GREEDY = {  # every museum has what its trend likes, so that with 0 points hardly a trade is allowed
    "tokyo": ("t02", ["p008", "p009", "p014", "p020"]),
    "madrid": ("t01", ["p007", "p013", "p038", "p019"]),
    "victoria": ("t04", ["p005", "p010", "p022", "p023"]),
    "moscow": ("t06", ["p006", "p012", "p018", "p030"]),
}
At = Literal["turn", "trade", "action", "arrange_final"]


def table(
    at: At = "trade",
    *,
    seats: int = 3,
    hands: Mapping[int, Iterable[str]] | None = None,
    favours: Mapping[int, Iterable[str]] | None = None,
    museums: Mapping[int, Iterable[str] | Mapping[str, int]] | None = None,
    archives: Mapping[int, Sequence[str]] | None = None,
    exhibitions: Mapping[int, Mapping[str, str]] | None = None,
    scores: Mapping[int, int] | None = None,
    highest: Mapping[int, int] | None = None,
    trends: Mapping[int, str] | None = None,
    trend: str = "t30",
    cities: Mapping[str, tuple[str, Sequence[str]]] | None = None,
    patrons: Sequence[str] = ("m56", "m57", "m58", "m59", "m60"),
    deck: Sequence[str] | None = None,
    favour_deck: Sequence[str] | None = None,
    start: int = 0,
    active: int = 0,
    number: int = 2,
    options: Options = STANDARD,
    **fields: Any,
) -> State:
    """Return a state in which the active player's turn begins, or is at trade or action.

    Whoever is not named has 10 points, never had more, and nothing else; what hangs hangs from the
    first place on.
    A city not named has a trend that likes nothing of the early periods, and late paintings. Cards
    not named lie in the decks by id.
    """
    players = tuple(
        Player(
            score=(scores or {}).get(seat, 10),
            passed=steps_up_to((highest or scores or {}).get(seat, 10)),
            paintings=tuple(sorted((hands or {}).get(seat, ()))),
            favours=tuple(sorted((favours or {}).get(seat, ()))),
            trends=((trends or {}).get(seat, f"t{21 + seat}"),),
            museum=hung((museums or {}).get(seat, ())),
            archive=tuple((archives or {}).get(seat, ())),
            exhibitions=dict((exhibitions or {}).get(seat, {})),
            patrons={},
        )
        for seat in range(seats)
    )
    used = {card for player in players for card in (*player.paintings, *player.museum)}
    used |= {card for player in players for card in player.archive}
    named = dict(cities or {})
    used |= {card for _, pile in named.values() for card in pile}
    late = iter([card for card in reversed(PAINTINGS) if card not in used])
    likes = iter(["t25", "t26", "t27", "t29"])
    abroad = {}
    for city in CITIES:
        liked, pile = named.get(city) or (next(likes), [next(late) for _ in range(4)])
        abroad[city] = InternationalMuseum(liked, tuple(pile))
    used |= {card for home in abroad.values() for card in home.paintings}
    out = {card for player in players for card in player.favours}
    away = {trend, *(home.trend for home in abroad.values())}
    away |= {card for player in players for card in player.trends}
    state = State(
        general_trend=options.general_trend,
        favour_track=options.favour_track,
        start=start,
        turn=number,
        active=active,
        players=players,
        trend=trend,
        museums=abroad,
        patrons=tuple(patrons),
        chips=dict.fromkeys(CATEGORIES, 2),
        deck=tuple(deck if deck is not None else (c for c in PAINTINGS if c not in used)),
        trend_deck=tuple(card for card in TRENDS if card not in away),
        patron_deck=tuple(card for card in PATRONS if card not in patrons),
        favour_deck=tuple(
            favour_deck if favour_deck is not None else (c for c in FAVOUR_CARDS if c not in out)
        ),
        past_favours={},
        rng=Rng(SEED),
    )
    return _begun(at, begun(replace(state, **fields))).state


def _begun(at: At, step: Moment) -> Moment:
    match at:
        case "turn":
            return turn.begin(step, step.state.active)
        case "trade":
            return trade.begin(step)
        case "action":
            return go_on(step, ActionFacts())
        case _:
            return arrange_final.begin(step)


def hung(paintings: Iterable[str] | Mapping[str, int]) -> dict[str, int]:
    """Return a museum: as it is said, or from the first place on."""
    if isinstance(paintings, Mapping):
        return dict(paintings)
    return dict(zip(paintings, PLACES, strict=False))


def scored(events: Iterable[Any]) -> list[tuple[int, str, int]]:
    """Return who scored among events, why, and how much."""
    return [(event.seat, event.why, event.points) for event in events if isinstance(event, Scored)]


class Game(HandGame):
    """A game of Museum Pictura."""

    rules = RULES
    state: State

    @property
    def table(self) -> Table:
        """What everybody sees."""
        return RULES.table(self.state)

    def player(self, seat: int) -> TablePlayer:
        """Return what everybody sees of a seat."""
        return self.table.players[str(seat)]

    def score(self, seat: int) -> int:
        """Return a seat's points."""
        return self.player(seat).score

    def archive(self, seat: int) -> tuple[str, ...]:
        """Return a seat's archive, in order."""
        return tuple(self.player(seat).archive.values())

    def hand(self, seat: int) -> tuple[str, ...]:
        """Return what a seat sees of its own paintings."""
        return RULES.private(self.state, seat).paintings

    def favours(self, seat: int) -> tuple[str, ...]:
        """Return what a seat sees of its own favours."""
        return RULES.private(self.state, seat).favours

    def city(self, key: str) -> set[str]:
        """Return the paintings of an international museum."""
        museum = self.table.museums[key]
        return {*museum.matching, *museum.other}

    def does(self, *actions: Any) -> tuple[Any, ...]:
        """Answer for the first seat that owes, whatever the rules complete in it."""
        events: tuple[Any, ...] = ()
        for action in actions:
            events = self.says(self.asked, RULES.complete(self.state, self.asked, action))
        return events

    def entries(self, do: str, seat: int | None = None) -> list[Any]:
        """Return what a seat may do of one kind: forms as they are, or actions."""
        return [entry for entry in self.legal(seat) if do_of(entry) == do]

    def choice(self, do: str, field: str) -> tuple[Any, ...]:
        """Return what may stand in a field of the one form of a kind."""
        (form,) = self.entries(do)
        choice = form.choose[field]
        return tuple(choice.one_of or choice.some_of)
