"""Rooms: sans-I/O machines. Nothing here may touch a clock, a socket or a task."""
