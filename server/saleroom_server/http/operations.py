"""What the lobby can be asked, as a table: bodies in, bodies out, and why it may be refused.

Responders do not read it. OpenAPI is made of it, and the tests hold every answer to it.
"""

from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import fields

from saleroom_protocol import http
from saleroom_protocol.errors import Reason


class Operation(Struct, frozen=True, kw_only=True):
    """One request the lobby answers.

    Attributes:
        answers: by status the type of the body; None if there is none.
        token: whether the request acts for a player, or may.
        headers: that count, but for those that follow from the other attributes.
        refused: reasons that do not follow from the other attributes.
    """

    method: str
    path: str
    name: str
    summary: str
    answers: dict[int, Any]
    media: str = "application/json"
    body: type[Struct] | None = None
    token: Literal["no", "may", "must"] = "no"
    query: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    refused: tuple[Reason, ...] = ()

    @property
    def is_kept(self) -> bool:
        """Whether an Idempotency-Key counts."""
        return self.token == "must" and self.method == "POST"

    @property
    def needs_body(self) -> bool:
        """Whether an empty body will not do."""
        return self.body is not None and any(field.required for field in fields(self.body))

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Return every reason the request may be refused for, each once."""
        found = list(self.refused)
        if self.token != "no":
            found.append(Reason.BAD_TOKEN)
        if "{room}" in self.path:
            found.append(Reason.UNKNOWN_ROOM)
            if self.method != "GET":
                found.append(Reason.BUSY)
        if self.is_kept:
            found.append(Reason.ID_REUSED)
        if self.method == "POST":
            found += [Reason.MALFORMED, Reason.UNKNOWN_FIELD]
        found += [Reason.RATE_LIMITED, Reason.UNAVAILABLE, Reason.INTERNAL_ERROR]
        return tuple(reason for reason in Reason if reason in found)


OPERATIONS: tuple[Operation, ...] = (
    Operation(
        method="POST",
        path="/v1/players",
        name="make_player",
        summary="Become a guest: a new player and the token that speaks for them.",
        body=http.NewPlayer,
        answers={201: http.Identity},
    ),
    Operation(
        method="POST",
        path="/v1/players/me/token",
        name="renew_token",
        summary="Get a fresh token for the same player.",
        answers={201: http.Token},
        token="must",
    ),
    Operation(
        method="GET",
        path="/v1/games",
        name="list_games",
        summary="List the games, each with its options.",
        answers={200: list[http.GameInfo]},
    ),
    Operation(
        method="GET",
        path="/v1/games/{game}/editions/{edition}/catalogue",
        name="show_catalogue",
        summary="Say what every id of a game is. Never changes within an edition.",
        answers={200: dict[str, Any], 304: None},
        refused=(Reason.UNKNOWN_GAME,),
    ),
    Operation(
        method="POST",
        path="/v1/rooms",
        name="make_room",
        summary="Make a room.",
        body=http.NewRoom,
        answers={201: http.NewRoomInfo},
        token="must",
        refused=(
            Reason.UNKNOWN_GAME,
            Reason.BAD_OPTIONS,
            Reason.ROOM_FULL,
            Reason.SEAT_TAKEN,
            Reason.FULL,
        ),
    ),
    Operation(
        method="GET",
        path="/v1/rooms",
        name="list_rooms",
        summary="List public rooms, the newest first.",
        answers={200: http.RoomList},
        query=("game", "status", "limit", "after"),
        refused=(Reason.MALFORMED,),
    ),
    Operation(
        method="GET",
        path="/v1/rooms/{room}",
        name="show_room",
        summary="Show a room's summary.",
        answers={200: http.RoomSummary},
        token="may",
        query=("watch",),
    ),
    Operation(
        method="POST",
        path="/v1/rooms/{room}/seats",
        name="take_seat",
        summary="Sit down; or, where one sits already, give entropy.",
        body=http.TakeSeat,
        answers={201: http.SeatHeld, 200: http.SeatHeld},
        token="must",
        query=("watch",),
        refused=(Reason.NOT_INVITED, Reason.WRONG_STATUS, Reason.ROOM_FULL, Reason.SEAT_TAKEN),
    ),
    Operation(
        method="DELETE",
        path="/v1/rooms/{room}/seats/{seat}",
        name="give_up_seat",
        summary="Free one's own seat; or, as the host, any.",
        answers={204: None},
        token="must",
        refused=(Reason.NOT_HOST, Reason.WRONG_STATUS, Reason.MALFORMED),
    ),
    Operation(
        method="POST",
        path="/v1/rooms/{room}/bots",
        name="add_bot",
        summary="Let a house bot sit down.",
        body=http.HouseBot,
        answers={201: http.SeatHeld},
        token="must",
        refused=(Reason.NOT_HOST, Reason.WRONG_STATUS, Reason.ROOM_FULL, Reason.SEAT_TAKEN),
    ),
    Operation(
        method="POST",
        path="/v1/rooms/{room}/start",
        name="start",
        summary="Begin the game, every seat being taken.",
        answers={202: dict[str, Any]},
        token="must",
        refused=(Reason.NOT_HOST, Reason.WRONG_STATUS),
    ),
    Operation(
        method="POST",
        path="/v1/rooms/{room}/mutes",
        name="mute",
        summary="Let a player be heard no more, or again.",
        body=http.Mute,
        answers={204: None},
        token="must",
        refused=(Reason.NOT_HOST,),
    ),
    Operation(
        method="GET",
        path="/v1/rooms/{room}/stream",
        name="follow_room",
        summary="Follow a room as a spectator, by server-sent events.",
        answers={200: str, 204: None},
        media="text/event-stream",
        token="may",
        query=("watch",),
        headers=("Last-Event-ID",),
        refused=(Reason.FULL, Reason.BUSY),
    ),
    Operation(
        method="GET",
        path="/v1/rooms/{room}/record",
        name="show_record",
        summary="Download a finished game's record.",
        answers={200: str},
        media="application/jsonl",
        token="may",
        query=("draws", "watch"),
        refused=(Reason.NOT_FINISHED, Reason.UNKNOWN_GAME, Reason.BUSY),
    ),
)
