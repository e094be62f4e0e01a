"""What a component file may not say: it is spoilt in one place, and what is found is told."""

import re

import pytest

from saleroom_seeds.loader import SeedError, packaged, parse


def spoiling(name: str, seed_type: type, pattern: str, replacement: str) -> str:
    """Return the problem found after one replacement in a packaged file."""
    text, count = re.subn(pattern, replacement, packaged(name), count=1, flags=re.MULTILINE)
    assert count == 1
    with pytest.raises(SeedError) as caught:
        parse(text, seed_type, name)
    assert caught.value.source == name
    return caught.value.problem
