"""Sockets: what each is told and asks, in order, within bounds."""
