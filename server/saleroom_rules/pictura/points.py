"""Points as they come: the favour track, and who is the first to have 50 (P-FAV-2, P-END-1)."""

from msgspec import UNSET
from msgspec.structs import replace

from saleroom_protocol.games.common import Seat
from saleroom_protocol.games.pictura import GoalReached, Scored
from saleroom_rules.pictura.cards import NUMBERS
from saleroom_rules.pictura.decks import draw_favours
from saleroom_rules.pictura.state import Moment, told


def scored(step: Moment, seat: Seat, points: int, why: str) -> Moment:
    """Give or take points, and see to what the new score brings."""
    if not points:
        return step
    step = _counted(step, seat, points, why)
    step = _along_the_track(step, seat)
    state = step.state
    if state.reached is not UNSET or state.players[seat].score < NUMBERS.goal:
        return step
    step = told(step, replace(state, reached=seat), GoalReached(seat))
    return _counted(step, seat, NUMBERS.goal_bonus, "goal")


def steps_up_to(score: int) -> int:
    """Return how many steps of the favour track a score has reached."""
    return sum(step <= score for step in NUMBERS.track)


def _counted(step: Moment, seat: Seat, points: int, why: str) -> Moment:
    player = step.state.players[seat]
    player = replace(player, score=player.score + points)
    state = step.state.with_player(seat, player)
    return told(step, state, Scored(seat, why, points, player.score))


def _along_the_track(step: Moment, seat: Seat) -> Moment:
    """P-FAV-2: a favour for every step reached for the first time."""
    player = step.state.players[seat]
    passed = steps_up_to(player.score)
    if passed <= player.passed:
        return step
    state = step.state.with_player(seat, replace(player, passed=passed))
    favours = passed - player.passed if state.favour_track else 0
    return draw_favours(told(step, state), seat, favours)
