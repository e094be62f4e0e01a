"""Several nodes, one service: who owns a room, and how the others have their part in it."""
