"""server/OBSERVING.md lists every event and every metric there is, with what stands beside it."""

import ast
import re
from collections.abc import Iterator
from typing import Any

from saleroom_server import settings
from saleroom_server.logs import FIELDS
from saleroom_server.metrics import Family, Metrics
from tests.golden.files import ROOT

TEXT = (ROOT / "server" / "OBSERVING.md").read_text(encoding="utf-8")
SOURCES = sorted((ROOT / "server" / "saleroom_server").rglob("*.py"))
LEVELS = {"debug", "info", "warning", "error", "exception"}
STATUSES = {"room_paused", "room_finished"}  # written with the status in it


def rows(heading: str) -> dict[str, list[str]]:
    """Return the table under a heading: the first cell's word, then the other cells."""
    section = TEXT.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    lines = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("| `")]
    return {cells[0].strip(" `"): [cell.strip() for cell in cells[1:]] for cells in lines}


def words(cell: str) -> set[str]:
    return set(re.findall(r"`(\w+)`", cell))


def calls() -> Iterator[ast.Call]:
    """Yield every call of a logger in the server."""
    for path in SOURCES:
        for found in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match found:
                case ast.Call(func=ast.Attribute(value=ast.Name(id="log"), attr=level)):
                    assert level in LEVELS
                    yield found


def level_of(call: ast.Call) -> str:
    assert isinstance(call.func, ast.Attribute)
    return {"exception": "error"}.get(call.func.attr, call.func.attr)


def names(argument: ast.expr) -> set[str]:
    """Return the events a call may log."""
    return {
        constant.value
        for constant in ast.walk(argument)
        if isinstance(constant, ast.Constant)
        and isinstance(constant.value, str)
        and re.fullmatch(r"\w+_\w+", constant.value)
    }


def test_every_event_is_listed_with_its_level_and_no_other_is() -> None:
    logged = {name: level_of(call) for call in calls() for name in names(call.args[0])}
    logged |= dict.fromkeys(STATUSES, "info")
    listed = rows("Logs")
    assert {event: cells[0] for event, cells in listed.items()} == logged
    assert len(logged) > 20


def test_every_field_is_listed_with_its_event_and_known_to_the_log() -> None:
    listed = {event: words(cells[1]) for event, cells in rows("Logs").items()}
    for call in calls():
        given = {keyword.arg for keyword in call.keywords if keyword.arg} - {"exc_info"}
        for event in names(call.args[0]):
            assert given <= listed[event], event
    assert set().union(*listed.values()) == set(FIELDS)


def test_every_metric_is_listed_with_its_labels_and_no_other_is() -> None:
    metrics = Metrics()
    held: list[Any] = [
        one._metric if isinstance(one, Family) else one for one in vars(metrics).values()
    ]
    suffixes = {"counter": "_total"}
    there = {
        f"{metric.name}{suffixes.get(metric.type, '')}": set(one._labelnames)
        for one in held
        if one is not metrics.registry
        for metric in one.describe()
    }
    assert {name: words(cells[0]) for name, cells in rows("Metrics").items()} == there


def test_every_setting_that_is_named_is_one() -> None:
    named = set(re.findall(r"SALEROOM_\w+", TEXT))
    assert named
    assert named <= {setting.variable for setting in settings.known()}
