"""Every rule of PROTOCOL.md has a test that names it."""

import re
from pathlib import Path

from saleroom_protocol.games.kunstmarkt import Why
from tests.golden.files import PROTOCOL

RULE = re.compile(r"K-[A-Z]+-\d+")
NAMED = re.compile(r"def test_(k_[a-z]+_\d+)_")


def rules_of_the_text() -> set[str]:
    return set(RULE.findall(PROTOCOL.read_text(encoding="utf-8")))


def test_the_text_has_all_rules() -> None:
    expected = {
        *(f"K-SET-{number}" for number in range(1, 7)),
        "K-TURN-1",
        *(f"K-A-{number}" for number in (1, 2)),
        *(f"K-B-{number}" for number in range(1, 5)),
        *(f"K-C-{number}" for number in range(1, 6)),
        *(f"K-END-{number}" for number in (1, 2, 3)),
        *(f"K-WIN-{number}" for number in (1, 2)),
    }
    assert rules_of_the_text() == expected


def test_every_rule_is_named_by_a_test() -> None:
    tests = "\n".join(path.read_text("utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    named = {name.upper().replace("_", "-") for name in NAMED.findall(tests)}
    assert named == rules_of_the_text()


def test_every_why_cites_a_rule_there_is() -> None:
    assert {why.rule for why in Why} <= rules_of_the_text()
