"""`KINDS.md` says which test finds which kind of fault: all of them exist, and no kind has none."""

import ast
import re
from functools import cache
from pathlib import Path

import msgspec
import pytest

from saleroom_rules.games import GAMES
from tests.gateway.test_canaries import GAMES as SEARCHED

TESTS = Path(__file__).parent
SECTIONS = ["Secrets", "Resume", "Windows and clocks", "Actions", "Memory, load, deploys"]


def kinds() -> list[tuple[str, str, str]]:
    """Return section, kind and tests of every line."""
    found, section = [], ""
    for line in (TESTS / "KINDS.md").read_text().splitlines():
        if line.startswith("## "):
            section = line[3:]
        elif line.startswith("| ") and not line.startswith("| kind |"):
            kind, tests = line.strip("| ").split(" | ")
            found.append((section, kind, tests))
    return found


@cache
def functions(path: Path) -> frozenset[str]:
    """Return the names of all functions of a module."""
    tree = ast.parse(path.read_text())
    defined = (ast.FunctionDef, ast.AsyncFunctionDef)
    return frozenset(node.name for node in tree.body if isinstance(node, defined))


def test_every_section_is_there_and_no_kind_twice() -> None:
    assert [*dict.fromkeys(section for section, _, _ in kinds())] == SECTIONS
    assert len({kind for _, kind, _ in kinds()}) == len(kinds())


@pytest.mark.parametrize(("section", "kind", "tests"), kinds())
def test_every_kind_has_a_test_and_it_exists(section: str, kind: str, tests: str) -> None:
    named = re.findall(r"`(\S+)::(\S+)`", tests)
    assert named, f"{section}: {kind}"
    for file, function in named:
        assert function in functions(TESTS / file), f"{file}::{function}"


def test_the_canaries_are_in_games_with_every_switch_on() -> None:
    searched = {(game, name) for game, options in SEARCHED.values() for name in options}
    switches = {
        (game, field.name)
        for game, rules in GAMES.items()
        for field in msgspec.structs.fields(rules.options)
    }
    assert searched == switches
    assert {game for game, _ in SEARCHED.values()} >= GAMES.keys()
