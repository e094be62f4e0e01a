"""A mirror that knows only patches arrives at every check of the golden playthroughs."""

import json
from pathlib import Path

import pytest

from tests.golden.files import PLAYTHROUGHS
from tests.support.witness import canonical, check, merged


@pytest.mark.parametrize("path", sorted(PLAYTHROUGHS.glob("*.jsonl")), ids=lambda path: path.stem)
def test_a_mirror_that_applies_the_patches_fits_every_check(path: Path) -> None:
    first, *steps = map(json.loads, path.read_text("utf-8").splitlines())
    documents = first["view"]
    for step in steps:
        for viewer, patch in step["patch"].items():
            documents[viewer] = merged(documents[viewer], patch)
            assert check(documents[viewer]) == step["check"][viewer]
    tables = [json.dumps(canonical(document["table"])) for document in documents.values()]
    assert len(set(tables)) == 1, "the table is the same for everybody"
