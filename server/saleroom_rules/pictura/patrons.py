"""Patrons: claimed by who hangs what they want, for points or a painting (P-PAT-1)."""

from collections.abc import Iterator

from msgspec import UNSET
from msgspec.structs import replace

from saleroom_protocol.games.forms import Form, one_of
from saleroom_protocol.games.pictura import (
    AnyAction,
    Claim,
    PaintingId,
    PatronClaimed,
    PatronId,
    Why,
)
from saleroom_rules.contract import IllegalAction
from saleroom_rules.pictura.cards import PATRONS, impressed, of_category
from saleroom_rules.pictura.decks import show_patrons, take_free
from saleroom_rules.pictura.points import scored
from saleroom_rules.pictura.state import Moment, State, told, without


def legal(state: State) -> Iterator[AnyAction | Form]:
    """Yield the open patrons that are impressed, with the paintings they give."""
    if state.patron_claimed:
        return
    for patron in state.patrons:
        if impressed(patron, state.player.museum):
            gifts = given_by(state, patron)
            if gifts:
                yield Form("claim", {"patron": patron}, {"take": one_of(gifts)})
            else:
                yield Claim(patron)


def claim(step: Moment, act: Claim) -> Moment:
    """Take the patron, then the reward if there is any to take, then refill the row."""
    state = step.state
    _check(state, act)
    player, reward = state.player, PATRONS[act.patron].reward
    player = replace(player, patrons={**player.patrons, act.patron: reward})
    state = replace(
        state.with_player(state.active, player),
        patrons=without(state.patrons, (act.patron,)),
        patron_claimed=True,
    )
    step = told(step, state, PatronClaimed(state.active, act.patron))
    return show_patrons(_rewarded(step, act))


def given_by(state: State, patron: PatronId) -> tuple[PaintingId, ...]:
    """Return the paintings in international museums that a patron lets one take."""
    wants = PATRONS[patron]
    if wants.reward != "painting":
        return ()
    return tuple(
        painting
        for museum in state.museums.values()
        for painting in of_category(wants.period, museum.paintings)
    )


def _check(state: State, act: Claim) -> None:
    if state.patron_claimed:
        raise IllegalAction(Why.ONE_PATRON)
    if act.patron not in state.patrons:
        raise IllegalAction(Why.NO_PATRON, patron=act.patron)
    if not impressed(act.patron, state.player.museum):
        raise IllegalAction(Why.NOT_IMPRESSED, patron=act.patron)
    gifts = given_by(state, act.patron)
    if act.take is UNSET:
        if gifts:
            raise IllegalAction(Why.PAINTING_NEEDED)
    elif not gifts:
        raise IllegalAction(Why.PAINTING_NOT_NEEDED, painting=act.take)
    elif act.take not in gifts:
        state.home_of(act.take)
        raise IllegalAction(Why.WRONG_PERIOD, painting=act.take)


def _rewarded(step: Moment, act: Claim) -> Moment:
    if act.take is not UNSET:
        return take_free(step, step.state.active, act.take)
    return scored(step, step.state.active, PATRONS[act.patron].points or 0, "patron")
