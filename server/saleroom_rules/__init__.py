"""The rules of the games: pure functions of state and action. No clock, no chance, no I/O."""
