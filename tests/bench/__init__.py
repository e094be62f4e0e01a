"""Measurements, each beside a yardstick of the same run. `python -m tests.bench --help`."""
