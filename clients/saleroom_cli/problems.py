"""What went wrong, in the user's language, in one line."""

from collections.abc import Mapping
from typing import Any, NoReturn

from saleroom_cli.console import Language, fail, shown
from saleroom_cli.wording import words
from saleroom_client import (
    ConnectionLost,
    OutOfStep,
    Refused,
    RoomLeft,
    SaleroomError,
    VersionMismatch,
)


class _Facts(dict[str, Any]):
    """The facts of a refusal; what a server leaves out is a question mark."""

    def __missing__(self, name: str) -> str:
        return "?"


def refusal(language: Language, reason: str, facts: Mapping[str, Any], message: str = "") -> str:
    """Say why something was refused; a reason of a later version by what the server says."""
    sentence = words(language)["refusals"].get(reason)
    return shown(sentence.format_map(_Facts(facts)) if sentence else message or reason)


def problem(language: Language, error: SaleroomError) -> str:
    """Say what has ended a command."""
    errors = words(language)["errors"]
    match error:
        case Refused(reason=reason) if reason.startswith("http_"):
            return str(errors["no_saleroom"].format(status=shown(reason.removeprefix("http_"))))
        case Refused(reason=reason, facts=facts, message=message):
            return refusal(language, reason, facts, message)
        case RoomLeft(reason=reason):
            return shown(words(language)["left"].get(reason, reason))
        case ConnectionLost(reason=reason) if reason in words(language)["closes"]:
            return str(words(language)["closes"][reason])
        case ConnectionLost():
            return shown(errors["unreachable"].format(why=_why(error)))
        case VersionMismatch():
            return str(errors["version"])
        case OutOfStep():
            return str(errors["out_of_step"])
        case _:
            return shown(str(error))


def give_up(language: Language, error: str, code: int = 1, **facts: str) -> NoReturn:
    """End the command with one of the errors of the console's words."""
    fail(words(language)["errors"][error].format(**facts), code, language)


def system_problem(error: OSError) -> str:
    """Say what the system refuses, with the file it refuses it for, without its number."""
    said = error.strerror or str(error)
    return said if error.filename is None else f"{error.filename}: {said}"


def _why(error: BaseException) -> str:
    """Return what the system says of a lost connection, else what the SDK does."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.strerror:
            return cause.strerror
        cause = cause.__cause__
    return str(error)
