"""Decisions of the lobby: who sits where, and when it begins. PROTOCOL.md, "HTTP"."""

from collections.abc import Collection
from hmac import compare_digest

from msgspec import UNSET, Struct, UnsetType

from saleroom_protocol.errors import Reason
from saleroom_protocol.games import record
from saleroom_protocol.games.common import Seat
from saleroom_server.rooms.commands import (
    AddBot,
    Caller,
    Close,
    Decision,
    GiveUpSeat,
    Refusal,
    Start,
    TakeSeat,
)
from saleroom_server.rooms.draft import Draft
from saleroom_server.rooms.standing import Standing


class Seated(Struct, frozen=True, tag="seated"):
    """Where somebody sits, and whether that is new."""

    seat: Seat
    new: bool


def sees(standing: Standing, caller: Caller, watch: str) -> bool:
    """Tell whether somebody may know that the room exists."""
    founding = standing.founding
    people = (founding.creator, *(sitter.player for sitter in standing.sitters.values()))
    return may_see(founding.visibility, founding.watch, people, caller, watch)


def may_see(
    visibility: str, secret: str, people: Collection[str], caller: Caller, watch: str
) -> bool:
    """Tell whether a room is public, or somebody one of its people, or brings the secret.

    The host is always among creator and sitters.
    """
    return visibility == "public" or _is(watch, secret) or caller.player in people


def check_host(standing: Standing, caller: Caller) -> None:
    """Refuse whoever is not the host; to a stranger a private room is an unknown one.

    Raises:
        Refusal: `unknown_room`, `not_host`.
    """
    if not sees(standing, caller, ""):
        raise Refusal(Reason.UNKNOWN_ROOM)
    if caller.player is None or caller.player != standing.host:
        raise Refusal(Reason.NOT_HOST)


def take_seat(draft: Draft, command: TakeSeat) -> Decision:
    """Seat a player, or take the entropy of one who sits already.

    Raises:
        Refusal: `bad_token`, `unknown_room`, `not_invited`, `wrong_status`, `malformed`,
            `seat_taken`, `room_full`.
    """
    standing, player = draft.standing, command.caller.player
    if player is None:
        raise Refusal(Reason.BAD_TOKEN)
    held = standing.seat_of(player)
    if held is not None:
        if standing.status == "waiting":
            _contribute(draft, held, command.entropy)
        return draft.decision(Seated(held, False), silent=draft.standing is standing)
    _check_invite(standing, command)
    _check_waiting(standing)
    seat = _free_seat(standing, command.seat)
    draft.add(
        record.SeatTaken,
        seat=seat,
        player=player,
        name=command.caller.name,
        kind=command.caller.kind,
    )
    _contribute(draft, seat, command.entropy)
    return draft.decision(Seated(seat, True))


def give_up_seat(draft: Draft, command: GiveUpSeat) -> Decision:
    """Free a seat: one's own, or as the host any.

    Raises:
        Refusal: `unknown_room`, `not_host`, `wrong_status`, `malformed`.
    """
    standing = draft.standing
    own = standing.seat_of(command.caller.player) == command.seat
    if not own:
        check_host(standing, command.caller)
    _check_waiting(standing)
    if command.seat >= standing.founding.seats:
        raise Refusal(Reason.MALFORMED, field="seat")
    if command.seat in standing.sitters:
        draft.add(record.SeatLeft, seat=command.seat)
    left = "seat_changed" if own else "kicked"
    return draft.decision(left=left, silent=draft.standing is standing)


def add_bot(draft: Draft, command: AddBot, levels: Collection[str]) -> Decision:
    """Seat a house bot.

    Raises:
        Refusal: `unknown_room`, `not_host`, `wrong_status`, `malformed`, `seat_taken`, `room_full`.
    """
    standing = draft.standing
    check_host(standing, command.caller)
    _check_waiting(standing)
    if command.level not in levels:
        raise Refusal(Reason.MALFORMED, field="level")
    seat = _free_seat(standing, command.seat)
    draft.add(record.BotAdded, seat=seat, level=command.level)
    return draft.decision(Seated(seat, True))


def start(draft: Draft, command: Start) -> Decision:
    """Begin the game at the host's word.

    Raises:
        Refusal: `unknown_room`, `not_host`, `wrong_status`.
    """
    standing = draft.standing
    check_host(standing, command.caller)
    _check_waiting(standing)
    if not standing.is_full:
        raise Refusal(Reason.WRONG_STATUS, status=standing.status)
    draft.add(record.Started)
    return draft.decision()


def close(draft: Draft, command: Close) -> Decision:
    """End the room without a result.

    Raises:
        Refusal: `wrong_status`: it has ended already.
    """
    if draft.standing.is_over:
        raise Refusal(Reason.WRONG_STATUS, status=draft.standing.status)
    draft.add(record.Closed, reason=command.reason)
    return draft.decision()


def _contribute(draft: Draft, seat: Seat, entropy: str | UnsetType) -> None:
    """Take a contribution if there is none yet; it never replaces one."""
    if entropy is not UNSET and str(seat) not in draft.standing.contributions:
        draft.add(record.Contributed, seat=seat, entropy=entropy)


def _check_invite(standing: Standing, command: TakeSeat) -> None:
    founding = standing.founding
    given = "" if command.invite is UNSET else command.invite
    if founding.visibility == "public" or _is(given, founding.invite):
        return
    if command.caller.player == founding.creator:
        return
    if sees(standing, command.caller, command.watch):
        raise Refusal(Reason.NOT_INVITED)
    raise Refusal(Reason.UNKNOWN_ROOM)


def _check_waiting(standing: Standing) -> None:
    if standing.status != "waiting":
        raise Refusal(Reason.WRONG_STATUS, status=standing.status)


def _free_seat(standing: Standing, wanted: Seat | UnsetType) -> Seat:
    free = standing.free_seats()
    if wanted is UNSET:
        if not free:
            raise Refusal(Reason.ROOM_FULL)
        return free[0]
    if wanted >= standing.founding.seats:
        raise Refusal(Reason.MALFORMED, field="seat")
    if wanted not in free:
        raise Refusal(Reason.SEAT_TAKEN, seat=wanted)
    return wanted


def _is(given: str, secret: str) -> bool:
    return compare_digest(given.encode(), secret.encode())
