"""README.md tells the truth: its programs run, its links lead somewhere, its commands exist."""

import re
import shlex

import pytest
from typer.testing import CliRunner

from saleroom_cli.main import app
from tests.golden.files import ROOT

READMES = sorted(ROOT.glob("README.md")) + sorted(ROOT.glob("*/README.md"))
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = sorted(set(re.findall(r"^uv run (?:--no-dev )?saleroom (.*)$", TEXT, re.MULTILINE)))


@pytest.mark.parametrize("program", re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL))
def test_a_program_runs(program: str) -> None:
    names: dict[str, object] = {}
    exec(program, names)
    assert callable(names["choose"])


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_has_all_the_options_it_is_shown_with(command: str) -> None:
    words = shlex.split(command)
    named = words[: 2 if words[0] in ("rules", "record") else 1]
    shown = CliRunner().invoke(app, [*named, "--help"], env={"COLUMNS": "200"})
    assert shown.exit_code == 0
    for option in (word for word in words if word.startswith("--")):
        assert option in shown.output


def test_the_commands_were_found() -> None:
    assert len(COMMANDS) == 12


def test_links_into_the_protocol_lead_to_its_headings() -> None:
    protocol = (ROOT / "protocol" / "PROTOCOL.md").read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.*)$", protocol, re.MULTILINE)
    anchors = {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in headings}
    linked = set(re.findall(r"\]\(protocol/PROTOCOL\.md#([^)]+)\)", TEXT))
    assert {"der-prestel-kunstmarkt", "vernissage"} <= linked <= anchors


@pytest.mark.parametrize("path", READMES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path: object) -> None:
    readme = ROOT / str(path)
    for link in re.findall(r"\]\(((?!http|#)[^)#]+)", readme.read_text(encoding="utf-8")):
        assert (readme.parent / link).exists(), link
