"""Museum Pictura: its public vocabulary. PROTOCOL.md, "Museum Pictura".

A painting is in one place at a time, so its id also says from which museum or archive it comes. Of
favours that are alike it makes no difference which is played: an action names the kind, and the
card with the lowest id is taken.
"""

from typing import Annotated, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType

from saleroom_protocol.games.common import (
    Action,
    Event,
    Facts,
    IllegalWhy,
    Number,
    Private,
    Seat,
)

PaintingId: TypeAlias = Annotated[str, Meta(max_length=8)]  # "p001" … "p180"
TrendId: TypeAlias = Annotated[str, Meta(max_length=8)]  # "t01" … "t30"
PatronId: TypeAlias = Annotated[str, Meta(max_length=8)]  # "m01" … "m60"
FavourId: TypeAlias = Annotated[str, Meta(max_length=8)]  # "f01" … "f24"
Kind: TypeAlias = Annotated[str, Meta(max_length=16)]  # of favours: "points", "exhibit", …
Period: TypeAlias = Annotated[str, Meta(max_length=16)]  # "renaissance", "baroque", …
Theme: TypeAlias = Annotated[str, Meta(max_length=16)]  # "mythology", "history", …
Category: TypeAlias = Annotated[str, Meta(max_length=16)]  # a period or a theme
MuseumKey: TypeAlias = Annotated[str, Meta(max_length=16)]  # "tokyo", "madrid", …
Space: TypeAlias = Annotated[str, Meta(max_length=16)]  # a bonus space: "draw_paintings", …


class Options(Struct, frozen=True, gc=False, kw_only=True, forbid_unknown_fields=True):
    """What a room of this game may be set to."""

    general_trend: bool = True  # it scores, and is renewed every round (P-EXH-3, P-TURN-7)
    favour_track: bool = True  # reaching 10, 20 … brings a favour (P-FAV-2)
    start_points: bool = True  # who begins later has more of them (P-SET-6)


# Actions


class KeepTrend(Action, frozen=True, tag="keep_trend"):
    """Keep one of the trends dealt. Answers `keep_trend`."""

    trend: TrendId


class Trade(Action, frozen=True, tag="trade"):
    """Give a painting of the hand for one of an international museum. Answers `trade`."""

    give: PaintingId
    take: PaintingId


class NoTrade(Action, frozen=True, tag="no_trade"):
    """The active player has no trade that is allowed. Answers `trade`."""


class Decline(Action, frozen=True, tag="decline"):
    """Do not trade in another's turn. Answers `trade`."""


class Exhibit(Action, frozen=True, tag="exhibit"):
    """Hang a painting of the hand, and put another one into the archive. Answers `action`."""

    painting: PaintingId
    archive: PaintingId


class Acquire(Action, frozen=True, tag="acquire"):
    """Hang a painting of a rival's archive for a point and one of the hand. Answers `action`."""

    painting: PaintingId
    archive: PaintingId


class Hold(Action, frozen=True, tag="hold"):
    """Hold a special exhibition. Answers `action`.

    Where the paintings do not hang together the server writes into `arrangement` how it has put
    them, painting -> place; nobody else may.
    """

    category: Category
    arrangement: dict[PaintingId, Number] | UnsetType = UNSET


class Inventory(Action, frozen=True, tag="inventory"):
    """Take the whole archive back and draw a favour. Answers `action`."""


class ReplacePatrons(Action, frozen=True, tag="replace_patrons"):
    """Replace all open patrons after an inventory. Answers `action`."""


class Done(Action, frozen=True, tag="done"):
    """End the action. Answers `action`."""


class FavourDraw(Action, frozen=True, tag="favour_draw"):
    """Play any favour to draw paintings. Answers `trade` and `action`, as all favours do."""

    favour: Kind


class FavourPoints(Action, frozen=True, tag="favour_points"):
    """Play a favour for points."""


class FavourExhibit(Action, frozen=True, tag="favour_exhibit"):
    """Play a favour to hang a painting of the hand and put none into the archive."""

    painting: PaintingId


