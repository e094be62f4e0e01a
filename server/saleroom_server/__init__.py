"""The server: rooms, later the gateway and the store."""
