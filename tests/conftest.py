"""Settings of every test run."""

import os

import pytest
from hypothesis import HealthCheck, settings

from saleroom_cli.online import UNDER_UV

# How fast a machine is on a given day says nothing about the code. Where a run decides whether
# something lands, the same code gets the same examples; elsewhere every run looks for new ones.
settings.register_profile(
    "patient",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize="CI" in os.environ,
)
settings.load_profile("patient")


@pytest.fixture(autouse=True)
def _not_under_uv(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let commands be printed as they are typed where `saleroom` is installed."""
    monkeypatch.delenv(UNDER_UV, raising=False)
