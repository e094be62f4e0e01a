"""Owning rooms: the actor around each room, and the hall of all of them."""
