"""Settings of every test run."""

import os

from hypothesis import HealthCheck, settings

# How fast a machine is on a given day says nothing about the code. Where a run decides whether
# something lands, the same code gets the same examples; elsewhere every run looks for new ones.
settings.register_profile(
    "patient",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize="CI" in os.environ,
)
settings.load_profile("patient")
