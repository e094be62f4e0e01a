"""What is said in a room: who may speak, who hears it, the last of it. Kept in memory only.

Sayings are numbered for each viewer by itself, so that nobody can count the whispers of others.
"""

from collections import deque
from collections.abc import Collection, Iterable, Sequence
from hashlib import blake2b

import msgspec
from msgspec import UNSET, UnsetType

from saleroom_protocol import messages
from saleroom_protocol.errors import Reason
from saleroom_protocol.games.common import Seat
from saleroom_protocol.limits import REMEMBERED_IDS
from saleroom_protocol.messages import Said, Speaker
from saleroom_server.allowance import full
from saleroom_server.rooms.commands import Refusal, Say
from saleroom_server.rooms.limits import RoomLimits
from saleroom_server.rooms.views import Viewer


class Chat:
    """The talk of one room. PROTOCOL.md, "say" and "said"."""

    def __init__(self, room: str, seats: int, limits: RoomLimits, now: int) -> None:
        self._room = room
        self._viewers: tuple[Viewer, ...] = (*range(seats), None)
        self._numbers: dict[Viewer, int] = dict.fromkeys(self._viewers, 0)
        self._said: dict[Viewer, deque[Said]] = {
            viewer: deque(maxlen=limits.said_kept) for viewer in self._viewers
        }
        self._receipts: dict[str, dict[str, bytes]] = {}  # player -> id -> digest, oldest first
        self._speakers = limits.speakers
        self._muted: dict[str, None] = {}  # players, who was muted longest first
        self._most_muted = limits.muted
        self._watchers = full(limits.watchers_say_per_second, limits.watchers_say_at_once, now)

    def remembers(self, player: str, request: str) -> bool:
        """Whether a player has said something under this id lately."""
        return request in self._receipts.get(player, {})

    def repeated(self, say: Say) -> bool:
        """Tell whether it was said before: then nobody hears it again.

        Raises:
            Refusal: `id_reused`.
        """
        before = self._receipts.get(say.caller.player or "", {}).get(say.asked.id)
        if before is not None and before != _content(say.asked):
            raise Refusal(Reason.ID_REUSED)
        return before is not None

    def say(
        self, say: Say, viewer: Viewer, seated: Collection[Seat], at: int
    ) -> dict[Viewer, Said]:
        """Let somebody speak; return what each viewer who hears it is told.

        A seat that nobody sits in hears nothing: it would be told to whoever sits there next.

        Raises:
            Refusal: `bad_token`, `not_seated`, `malformed`, `muted`, `rate_limited`.
        """
        player, asked = say.caller.player, say.asked
        if player is None:
            raise Refusal(Reason.BAD_TOKEN)
        self._check(player, viewer, asked.to, seated)
        if viewer is None:
            self._count(at)
        self._remember(player, asked)
        speaker = Speaker(name=say.caller.name) if viewer is None else Speaker(seat=viewer)
        return self._tell(speaker, asked, at)

    def since(self, viewer: Viewer, number: int | UnsetType) -> list[Said]:
        """Return what a viewer is sent after a join: the last, or all kept after a number.

        A number that was never given is one from before a load, when numbers began anew.
        """
        return told_after(self._said[viewer], number)

    def mute(self, player: str, muted: bool) -> None:
        """Let a player be heard no more, or again; with too many, the first is heard again."""
        self._muted.pop(player, None)
        if muted:
            self._muted[player] = None
            if len(self._muted) > self._most_muted:
                del self._muted[next(iter(self._muted))]

    def clear(self, seat: Seat) -> None:
        """Forget what a seat has heard: somebody else will sit there."""
        self._said[seat].clear()

    def _check(self, player: str, viewer: Viewer, to: str | int, seated: Collection[Seat]) -> None:
        """Spectators speak to spectators only."""
        if viewer is None and to != "spectators":
            raise Refusal(Reason.NOT_SEATED)
        if isinstance(to, int) and to not in seated:
            raise Refusal(Reason.MALFORMED, field="to")
        if player in self._muted:
            raise Refusal(Reason.MUTED)

    def _remember(self, player: str, asked: messages.Say) -> None:
        """Remember the last sayings of those who spoke last: any number of people may look on."""
        receipts = self._receipts.pop(player, {})
        receipts[asked.id] = _content(asked)
        if len(receipts) > REMEMBERED_IDS:
            del receipts[next(iter(receipts))]
        self._receipts[player] = receipts
        if len(self._receipts) > self._speakers:
            del self._receipts[next(iter(self._receipts))]

    def _count(self, at: int) -> None:
        """Count what any spectator says: each word may have to reach thousands."""
        if wait_ms := self._watchers.take(at):
            raise Refusal(Reason.RATE_LIMITED, retry_after_ms=wait_ms)

    def _tell(self, speaker: Speaker, asked: messages.Say, at: int) -> dict[Viewer, Said]:
        told = {}
        for viewer in self._hearers(speaker, asked.to):
            self._numbers[viewer] += 1
            said = Said(
                room=self._room,
                number=self._numbers[viewer],
                from_=speaker,
                to=asked.to,
                text=asked.text,
                at=at,
            )
            self._said[viewer].append(said)
            told[viewer] = said
        return told

    def _hearers(self, speaker: Speaker, to: str | int) -> Iterable[Viewer]:
        """The table is heard by all, spectators too; a whisper by two; spectators by themselves."""
        if to == "table":
            return self._viewers
        own: set[Viewer] = set() if speaker.seat is UNSET else {speaker.seat}
        return own | {None if to == "spectators" else int(to)}


def told_after(said: Sequence[Said], number: int | UnsetType) -> list[Said]:
    """Return the sayings after a number; all of them, if it was never given."""
    after = 0 if number is UNSET or not said or number > said[-1].number else number
    return [each for each in said if each.number > after]


def _content(asked: messages.Say) -> bytes:
    """Return a digest of what was said: all that is needed to know it again."""
    return blake2b(msgspec.msgpack.encode(asked), digest_size=16).digest()
