"""Decisions at the table: an action of a seat, and a window that runs out.

Refusals come in the order PROTOCOL.md gives: id, room, status, window, seat, action.
"""

from functools import cache
from typing import Any

import msgspec
from msgspec import UNSET

from saleroom_protocol.codec import unacceptable
from saleroom_protocol.document import ComeBack, Resign
from saleroom_protocol.errors import Reason
from saleroom_protocol.games import record
from saleroom_protocol.games.common import Action, Seat
from saleroom_protocol.messages import Accepted
from saleroom_rules.contract import AnyRules, IllegalAction, Window, do_of
from saleroom_rules.typed import typed
from saleroom_server.rooms.advice import Advice
from saleroom_server.rooms.commands import Act, Decision, Refusal
from saleroom_server.rooms.draft import Draft
from saleroom_server.rooms.journal import Sent
from saleroom_server.rooms.limits import RoomLimits
from saleroom_server.rooms.standing import COME_BACK, Standing, Unasked
from saleroom_server.rooms.views import Viewer

A_DAY_MS = 24 * 3_600_000  # told where waiting does not help: no game lasts so long
NOT_LISTED = "not_listed"  # why the room itself refuses an action: PROTOCOL.md, "Reasons"


def repeated(standing: Standing, act: Act) -> Accepted | None:
    """Return the receipt an act of this id got before; None if it is new or forgotten.

    Raises:
        Refusal: the id was used for something else.
    """
    receipt = standing.receipts.get(act.sent.player, {}).get(act.sent.id)
    if receipt is None:
        return None
    if receipt.content != act.sent.content:
        raise Refusal(Reason.ID_REUSED)
    return Accepted(id=act.sent.id, seq=receipt.seq)


def act(draft: Draft, command: Act, viewer: Viewer, limits: RoomLimits) -> Decision:
    """Take an action of the seat whose stream the socket has.

    Raises:
        Refusal: `game_over`, `paused`, `wrong_status`, `window_closed`, `not_seated`,
            `not_your_window`, `already_answered`, `window_needed`, `malformed`, `unknown_field`,
            `illegal_action`, `rate_limited`.
    """
    _check_status(draft.standing)
    window = _window_asked_for(draft, command)
    seat = _seat_of(viewer)
    by, accepted = command.caller.kind, Accepted(id=command.sent.id, seq=draft.seq)
    if window is None:
        _outside(draft, command, seat, by, limits)
        return draft.decision(accepted)
    _check_owes(draft.standing, window, seat)
    action = _converted(draft.rules, command)
    check_answers(draft, seat, action)
    _take(draft, seat, action, by, command.sent, window=window.number)
    return draft.decision(accepted, answered=True, speaker=seat)


def expire(draft: Draft, window: Window, advice: Advice) -> Decision:
    """Let a window run out: something is played for every seat that owes an answer, in seat order.

    That is what was advised, if that is at hand; else, or if the seat is asked once more, the
    default.
    """
    rules, state = draft.rules, draft.standing.state
    answers: dict[str, dict[str, Any]] = {}
    here: Window | None = window
    while here is not None and here.number == window.number:
        seat = here.owing[0]
        advised = None if str(seat) in answers else advice.on(state, seat)
        action = rules.complete(state, seat, advised or rules.default(state, seat))
        answers[str(seat)] = msgspec.to_builtins(action)
        state = rules.apply(state, seat, action).state
        here = rules.window(state)
    draft.add(record.Expired, window=window.number, answers=answers)
    draft.finish_if_over()
    return draft.decision(answered=True)


def _check_status(standing: Standing) -> None:
    if standing.status == "finished":
        raise Refusal(Reason.GAME_OVER)
    if standing.status == "paused":
        raise Refusal(Reason.PAUSED)
    if standing.status != "running":
        raise Refusal(Reason.WRONG_STATUS, status=standing.status)


