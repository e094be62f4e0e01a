"""The parts of documents that are generated, between `<!-- name -->` and `<!-- end -->`."""

import re
from collections.abc import Callable, Iterable
from functools import partial

import msgspec

from saleroom_protocol.errors import CloseCode, Reason
from saleroom_protocol.games import VOCABULARIES
from saleroom_protocol.limits import Limits
from saleroom_server import settings
from tests.golden.dispute import dispute
from tests.golden.exhibition import exhibition
from tests.golden.reading import stream
from tests.golden.transcript import transcript

BLOCK = re.compile(r"(<!-- (?P<name>[a-z_ ]+) -->\n)(?P<body>.*?)(<!-- end -->)", re.DOTALL)


def renewed(text: str) -> str:
    """Return the document with every generated part as it should be."""

    def body(found: re.Match[str]) -> str:
        made = BLOCKS[found["name"]]()
        return f"{found[1]}{made}\n{found[4]}"

    return BLOCK.sub(body, text)


def _table(head: str, rows: Iterable[tuple[object, ...]]) -> str:
    columns = head.count("|") + 1
    lines = [f"| {head} |", "|" + "---|" * columns]
    lines += ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    return "\n".join(lines)


def _words(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words) or "–"


def _reasons() -> str:
    rows = (
        (f"`{reason}`", _words(reason.facts), reason.status or "–", reason.meaning)
        for reason in Reason
    )
    return _table("reason | facts | HTTP | meaning", rows)


def _close_codes() -> str:
    rows = (
        (int(code), f"`{code.name.lower()}`", "resume" if code.retry else "no", code.meaning)
        for code in CloseCode
    )
    return _table("code | name | retry | meaning", rows)


def _limits() -> str:
    rows = ((f"`{name}`", value) for name, value in msgspec.to_builtins(Limits()).items())
    return _table("limit | default", rows)


def _whys(game: str) -> str:
    rows = (
        (f"`{why}`", why.rule, _words(why.facts), why.meaning) for why in VOCABULARIES[game].why
    )
    return _table("why | rule | facts | meaning", rows)


def _transcript() -> str:
    return f"```\n{transcript('kunstmarkt')}\n```"


def _dispute() -> str:
    return f"```\n{dispute()}\n```"


def _exhibition() -> str:
    return f"```\n{exhibition()}\n```"


def _stream() -> str:
    return f"```\n{stream('kunstmarkt')}\n```"


def _settings() -> str:
    """Return a table for each group of settings, those of no group first."""
    groups: dict[str, list[tuple[object, ...]]] = {}
    for setting in settings.known():
        group = setting.path[0] if len(setting.path) > 1 else "server"
        default = f"`{setting.default}`" if setting.default != "" else "–"
        groups.setdefault(group, []).append((f"`{setting.variable}`", default, setting.meaning))
    tables = (_table(f"{name} | default | what for", rows) for name, rows in groups.items())
    return "\n\n".join(tables)


BLOCKS: dict[str, Callable[[], str]] = {
    "reasons": _reasons,
    "close codes": _close_codes,
    "limits": _limits,
    **{f"{key} whys": partial(_whys, key) for key in VOCABULARIES},
    "stream of events": _stream,
    "settings": _settings,
    "transcript": _transcript,
    "transcript of a turn": _dispute,
    "transcript of an exhibition": _exhibition,
}
