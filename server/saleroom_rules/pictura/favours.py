"""Favours: a kind of card each with an effect, or paintings for any of them (P-FAV, P-FAV-1).

How much of it a kind gives is data; what it does is the table `EFFECTS`.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from saleroom_protocol.games.forms import Form, one_of, some_of
from saleroom_protocol.games.pictura import (
    AnyAction,
    FavourAcquire,
    FavourChoose,
    FavourDraw,
    FavourExhibit,
    FavourId,
    FavourPlayed,
    FavourPoints,
    FavourRecover,
    FavourTake,
    FavourTrade,
    FavourTrend,
    Kind,
    PaintingId,
    PaintingsRecovered,
    Why,
)
from saleroom_rules.contract import IllegalAction
from saleroom_rules.pictura import keep_two
from saleroom_rules.pictura.cards import FAVOURS, NUMBERS, kind_of_favour
from saleroom_rules.pictura.decks import draw_paintings, take_free
from saleroom_rules.pictura.hanging import (
    acquire,
    can_acquire,
    can_hang,
    hang_own,
    rivals_archives,
)
from saleroom_rules.pictura.points import scored
from saleroom_rules.pictura.state import (
    Moment,
    OwnWindow,
    Player,
    State,
    begun,
    opened,
    told,
    without,
)
from saleroom_rules.pictura.trading import can_trade, traded, trades
from saleroom_seeds.pictura import FAVOUR_KINDS, FavourKind

AnyFavour: TypeAlias = (
    FavourDraw
    | FavourPoints
    | FavourExhibit
    | FavourTake
    | FavourRecover
    | FavourTrade
    | FavourChoose
    | FavourTrend
    | FavourAcquire
)
Entries: TypeAlias = Sequence[AnyAction | Form]


class Effect(Struct, frozen=True, gc=False):
    """What a kind of favour does when it is not played to draw.

    Attributes:
        action: what plays it.
        finds: whether there is something to do (P-FAV-1).
        entries: how it stands in `legal`, where it finds something.
        does: what comes of the action, once the card is on the discards.
    """

    action: type[AnyFavour]
    finds: Callable[[State], bool]
    entries: Callable[[State], Entries]
    does: Callable[[Moment, Any], Moment]


def legal(state: State) -> Iterator[AnyAction | Form]:
    """Yield what each kind in the hand can do, then drawing with any of them."""
    if state.favour_played or not state.player.favours:
        return
    held = kinds_held(state.player)
    for kind in held:
        effect = EFFECTS[kind]
        if effect.finds(state):
            yield from effect.entries(state)
    yield Form("favour_draw", {}, {"favour": one_of(held)})


def play(state: State, window: OwnWindow, act: AnyFavour) -> Moment:
    """Put a favour on the discards, then do what it says; the window opens again."""
    if state.favour_played:
        raise IllegalAction(Why.ONE_FAVOUR)
    if isinstance(act, FavourDraw):
        step = _put_down(state, act.favour, "draw")
        return opened(draw_paintings(step, state.active, NUMBERS.any_favour), window)
    kind = KIND_OF[type(act)]
    effect, step = EFFECTS[kind], _put_down(state, kind, kind)
    if not effect.finds(state):
        raise IllegalAction(Why.NOTHING_TO_DO, favour=kind)
    step = effect.does(step, act)
    return keep_two.begin(step, window) if kind == "choose" else opened(step, window)


def kinds_held(player: Player) -> tuple[FavourKind, ...]:
    """Return the kinds of the favours in a hand, each once."""
    held = {kind_of_favour(favour) for favour in player.favours}
    return tuple([kind for kind in FAVOUR_KINDS if kind in held])


def recoverable(state: State) -> int:
    """Return how many paintings come back: two, or the only one (P-FAV-1)."""
    return min(FAVOURS.recover, len(state.player.archive))


def lucky(state: State) -> int:
    """Return how many paintings that were hung this turn match the general trend."""
    return sum(bool(state.liked(painting)) for painting in state.entered)


def _put_down(state: State, kind: Kind, how: str) -> Moment:
    """Lay the card with the lowest id of a kind on the open discards."""
    player = state.player
    favour = _lowest(player, kind)
    player = replace(player, favours=without(player.favours, (favour,)))
    state = replace(
        state.with_player(state.active, player),
        past_favours={**state.past_favours, favour: kind},
        favour_played=True,
    )
    return told(begun(state), state, FavourPlayed(state.active, favour, how))


def _lowest(player: Player, kind: Kind) -> FavourId:
    for favour in player.favours:
        if kind_of_favour(favour) == kind:
            return favour
    raise IllegalAction(Why.NOT_IN_HAND, card=kind)


def _exhibits(state: State) -> Entries:
    return [Form("favour_exhibit", {}, {"painting": one_of(state.player.paintings)})]


def _takes(state: State) -> Entries:
    return [Form("favour_take", {}, {"painting": one_of(_in_museums(state))})]


def _recovers(state: State) -> Entries:
    count = recoverable(state)
    choose = {"paintings": some_of(state.player.archive, count, count)}
    return [Form("favour_recover", {}, choose)]


def _acquires(state: State) -> Entries:
    choose = {
        "painting": one_of(rivals_archives(state)),
        "archive": one_of(state.player.paintings),
    }
    return [Form("favour_acquire", {}, choose)]


def _in_museums(state: State) -> tuple[PaintingId, ...]:
    return tuple(painting for museum in state.museums.values() for painting in museum.paintings)


def _points(step: Moment, act: FavourPoints) -> Moment:
    return scored(step, step.state.active, FAVOURS.points, "favour")


def _exhibit(step: Moment, act: FavourExhibit) -> Moment:
    return hang_own(step, act.painting)


def _take(step: Moment, act: FavourTake) -> Moment:
    return take_free(step, step.state.active, act.painting)


def _recover(step: Moment, act: FavourRecover) -> Moment:
    state, player, count = step.state, step.state.player, recoverable(step.state)
    for painting in act.paintings:
        if painting not in player.archive:
            raise IllegalAction(Why.NOT_IN_ARCHIVE, painting=painting)
    if not len(act.paintings) == len({*act.paintings}) == count:
        raise IllegalAction(Why.WRONG_NUMBER, needed=count)
    player = replace(player.holding(*act.paintings), archive=without(player.archive, act.paintings))
    event = PaintingsRecovered(state.active, act.paintings)
    return told(step, state.with_player(state.active, player), event)


def _trade(step: Moment, act: FavourTrade) -> Moment:
    return traded(step, step.state.active, act.give, act.take)


def _trend(step: Moment, act: FavourTrend) -> Moment:
    points = FAVOURS.trend * lucky(step.state)
    return scored(step, step.state.active, points, "favour")


def _acquire(step: Moment, act: FavourAcquire) -> Moment:
    return acquire(step, act.painting, act.archive, cost=0)


EFFECTS: dict[FavourKind, Effect] = {
    "points": Effect(FavourPoints, lambda state: True, lambda state: [FavourPoints()], _points),
    "exhibit": Effect(FavourExhibit, can_hang, _exhibits, _exhibit),
    "take": Effect(FavourTake, lambda state: bool(_in_museums(state)), _takes, _take),
    "recover": Effect(FavourRecover, lambda state: bool(recoverable(state)), _recovers, _recover),
    "trade": Effect(
        FavourTrade,
        lambda state: can_trade(state, state.active),
        lambda state: [*trades("favour_trade", state, state.active)],
        _trade,
    ),
    "choose": Effect(
        FavourChoose,
        lambda state: bool(state.deck),
        lambda state: [FavourChoose()],
        lambda step, act: step,  # `keep_two` draws, and knows where to go on
    ),
    "trend": Effect(
        FavourTrend, lambda state: bool(lucky(state)), lambda state: [FavourTrend()], _trend
    ),
    "acquire": Effect(FavourAcquire, can_acquire, _acquires, _acquire),
}
KIND_OF: dict[type[AnyFavour], FavourKind] = {
    effect.action: kind for kind, effect in EFFECTS.items()
}
