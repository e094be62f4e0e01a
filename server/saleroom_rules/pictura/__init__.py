"""Museum Pictura, as written down in PROTOCOL.md: its rules are cited by their ids there."""
