"""Where what must not be lost is kept: the interface, and its implementations."""
