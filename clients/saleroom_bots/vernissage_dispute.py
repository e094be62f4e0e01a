"""Vernissage: what a dispute about a counter is worth to one who has a part in it. In Rubens."""

from functools import cached_property

from saleroom_bots import vernissage_fate as fate
from saleroom_bots import vernissage_stairs as stairs
from saleroom_bots.vernissage_outlook import Outlook
from saleroom_bots.vernissage_trial import odds, reaches

# How likely an objector who has not given in is to demand a trial.
CHALLENGED = 0.4

# It must be worth something to fight: rivals see my might, and the agent must be sent out anew.
EFFORT = 15_000

# What it costs to let a might card be seen, and to lose one.
DISCRETION = 500
TAXED = 20_000


class Dispute:
    """The counter in dispute, as I see it who laid it or objects to it."""

    def __init__(self, outlook: Outlook) -> None:
        self.outlook, self.dispute = outlook, outlook.table["dispute"]
        self.key = str(outlook.seat)
        self.pro: bool = self.dispute["pro"] == outlook.seat
        self.agent = stairs.loss(outlook, outlook.table["artists"][self.dispute["artist"]]["step"])
        self.placed = fate.contested(outlook)
        withdrawn = self.dispute.get("withdrawn", ())
        objectors = self.dispute["objectors"]
        self.objectors = [str(seat) for seat in objectors if seat not in withdrawn]

    def gain(self, value: int) -> float:
        """Say what another value would bring me."""
        return fate.contested(self.outlook, value)

    @property
    def said(self) -> int:
        """How many statements I have made."""
        return int(self.dispute["statements"].get(self.key, 0))

    @property
    def other_sides(self) -> int | None:
        """The value the whole other side states at present, if there is one."""
        stated = self.dispute["stated"]
        others = self.objectors if self.pro else [str(self.dispute["pro"])]
        values = {stated.get(seat) for seat in others}
        return values.pop() if len(values) == 1 else None

    def enough(self, patience: float) -> float:
        """Say what an agreement must bring me: at first the most there is, in the end a little."""
        beside = self.outlook.table["supply"][self.dispute["kind"]]
        best = max((self.gain(value) for value in beside), default=0.0)
        least = self.without_agreement + EFFORT
        return max(least, best - (best - least) * patience)

    @property
    def without_agreement(self) -> float:
        """Say what it brings me if nobody agrees."""
        if not self.pro:
            return max(self.placed, self.trial)
        challenged = 1 - (1 - CHALLENGED) ** len(self.objectors)
        return self.placed + challenged * (self.trial - self.placed)

    @property
    def worth_a_trial(self) -> bool:
        """Tell whether an objector should rather fight than put up with the counter."""
        return self.trial > self.placed + EFFORT

    @property
    def trial(self) -> float:
        """Say what a Trial of Strength brings me if I add all my might."""
        return self._fought(self.outlook.kinds["might"])

    def committed(self, might: int) -> float:
        """Say what the trial that is going on brings me if I add so much might now."""
        return self._fought(might) - DISCRETION * might - self._tax(might)

    def _fought(self, might: int) -> float:
        """The winner's counter stays or goes; the loser's agent goes."""
        chance = odds(self._already(self.key) + might - self._against)
        if self.pro:
            return chance * self.placed - (1 - chance) * self.agent
        return (1 - chance) * (self.placed - self.agent)

    @cached_property
    def _against(self) -> float:
        """The most might anybody on the other side is likely to have in the end."""
        trial = self.dispute.get("trial")
        contra = self.objectors if trial is None else [str(seat) for seat in trial["contra"]]
        others = contra if self.pro else [str(self.dispute["pro"])]
        hidden = self.outlook.might
        return max((self._already(seat) + hidden[seat] for seat in others), default=0.0)

    def _already(self, seat: str) -> int:
        trial = self.dispute.get("trial")
        return 0 if trial is None else int(trial["might"].get(seat, 0))

    def _tax(self, might: int) -> float:
        """Say what the tax on a high total is likely to cost."""
        in_all = self._already(self.key) + might
        if not self.outlook.options.get("might_tax") or not in_all:
            return 0.0
        return TAXED * reaches(self.outlook.catalogue["tax_total"] - in_all)
