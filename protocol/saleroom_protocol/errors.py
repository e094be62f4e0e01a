"""Every reason and every close code, each in one table. PROTOCOL.md, "Reasons", "Close codes"."""

from enum import IntEnum, StrEnum


class Reason(StrEnum):
    """Why a request was refused. The list is closed; treat an unknown one as final.

    Attributes:
        facts: what may stand in `facts`.
        status: the HTTP status it goes with; 0 if it is never given over HTTP.
        meaning: one sentence.
    """

    facts: tuple[str, ...]
    status: int
    meaning: str

    def __new__(cls, word: str, facts: str, status: int, meaning: str) -> "Reason":
        """Make a member that equals `word`."""
        reason = str.__new__(cls, word)
        reason._value_ = word
        reason.facts = tuple(facts.split())
        reason.status = status
        reason.meaning = meaning
        return reason

    WINDOW_CLOSED = "window_closed", "window open closed_by", 0, "That window is not open."
    NOT_YOUR_WINDOW = "not_your_window", "window", 0, "The window does not ask this seat."
    ALREADY_ANSWERED = "already_answered", "window", 0, "The seat has answered this window."
    GAME_OVER = "game_over", "", 0, "The game has ended."
    PAUSED = "paused", "", 0, "The room is paused until a player is back."
    ILLEGAL_ACTION = "illegal_action", "why", 0, "The rules do not allow it now; see the game."
    WINDOW_NEEDED = "window_needed", "", 0, "This action answers a window and must name it."
    NOT_JOINED = "not_joined", "", 0, "This socket has not joined the room."
    NOT_SEATED = "not_seated", "", 0, "Only a player of the room may do this."
    NOT_HOST = "not_host", "", 403, "Only the host may do this."
    UNKNOWN_ROOM = "unknown_room", "", 404, "There is no such room, or it is not for you to see."
    UNKNOWN_GAME = "unknown_game", "game", 404, "There is no such game or edition."
    UNKNOWN_FIELD = "unknown_field", "field", 422, "The message has a field it may not have."
    MALFORMED = "malformed", "field", 422, "A field is missing, or not of its kind."
    BAD_OPTIONS = "bad_options", "field", 422, "The game does not have these options."
    ROOM_FULL = "room_full", "", 409, "Every seat is taken."
    SEAT_TAKEN = "seat_taken", "seat", 409, "Somebody sits there."
    WRONG_STATUS = "wrong_status", "status", 409, "The room's status does not allow it."
    NOT_FINISHED = "not_finished", "status", 409, "There is no record before the end."
    ID_REUSED = "id_reused", "", 409, "That id was used for something else."
    NOT_INVITED = "not_invited", "", 403, "The invitation is missing or wrong."
    BAD_TOKEN = "bad_token", "", 401, "The token is missing, wrong or too old."
    RATE_LIMITED = "rate_limited", "retry_after_ms", 429, "Too many requests; wait."
    BUSY = "busy", "retry_after_ms", 503, "The room has more to do than it can take; try again."
    FULL = "full", "retry_after_ms", 503, "The server takes no more connections or rooms."
    UNAVAILABLE = "unavailable", "retry_after_ms", 503, "Outcome unknown; repeat with the same id."
    MUTED = "muted", "", 0, "The host has muted this player."
    INTERNAL_ERROR = "internal_error", "", 500, "A fault of the server; nothing changed."


class CloseCode(IntEnum):
    """Why a socket was closed.

    Attributes:
        retry: whether a client should connect again and resume.
        meaning: one sentence.
    """

    retry: bool
    meaning: str

    def __new__(cls, number: int, retry: bool, meaning: str) -> "CloseCode":
        """Make a member that equals `number`."""
        code = int.__new__(cls, number)
        code._value_ = number
        code.retry = retry
        code.meaning = meaning
        return code

    NORMAL = 1000, False, "Done."
    GOING_AWAY = 1001, True, "The server stops; come back after `retry_after_ms`."
    CONNECTION_LOST = 1006, True, "Never sent: the connection broke."
    POLICY = 1008, False, "The server will not serve this client."
    MESSAGE_TOO_BIG = 1009, False, "A message was larger than the limit."
    RESTART = 1012, True, "The server restarts; come back after `retry_after_ms`."
    BAD_TOKEN = 4000, False, "The token is wrong or too old; get another."
    UNSUPPORTED_VERSION = 4001, False, "The server does not speak this version."
    REPLACED = 4002, False, "Another socket took the only room on this one."
    PROTOCOL_VIOLATION = 4004, False, "A frame could not be read, or had no usable id."
    TOO_SLOW = 4100, True, "The client did not read fast enough."
    MOVED = 4101, True, "Another node serves this now."
    IDLE = 4102, True, "No `hello` in time, or silence for too long."
    RATE_LIMITED = 4103, True, "Too many messages; wait before coming back."


class ProtocolViolation(Exception):
    """A frame that cannot be answered: send `error`, then close with `code`.

    Attributes:
        code: the close code; the `error` message carries its name in lower case as reason.
        message: English, for the developer of the client; repeats nothing secret.
    """

    def __init__(self, code: CloseCode, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
