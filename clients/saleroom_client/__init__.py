"""The Python SDK: follow rooms, mirror documents, act."""

from saleroom_client import forms, hints
from saleroom_client.connection import Connection, connect
from saleroom_client.errors import (
    ConnectionLost,
    OutOfStep,
    Refused,
    RoomLeft,
    SaleroomError,
    VersionMismatch,
)
from saleroom_client.lobby import Lobby
from saleroom_client.mirror import Update
from saleroom_client.outside import Outside
from saleroom_client.playing import Strategy, play
from saleroom_client.room import Room

__all__ = [
    "Connection",
    "ConnectionLost",
    "Lobby",
    "OutOfStep",
    "Outside",
    "Refused",
    "Room",
    "RoomLeft",
    "SaleroomError",
    "Strategy",
    "Update",
    "VersionMismatch",
    "connect",
    "forms",
    "hints",
    "play",
]
