"""Settings of every test run."""

from hypothesis import HealthCheck, settings

# How fast a machine is on a given day says nothing about the code.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")
