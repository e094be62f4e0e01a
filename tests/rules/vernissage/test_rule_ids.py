"""Every rule of PROTOCOL.md has a test that names it."""

import re
from pathlib import Path

from saleroom_protocol.games.vernissage import Why
from tests.golden.files import PROTOCOL

RULE = re.compile(r"V-[A-Z]+-\d+")
NAMED = re.compile(r"def test_(v_[a-z]+_\d+)_")
NUMBERS = {
    "SET": range(1, 8),
    "TURN": (1,),
    "INF": (1, 2),
    "FATE": range(1, 5),
    "OBJ": range(1, 4),
    "TRI": range(1, 6),
    "EFF": (1,),
    "IN": range(1, 4),
    "OUT": (1, 2),
    "VER": range(1, 4),
    "BUY": range(1, 4),
    "PLAY": range(3),
    "STEP": range(1, 5),
    "CRIT": (1, 2),
    "END": (1, 2),
    "SCORE": (1,),
}


def rules_of_the_text() -> set[str]:
    return set(RULE.findall(PROTOCOL.read_text(encoding="utf-8")))


def test_the_text_has_all_rules() -> None:
    expected = {f"V-{group}-{number}" for group, numbers in NUMBERS.items() for number in numbers}
    assert rules_of_the_text() == expected


def test_every_rule_is_named_by_a_test() -> None:
    tests = "\n".join(path.read_text("utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    named = {name.upper().replace("_", "-") for name in NAMED.findall(tests)}
    assert named == rules_of_the_text()


def test_every_why_cites_a_rule_there_is() -> None:
    assert {why.rule for why in Why} <= rules_of_the_text()


def test_every_why_is_expected_by_a_test() -> None:
    folder = Path(__file__).parent
    tests = "\n".join(path.read_text("utf-8") for path in folder.glob("test_*.py"))
    assert {why.name for why in Why} <= set(re.findall(r"Why\.([A-Z_]+)", tests))
