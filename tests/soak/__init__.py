"""Long runs: the same checks as CI's, very many times. `python -m tests.soak --help`."""