class FavourTake(Action, frozen=True, tag="favour_take"):
    """Play a favour to take a painting of an international museum into the hand."""

    painting: PaintingId


class FavourRecover(Action, frozen=True, tag="favour_recover"):
    """Play a favour to take paintings of one's own archive back into the hand."""

    paintings: tuple[PaintingId, ...]


class FavourTrade(Action, frozen=True, tag="favour_trade"):
    """Play a favour to trade once more."""

    give: PaintingId
    take: PaintingId


class FavourChoose(Action, frozen=True, tag="favour_choose"):
    """Play a favour to draw paintings and keep some of them: `keep_two` comes next."""


class FavourTrend(Action, frozen=True, tag="favour_trend"):
    """Play a favour for points for all that was hung this turn and fits the general trend."""


class FavourAcquire(Action, frozen=True, tag="favour_acquire"):
    """Play a favour to acquire a painting of a rival's archive without paying the point."""

    painting: PaintingId
    archive: PaintingId


class Claim(Action, frozen=True, tag="claim"):
    """Claim an open patron, with the painting it lets one take. Answers `trade` and `action`."""

    patron: PatronId
    take: PaintingId | UnsetType = UNSET


class UseSpace(Action, frozen=True, tag="use_space"):
    """Put the chip of an exhibition on a bonus space. Answers `bonus_space`."""

    space: Space
    painting: PaintingId | UnsetType = UNSET  # what to hang, on `exhibit`


class KeepTwo(Action, frozen=True, tag="keep_two"):
    """Keep some of the paintings drawn. Answers `keep_two`."""

    paintings: tuple[PaintingId, ...]


class Discard(Action, frozen=True, tag="discard"):
    """Put what is too much in the hand away; what is not is absent. Answers `discard`."""

    paintings: tuple[PaintingId, ...] | UnsetType = UNSET
    favours: tuple[FavourId, ...] | UnsetType = UNSET


class Arrange(Action, frozen=True, tag="arrange"):
    """Put every painting of one's own museum on a place. At any time; answers `arrange_final`."""

    places: dict[PaintingId, Number]


AnyAction: TypeAlias = (
    KeepTrend
    | Trade
    | NoTrade
    | Decline
    | Exhibit
    | Acquire
    | Hold
    | Inventory
    | ReplacePatrons
    | Done
    | FavourDraw
    | FavourPoints
    | FavourExhibit
    | FavourTake
    | FavourRecover
    | FavourTrade
    | FavourChoose
    | FavourTrend
    | FavourAcquire
    | Claim
    | UseSpace
    | KeepTwo
    | Discard
    | Arrange
)


# Events


class HandDealt(Event, frozen=True, tag="hand_dealt"):
    """A player's first cards; told to that player alone."""

    seat: Seat
    paintings: tuple[PaintingId, ...]
    trends: tuple[TrendId, ...]  # one of them is kept
    favours: tuple[FavourId, ...]


class MuseumsOpened(Event, frozen=True, tag="museums_opened"):
    """The international museums have their trends and first paintings."""

    trends: dict[MuseumKey, TrendId]
    paintings: dict[MuseumKey, tuple[PaintingId, ...]]


class PatronsShown(Event, frozen=True, tag="patrons_shown"):
    """These patrons lie open now."""

    patrons: tuple[PatronId, ...]


class StartDrawn(Event, frozen=True, tag="start_drawn"):
    """This seat begins."""

    seat: Seat


class TrendKept(Event, frozen=True, tag="trend_kept"):
    """A player has kept a trend; only that player is told which."""

    seat: Seat
    trend: TrendId | UnsetType = UNSET


class TurnBegun(Event, frozen=True, tag="turn_begun"):
    """A turn has begun; they are counted from 1."""

    turn: int
    seat: Seat


class TrendRevealed(Event, frozen=True, tag="trend_revealed"):
    """There is a new general trend."""

    trend: TrendId


