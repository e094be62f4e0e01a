"""Museum Pictura: what paintings are worth to a player, hung or in the hand. In points."""

from collections.abc import Iterable, Sequence
from functools import cached_property

from saleroom_bots import pictura_patrons as patrons
from saleroom_bots.pictura_groups import Groups
from saleroom_bots.pictura_outlook import Outlook

# A painting in the hand is worth a share of what it brings when it is hung, the more turns there
# are to do it in, up to a most. Where there is an action yet to come, it counts as two turns.
KEPT, KEPT_A_TURN = 0.4, 0.2
ACTION_TO_COME, HUNG_AT_ONCE = 2, 4

# The general trend is another one then.
LIKED_LATER = 0.5

# So many paintings are hung in a turn.
HUNG = 2.5

# How likely an inventory brings back what is put into the archive, if there are so many turns.
BROUGHT_BACK, IN_TURNS = 0.5, 3
# What it costs to have something in the archive even where that is free.
IN_ARCHIVE = 0.1
# How likely a rival acquires what I put there.
ACQUIRED = 0.3


class Worths:
    """What the paintings there are would bring me."""

    def __init__(self, outlook: Outlook) -> None:
        self.outlook = outlook
        self.groups = Groups(outlook)
        self._hung: dict[str, float] = {}
        self._kept: dict[str, float] = {}
        self._losses: dict[tuple[str, ...], float] = {}

    def hung(self, painting: str) -> float:
        """Say what it brings to hang a painting now."""
        if painting not in self._hung:
            points = self.outlook.scored(self.outlook.liked(painting))
            nearer = patrons.nearer(self.outlook, painting)
            self._hung[painting] = self._hangs(painting, points + nearer)
        return self._hung[painting]

    def kept(self, painting: str) -> float:
        """Say what a painting is worth in the hand."""
        if painting not in self._kept:
            self._kept[painting] = self._share_kept * self._hangs(painting, LIKED_LATER)
        return self._kept[painting]

    def losing(self, *paintings: str) -> float:
        """Say how much less the hand is worth without some paintings."""
        if paintings not in self._losses:
            left = [painting for painting in self.outlook.hand if painting not in paintings]
            self._losses[paintings] = self._hand - self._held(left)
        return self._losses[paintings]

    def winning(self, paintings: Iterable[str]) -> float:
        """Say how much more the hand is worth with some paintings."""
        return self._held([*self.outlook.hand, *paintings]) - self._hand

    def archiving(self, painting: str) -> float:
        """Say what it costs that a painting lies in the archive, where rivals may acquire it."""
        period, theme = self.outlook.categories(painting)
        most = max(gains[period] + gains[theme] for gains in self.groups.rivals_gains)
        return self.archived + ACQUIRED * most / len(self.outlook.rivals)

    @cached_property
    def archived(self) -> float:
        """What one painting more in the archive is likely to cost in the end."""
        outlook = self.outlook
        free = outlook.catalogue["spaces"]["archive_free"]
        if "archive_free" in outlook.me["exhibitions"] and len(outlook.archive) < free:
            return IN_ARCHIVE
        back = BROUGHT_BACK * min(1.0, outlook.turns_left / IN_TURNS)
        return -float(outlook.catalogue["archived"] * (1 - back))

    @cached_property
    def drawn(self) -> float:
        """What a painting that is drawn is likely to be worth."""
        unseen = self.outlook.unseen
        return sum(map(self.kept, unseen)) / len(unseen) if unseen else 0.0

    @cached_property
    def exhibited_then(self) -> float:
        """What it brings to exhibit in this turn all that is worth it but the first."""
        gone: tuple[str, ...] = ()
        gains: list[float] = []
        left = sorted(self.outlook.hand, key=lambda name: self.hung(name) - self.kept(name))
        while len(left) > 1:
            hung, archived = left.pop(), min(left, key=self.kept)
            left.remove(archived)
            cost = self.losing(*gone, hung, archived) - self.losing(*gone) + self.archived
            gone = (*gone, hung, archived)
            gains.append(max(0.0, self.hung(hung) - cost))
        return sum(gains[1:])

    def _hangs(self, painting: str, now: float) -> float:
        """Say what a painting brings that hangs, in the end and `now`."""
        period, theme = self.outlook.categories(painting)
        gains = self.groups.gains
        return now + gains[period] + gains[theme] + self.outlook.wished(painting) + self._place

    @cached_property
    def _place(self) -> float:
        """What it is worth that one place more is taken: in the end the museum may be full."""
        free = self.outlook.catalogue["side"] ** 2 - len(self.outlook.me["museum"])
        reach = 2 * (HUNG * self.outlook.turns_left + 1)
        before, after = (max(0.0, 1 - places / reach) for places in (free, free - 1))
        return float(self.outlook.catalogue["full"] * (after - before))

    @cached_property
    def _action_to_come(self) -> bool:
        return self.outlook.active and self.outlook.window["kind"] == "trade"

    @cached_property
    def _share_kept(self) -> float:
        turns = self.outlook.turns_left + (ACTION_TO_COME if self._action_to_come else 0)
        return min(KEPT, KEPT_A_TURN * turns)

    @cached_property
    def _limit(self) -> int:
        """How many paintings the hand may hold, counting those that may be hung before."""
        numbers, larger = self.outlook.catalogue, "hand_limit" in self.outlook.me["exhibitions"]
        limit = numbers["spaces"]["hand_limit"] if larger else numbers["hand"]
        return int(limit) + (HUNG_AT_ONCE if self._action_to_come else 0)

    @cached_property
    def _hand(self) -> float:
        return self._held(self.outlook.hand)

    def _held(self, paintings: Sequence[str]) -> float:
        """Say what a hand is worth; what is too much goes to the archive."""
        values = sorted(map(self.kept, paintings), reverse=True)
        too_much = max(0, len(values) - self._limit)
        return sum(values[: self._limit]) - self.archived * too_much
