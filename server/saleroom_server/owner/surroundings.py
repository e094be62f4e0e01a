"""What the rooms of one server share."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from msgspec import Struct, field

from saleroom_rules.contract import AnyRules
from saleroom_server.clock import Clock
from saleroom_server.metrics import Metrics
from saleroom_server.owner.advisers import Advisers, NoAdvisers
from saleroom_server.owner.elsewhere import Alone, Others
from saleroom_server.owner.founding import new_id
from saleroom_server.rooms.commands import Effect
from saleroom_server.rooms.limits import RoomLimits
from saleroom_server.rooms.room import Room, Thought
from saleroom_server.rooms.standing import Standing
from saleroom_server.store.interface import Store

LOAD_CHARS = 9  # 45 bits

Deliver: TypeAlias = Callable[[str, Sequence[Effect]], None]  # room, what is to be told


class OwnerLimits(Struct, frozen=True, kw_only=True):
    """How much the owner of rooms takes on. All are settings."""

    inbox: int = 64  # commands that wait for one room
    busy_retry_ms: int = 500
    late_bell_ms: int = 20  # a bell later than this waits once more, as long as it was late
    retry_ms: int = 500  # after the store failed
    patience_ms: int = 15_000  # then a command is refused `unavailable`
    rooms: int = 20_000  # with a journal, on this server
    rooms_per_player: int = 50  # unfinished ones a player has made
    rooms_per_address: int = 200  # unfinished ones made from one address
    load_pause_ms: int = 2  # between rooms loaded without being asked for
    entries_per_turn: int = 16  # of a journal that is read back; then others have their turn
    released_at_once: int = 64  # rooms that are given up side by side at the end


class Surroundings(Struct, frozen=True, kw_only=True):
    """What an actor needs of the world."""

    store: Store
    clock: Clock
    room_limits: RoomLimits
    limits: OwnerLimits
    think: Thought
    levels: frozenset[str]
    deliver: Deliver
    metrics: Metrics
    others: Others = field(default_factory=Alone)
    advisers: Advisers = field(default_factory=NoAdvisers)

    def room(self, rules: AnyRules, standing: Standing, *, seq: int) -> Room:
        """Return a room in memory, as it goes on from its standing.

        Each has a name drawn by chance, so that no cursor of another one fits: not even one of the
        same room before the store was put back to an older state.
        """
        return Room(
            rules,
            standing,
            self.room_limits,
            self.think,
            self.levels,
            load=new_id("e", LOAD_CHARS),
            seq=seq,
            now=self.clock.now(),
        )