class PaintingsDrawn(Event, frozen=True, tag="paintings_drawn"):
    """A player drew paintings; only that player is told which."""

    seat: Seat
    count: int
    paintings: tuple[PaintingId, ...] | UnsetType = UNSET


class FavourDrawn(Event, frozen=True, tag="favour_drawn"):
    """A player drew a favour; only that player is told which."""

    seat: Seat
    favour: FavourId | UnsetType = UNSET


class Scored(Event, frozen=True, tag="scored"):
    """A score has changed. Every change has one."""

    seat: Seat
    why: str  # "trade", "trend", "paid", "exhibition", "favour", "patron" or "goal"
    points: int
    score: int  # now


class GoalReached(Event, frozen=True, tag="goal_reached"):
    """A player is the first to have 50 points."""

    seat: Seat


class Traded(Event, frozen=True, tag="traded"):
    """A player traded with an international museum."""

    seat: Seat
    museum: MuseumKey
    gave: PaintingId
    took: PaintingId


class NothingTraded(Event, frozen=True, tag="nothing_traded"):
    """A player could not, or would not, trade."""

    seat: Seat


class PaintingTaken(Event, frozen=True, tag="painting_taken"):
    """A player took a painting of an international museum for nothing."""

    seat: Seat
    museum: MuseumKey
    painting: PaintingId


class MuseumRefilled(Event, frozen=True, tag="museum_refilled"):
    """An international museum has a new painting."""

    museum: MuseumKey
    painting: PaintingId


class PaintingHung(Event, frozen=True, tag="painting_hung"):
    """A painting hangs in a player's museum."""

    seat: Seat
    painting: PaintingId
    place: int
    owner: Seat | UnsetType = UNSET  # whose archive it comes from


class PaintingsArchived(Event, frozen=True, tag="paintings_archived"):
    """Paintings lie in a player's archive, in this order."""

    seat: Seat
    paintings: tuple[PaintingId, ...]


class PaintingsRecovered(Event, frozen=True, tag="paintings_recovered"):
    """A player took paintings of one's own archive back into the hand."""

    seat: Seat
    paintings: tuple[PaintingId, ...]


class Arranged(Event, frozen=True, tag="arranged"):
    """A museum has been arranged anew; the table shows how."""

    seat: Seat


class ExhibitionHeld(Event, frozen=True, tag="exhibition_held"):
    """A player holds a special exhibition."""

    seat: Seat
    category: Category
    size: int
    first: bool  # of this category in the game


class SpaceUsed(Event, frozen=True, tag="space_used"):
    """The chip lies on a bonus space."""

    seat: Seat
    space: Space


class InventoryTaken(Event, frozen=True, tag="inventory_taken"):
    """A player has taken the whole archive back into the hand."""

    seat: Seat


class FavourPlayed(Event, frozen=True, tag="favour_played"):
    """A player played a favour: for what it says, or to draw."""

    seat: Seat
    favour: FavourId
    how: str  # the kind, or "draw"


class TwoKept(Event, frozen=True, tag="two_kept"):
    """A player kept some of the paintings drawn; only that player is told which."""

    seat: Seat
    count: int
    paintings: tuple[PaintingId, ...] | UnsetType = UNSET


class PatronClaimed(Event, frozen=True, tag="patron_claimed"):
    """A player claimed a patron."""

    seat: Seat
    patron: PatronId


class FavoursDiscarded(Event, frozen=True, tag="favours_discarded"):
    """A player had too many favours in the hand."""

    seat: Seat
    favours: tuple[FavourId, ...]


class LastTurns(Event, frozen=True, tag="last_turns"):
    """The end is near: these have one more turn each, in this order; perhaps nobody."""

    reason: str  # "goal" or "last_painting"
    seats: tuple[Seat, ...]


class GameEnded(Event, frozen=True, tag="game_ended"):
    """The game is over."""

    reason: str  # "goal" or "last_painting"


