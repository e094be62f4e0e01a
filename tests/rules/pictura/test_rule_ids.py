"""Every rule has a test that names it."""

import re
from pathlib import Path

from saleroom_protocol.games.pictura import Why

NAMED = re.compile(r"def test_(p_[a-z]+(?:_\d)?)_")
NUMBERS = {
    "SET": range(1, 7),
    "TURN": range(1, 8),
    "TRADE": range(1, 4),
    "EXH": range(1, 5),
    "SPE": range(1, 4),
    "INV": (1,),
    "FAV": range(3),
    "DECK": (0,),
    "PAT": (1,),
    "REFILL": (0,),
    "END": range(1, 4),
    "SCORE": range(1, 6),
}
RULES = {
    f"P-{group}-{number}".removesuffix("-0")
    for group, numbers in NUMBERS.items()
    for number in numbers
}


def written() -> str:
    return "\n".join(path.read_text("utf-8") for path in Path(__file__).parent.glob("test_*.py"))


def test_every_rule_is_named_by_a_test() -> None:
    assert {name.upper().replace("_", "-") for name in NAMED.findall(written())} == RULES


def test_every_why_cites_a_rule_there_is() -> None:
    assert {why.rule for why in Why} <= RULES


def test_every_why_is_expected_by_a_test() -> None:
    assert {why.name for why in Why} == set(re.findall(r"Why\.([A-Z_]+)", written()))
