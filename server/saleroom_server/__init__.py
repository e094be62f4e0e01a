"""The server: rooms, who owns them, what is told of them and to whom, and where they are kept."""