AnyEvent: TypeAlias = (
    HandDealt
    | MuseumsOpened
    | PatronsShown
    | StartDrawn
    | TrendKept
    | TurnBegun
    | TrendRevealed
    | PaintingsDrawn
    | FavourDrawn
    | Scored
    | GoalReached
    | Traded
    | NothingTraded
    | PaintingTaken
    | MuseumRefilled
    | PaintingHung
    | PaintingsArchived
    | PaintingsRecovered
    | Arranged
    | ExhibitionHeld
    | SpaceUsed
    | InventoryTaken
    | FavourPlayed
    | TwoKept
    | PatronClaimed
    | FavoursDiscarded
    | LastTurns
    | GameEnded
)


# Windows


class KeepTrendFacts(Facts, frozen=True):
    """All keep a trend, sealed."""


class TradeFacts(Facts, frozen=True):
    """Somebody trades, in somebody's turn."""

    active: Seat


class ActionFacts(Facts, frozen=True):
    """The active player takes the steps of one action."""

    chosen: str | UnsetType = UNSET  # "improve", "exhibition" or "inventory"
    replaced: bool | UnsetType = UNSET  # whether the patrons were, after an inventory


class BonusSpaceFacts(Facts, frozen=True):
    """The chip of this exhibition needs a space."""

    category: Category


class KeepTwoFacts(Facts, frozen=True):
    """So many of the paintings drawn are kept."""

    drawn: int
    kept: int


class DiscardFacts(Facts, frozen=True):
    """So much is too much."""

    paintings: int
    favours: int


class ArrangeFinalFacts(Facts, frozen=True):
    """All arrange their museums for the last time, sealed."""


# What is seen