def _window_asked_for(draft: Draft, command: Act) -> Window | None:
    """Return the open window if that is the one meant; None if none is meant."""
    standing, number = draft.standing, command.window
    if number is UNSET:
        return None
    window = draft.rules.window(standing.state)
    assert window is not None, "a running game is not over"
    if window.number == number:
        return window
    raise Refusal(
        Reason.WINDOW_CLOSED,
        window=number,
        open=window.number,
        closed_by=_closed_by(standing, window, number),
    )


def _seat_of(viewer: Viewer) -> Seat:
    if viewer is None:
        raise Refusal(Reason.NOT_SEATED)
    return viewer


def _check_owes(standing: Standing, window: Window, seat: Seat) -> None:
    if seat not in window.seats or seat in standing.resigned:
        raise Refusal(Reason.NOT_YOUR_WINDOW, window=window.number)
    if seat in window.answered:
        raise Refusal(Reason.ALREADY_ANSWERED, window=window.number)


def _closed_by(standing: Standing, window: Window, number: int) -> str:
    if not 0 < number < window.number:
        return "never"
    return "expiry" if number in standing.expired else "answer"


def _outside(draft: Draft, command: Act, seat: Seat, by: str, limits: RoomLimits) -> None:
    """Take an action that answers no window: the room's own, or one the game lists at any time."""
    standing, action = draft.standing, _converted(draft.rules, command)
    match action:
        case Resign():
            _need_listed(seat not in standing.resigned)
            draft.add(record.Resigned, seat=seat, sent=command.sent)
        case ComeBack():
            _need_listed(seat not in standing.resigned and standing.has_drifted(seat))
            draft.add(record.Acted, seat=seat, by=by, action=COME_BACK, sent=command.sent)
        case _:
            if not _is_anytime(draft, seat, action):
                raise Refusal(Reason.WINDOW_NEEDED)
            _need_listed(seat not in standing.resigned)
            _check_pace(standing.unasked.get(seat, Unasked()), draft.at, limits)
            _take(draft, seat, action, by, command.sent)


def _check_pace(done: Unasked, now: int, limits: RoomLimits) -> None:
    """Refuse what nobody asked for if it comes too often, or has come too many times."""
    if done.count >= limits.anytime_acts:
        raise Refusal(Reason.RATE_LIMITED, retry_after_ms=A_DAY_MS)
    if done.count and 0 <= now - done.at < limits.anytime_ms:
        raise Refusal(Reason.RATE_LIMITED, retry_after_ms=done.at + limits.anytime_ms - now)


def _take(draft: Draft, seat: Seat, action: Action, by: str, sent: Sent, **fields: Any) -> None:
    try:
        draft.act(seat, by, action, **fields, sent=sent)
    except IllegalAction as illegal:
        raise Refusal(Reason.ILLEGAL_ACTION, why=illegal.why, **illegal.facts) from illegal
    draft.finish_if_over()


def check_answers(draft: Draft, seat: Seat, action: Action) -> None:
    """Refuse what needs no window, and so is no answer to one.

    Raises:
        Refusal: `illegal_action`.
    """
    _need_listed(not isinstance(action, Resign | ComeBack))
    if _is_anytime(draft, seat, action):
        listed = draft.rules.legal(draft.standing.state, seat)
        _need_listed(do_of(action) in map(do_of, listed))


def _is_anytime(draft: Draft, seat: Seat, action: Action) -> bool:
    return do_of(action) in map(do_of, draft.rules.anytime(draft.standing.state, seat))


def _need_listed(listed: bool) -> None:
    if not listed:
        raise Refusal(Reason.ILLEGAL_ACTION, why=NOT_LISTED)


@cache
def _acceptable(rules: AnyRules) -> Any:
    return rules.action_type | Resign | ComeBack


def _converted(rules: AnyRules, command: Act) -> Any:
    """Read the action as one of the game's or of the room's."""
    try:
        return typed(command.action, _acceptable(rules))
    except msgspec.ValidationError as error:
        problem = unacceptable(str(error))
        raise Refusal(problem.reason, field=problem.field or "action") from error