class TableMuseum(Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """An international museum and its two rows."""

    trend: TrendId
    matching: tuple[PaintingId, ...]
    other: tuple[PaintingId, ...]


class TablePiles(Struct, frozen=True, gc=False, kw_only=True):
    """How many cards are left face down, and how many patrons and trends were discarded."""

    paintings: int
    trends: int
    patrons: int
    favours: int
    past_trends: int
    past_patrons: int


class FinalScore(Struct, frozen=True, gc=False, kw_only=True):
    """What the final score is made of."""

    score: int  # before
    collections: dict[Category, int]  # points for the largest group of each
    trend: int
    gallery: int
    full: int
    exhibitions: int
    space: int  # the bonus space `end_points`
    archive: int  # zero or less
    total: int


class OpenHand(Struct, frozen=True, gc=False, kw_only=True):
    """What a player held at the end."""

    paintings: tuple[PaintingId, ...]
    favours: tuple[FavourId, ...]
    trend: TrendId


class TablePlayer(Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """What everybody sees of one museum."""

    score: int
    passed: int  # the highest step of the favour track that was ever reached; 0 at first
    paintings: int  # in hand
    favours: int  # in hand
    museum: dict[PaintingId, int]  # -> place, in the order they were hung
    archive: dict[str, PaintingId]  # "1", "2" …: in the order they came
    exhibitions: dict[Space, Category]  # where each chip lies
    patrons: dict[PatronId, str]  # claimed -> reward: "points" or "painting"
    hand: OpenHand | UnsetType = UNSET  # only after the end
    final: FinalScore | UnsetType = UNSET  # only after the end


class Table(Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """Everything on the table, the same for everyone."""

    start: Seat
    turn: int  # 1, 2, 3 …; 0 before the first
    active: Seat
    trend: TrendId  # the general one
    museums: dict[MuseumKey, TableMuseum]
    patrons: tuple[PatronId, ...]  # open, the oldest first
    piles: TablePiles
    favours: dict[FavourId, Kind]  # the open discard
    chips: dict[Category, int]  # still available
    favour_played: bool  # in this turn
    patron_claimed: bool  # in this turn
    entered: tuple[PaintingId, ...]  # the active player's museum in this turn
    reached: Seat | UnsetType = UNSET  # who was the first to have 50 points
    last_turns: tuple[Seat, ...] | UnsetType = UNSET  # who still has one, once the end is near
    players: dict[str, TablePlayer]  # by seat


class Hand(Private, frozen=True, kw_only=True):
    """What one player sees besides the table."""

    paintings: tuple[PaintingId, ...]  # by id
    favours: tuple[FavourId, ...]  # by id
    trend: TrendId | UnsetType = UNSET  # the one kept
    trends: tuple[TrendId, ...] | UnsetType = UNSET  # only until one is kept
    drawn: tuple[PaintingId, ...] | UnsetType = UNSET  # by id, only while some are to be kept
    answer: AnyAction | UnsetType = UNSET  # the seat's own, while a sealed window is open


# The catalogue


class CataloguePainting(Struct, frozen=True, gc=False, kw_only=True):
    """What a painting shows."""

    painter: int
    period: Period
    theme: Theme


class CataloguePainter(Struct, frozen=True, gc=False, kw_only=True):
    """Who painted."""

    name: str
    period: Period


class CatalogueTrend(Struct, frozen=True, gc=False, kw_only=True):
    """What a trend likes."""

    period: Period
    theme: Theme
    painter: int


class CataloguePatron(Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """What a patron wants and gives."""

    period: Period
    of_period: int  # paintings that have to hang; one may count for both
    theme: Theme
    of_theme: int
    reward: str  # "points" or "painting": one of the period, of any international museum
    points: int | UnsetType = UNSET


class CatalogueFavour(Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """What a favour does, and how much of it."""

    kind: Kind
    amount: int
    kept: int | UnsetType = UNSET  # of `choose`: how many of those drawn


class CatalogueWorth(Struct, frozen=True, gc=False, kw_only=True):
    """What each match with a trend is worth; matches add up."""

    period: int
    theme: int
    painter: int


class Catalogue(Struct, frozen=True, gc=False, kw_only=True):
    """What every id of this game is, and all numbers; never changes within an edition."""

    game: str
    edition: int
    periods: tuple[Period, ...]
    themes: tuple[Theme, ...]
    museums: dict[MuseumKey, str]  # -> name
    painters: dict[str, CataloguePainter]  # by number
    paintings: dict[PaintingId, CataloguePainting]
    trends: dict[TrendId, CatalogueTrend]
    patrons: dict[PatronId, CataloguePatron]
    favours: dict[FavourId, CatalogueFavour]
    spaces: dict[Space, int]  # the bonus spaces, and how much of it each gives
    side: int  # of a museum: places are numbered row by row from 0
    grand_gallery: tuple[int, ...]  # places
    trend: CatalogueWorth
    start_points: dict[str, tuple[int, ...]]  # number of seats -> points in turn order
    chips: int  # of each category
    drawn: int  # paintings, at the beginning of a turn
    hand: int  # paintings that may be held at the end of a turn
    favour_hand: int  # favours that may
    acquired: int  # points paid for a painting of an archive
    least: int  # paintings that make a collection
    sizes: tuple[int, ...]  # points of `least`, of one more …
    further: int  # points for each one more than that
    first: int  # points for the first exhibition of a category
    any_favour: int  # paintings that a favour played to draw draws
    track: tuple[int, ...]  # points that bring a favour when they are first reached
    goal: int  # points that bring the end near
    goal_bonus: int  # points more for who is first to have `goal`
    gallery: int  # points for a Grand Gallery of one category
    full: int  # points for a full museum
    exhibitions: tuple[int, ...]  # points for one, for two …
    archived: int  # points of a painting left in the archive, below 0
    reconstructed: tuple[str, ...]  # field paths: "patrons"


class Why(IllegalWhy):
    """`facts.why` of an `illegal_action` in this game."""

    NOT_ASKED = "not_asked", "P-TURN-4", ("seat",), "The seat owes no answer."
    WRONG_WINDOW = "wrong_window", "P-TURN-4", ("open",), "Another kind of window is open."
    NOT_ACTIVE = "not_active", "P-TURN-5", ("active",), "Only the active player does that."
    NOT_IN_HAND = "not_in_hand", "P-TRADE-1", ("card",), "The hand holds no such card."
    NOT_THERE = (
        "not_there",
        "P-TRADE-1",
        ("painting",),
        "It is in no international museum.",
    )
    BELOW_ZERO = (
        "below_zero",
        "P-TRADE-2",
        ("score", "points"),
        "The trade would leave the score below 0.",
    )
    TRADE_NEEDED = (
        "trade_needed",
        "P-TURN-2",
        (),
        "The active player must trade; `no_trade` is for whoever has none that is allowed.",
    )
    ONE_FAVOUR = "one_favour", "P-TURN-5", (), "A favour has been played in this turn."
    ONE_PATRON = "one_patron", "P-TURN-5", (), "A patron has been claimed in this turn."
    ONE_ACTION = "one_action", "P-TURN-4", ("chosen",), "The turn's action is another one."
    ACTION_NEEDED = "action_needed", "P-TURN-4", (), "One of the three actions must be taken."
    SAME_PAINTING = (
        "same_painting",
        "P-EXH-1",
        ("painting",),
        "Another painting has to go to the archive.",
    )
    MUSEUM_FULL = "museum_full", "P-EXH-4", ("places",), "There is no place left."
    NOT_IN_ARCHIVE = (
        "not_in_archive",
        "P-EXH-2",
        ("painting",),
        "It is in none of the archives meant: rivals' to acquire, the player's own to take back.",
    )
    NO_POINT = "no_point", "P-EXH-2", ("score",), "There is no point to pay with."
    NO_CHIP = "no_chip", "P-SPE-1", ("category",), "There is no chip of it any more."
    HELD_BEFORE = "held_before", "P-SPE-1", ("category",), "The player has used it before."
    TOO_FEW = "too_few", "P-SPE-1", ("category", "size"), "Too few paintings of it hang."
    NOT_TOGETHER = (
        "not_together",
        "P-SPE-1",
        ("category",),
        "The paintings do not hang together.",
    )
    NO_SPACE = "no_space", "P-SPE-3", (), "All bonus spaces are taken."
    SPACE_TAKEN = "space_taken", "P-SPE-3", ("space",), "There is no such free bonus space."
    PAINTING_NEEDED = (
        "painting_needed",
        "P-PAT-1",
        (),
        "It must be said which painting; there is one.",
    )
    PAINTING_NOT_NEEDED = (
        "painting_not_needed",
        "P-PAT-1",
        ("painting",),
        "There is no painting to name.",
    )
    SERVER_ARRANGES = (
        "server_arranges",
        "P-SPE-1",
        (),
        "The arrangement of an exhibition is the server's to write.",
    )
    NO_INVENTORY = (
        "no_inventory",
        "P-INV-1",
        (),
        "The patrons can be replaced once, after an inventory.",
    )
    NOTHING_TO_DO = (
        "nothing_to_do",
        "P-FAV-1",
        ("favour",),
        "The favour would do nothing; it can be played to draw.",
    )
    WRONG_NUMBER = "wrong_number", "P-FAV-1", ("needed",), "Exactly that many are needed."
    NOT_DRAWN = "not_drawn", "P-FAV", ("painting",), "It is not among those drawn."
    NO_PATRON = "no_patron", "P-PAT-1", ("patron",), "No such patron lies open."
    NOT_IMPRESSED = (
        "not_impressed",
        "P-PAT-1",
        ("patron",),
        "The paintings the patron wants do not hang.",
    )
    WRONG_PERIOD = "wrong_period", "P-PAT-1", ("painting",), "The patron gives another period."
    NOTHING_HUNG = "nothing_hung", "P-EXH-4", (), "There is nothing to arrange."
    NOT_AN_ARRANGEMENT = (
        "not_an_arrangement",
        "P-EXH-4",
        (),
        "Every painting of the museum, and no other, needs a place of its own.",
    )
