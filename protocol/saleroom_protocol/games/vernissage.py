"""Vernissage: its public vocabulary. PROTOCOL.md, "Vernissage".

Cards that are alike are still told apart by their ids. Where it makes no difference which of them
is meant, an action names what they are, and the one with the lowest id is taken.
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

Artist: TypeAlias = Annotated[str, Meta(max_length=16)]  # "krach", "boyz", "kali", …
CardId: TypeAlias = Annotated[str, Meta(max_length=8)]  # "b01" … "b82" brown, "g01" … "g23" grey
Kind: TypeAlias = Annotated[str, Meta(max_length=16)]  # "purchase", "critique", "scandal"
Agent: TypeAlias = Annotated[str, Meta(max_length=16)]  # the step it stands on: "1"; or "reserve"


class Options(Struct, frozen=True, gc=False, kw_only=True, forbid_unknown_fields=True):
    """What a room of this game may be set to."""

    might_tax: bool = False  # a high total in a trial costs a might card (V-TRI-5)


# Actions


class Place(Action, frozen=True, tag="place"):
    """Lay a fate counter in front of an artist. Answers `place`."""

    kind: Kind
    value: Number
    artist: Artist


class Object(Action, frozen=True, tag="object"):
    """Object to the counter. Answers `objection`."""


class Allow(Action, frozen=True, tag="allow"):
    """Have no objection. Answers `objection`."""


class Offer(Action, frozen=True, tag="offer"):
    """The active player would have this value instead. Stays in `bargain`."""

    value: Number


class Ask(Action, frozen=True, tag="ask"):
    """An objector would have this value instead. Stays in `bargain`."""

    value: Number


class Agree(Action, frozen=True, tag="agree"):
    """State the value the other side has named, or had when this was sent. Stays in `bargain`."""

    value: Number


class Withdraw(Action, frozen=True, tag="withdraw"):
    """Object no longer, for good. Answers `bargain`."""


class Stand(Action, frozen=True, tag="stand"):
    """The active player ends the bargaining without agreement. Answers `bargain`."""


class Insist(Action, frozen=True, tag="insist"):
    """An objector ends the bargaining without agreement. Answers `bargain`."""


class Challenge(Action, frozen=True, tag="challenge"):
    """Demand a Trial of Strength. Answers `challenge`."""


class Forgo(Action, frozen=True, tag="forgo"):
    """Let the counter stay. Answers `challenge`."""


class Commit(Action, frozen=True, tag="commit"):
    """Put so many might cards of the hand into the trial. Answers `might`."""

    might: Number


class Reveal(Action, frozen=True, tag="reveal"):
    """Show so many works of the artist from the hand. Answers `reveal`."""

    works: Number


class BuyPile(Action, frozen=True, tag="buy_pile"):
    """Pay for a brown pile and look at it. Answers `buy`."""

    pile: Number  # 1, the cheapest, to 7


class BuyGrey(Action, frozen=True, tag="buy_grey"):
    """Buy the top grey card. Answers `buy`."""


class Keep(Action, frozen=True, tag="keep"):
    """Keep a card of the pile looked at. Answers `pick`."""

    card: CardId


class KeepNone(Action, frozen=True, tag="keep_none"):
    """Put the whole pile back. Answers `pick`."""


class Unlimited(Action, frozen=True, tag="unlimited"):
    """Play an unlimited step change: agents -> their new steps. Answers `play`.

    Keys are the step an agent stands on, or `reserve_1`, `reserve_2`, `reserve_3`.
    """

    agents: dict[Agent, Number]


class Limited(Action, frozen=True, tag="limited"):
    """Play a limited step change of `steps` steps. Answers `play`."""

    steps: Number
    agent: Agent  # the step it stands on, or "reserve"
    to: Number


class Critic(Action, frozen=True, tag="critic"):
    """Play a critic: the feather goes to an artist. Answers `play`."""

    artist: Artist


class Done(Action, frozen=True, tag="done"):
    """Play nothing more. Answers `play`."""


AnyAction: TypeAlias = (
    Place
    | Object
    | Allow
    | Offer
    | Ask
    | Agree
    | Withdraw
    | Stand
    | Insist
    | Challenge
    | Forgo
    | Commit
    | Reveal
    | BuyPile
    | BuyGrey
    | Keep
    | KeepNone
    | Unlimited
    | Limited
    | Critic
    | Done
)


# Events


class HandDealt(Event, frozen=True, tag="hand_dealt"):
    """A player's first cards; told to that player alone."""

    seat: Seat
    cards: tuple[CardId, ...]


class HandRedrawn(Event, frozen=True, tag="hand_redrawn"):
    """A player held nothing but works and was dealt anew; only that player is told what."""

    seat: Seat
    cards: tuple[CardId, ...] | UnsetType = UNSET


class StartRolled(Event, frozen=True, tag="start_rolled"):
    """Both dice of everybody who may still begin."""

    rolls: dict[str, tuple[int, int]]  # seat -> dice


class StartDrawn(Event, frozen=True, tag="start_drawn"):
    """This seat rolled highest: it begins."""

    seat: Seat


class TurnBegun(Event, frozen=True, tag="turn_begun"):
    """A turn has begun; they are counted from 1."""

    turn: int
    seat: Seat


class DieRolled(Event, frozen=True, tag="die_rolled"):
    """The fate die shows what may be placed."""

    seat: Seat
    face: str  # "purchase", "critique", "scandal", "any", "minus"
    kinds: tuple[Kind, ...]  # what may be placed, after looking at what is left


class FateSkipped(Event, frozen=True, tag="fate_skipped"):
    """The player has influence on nobody and places no counter."""

    seat: Seat


class CounterPlaced(Event, frozen=True, tag="counter_placed"):
    """A counter lies in front of an artist."""

    seat: Seat
    artist: Artist
    kind: Kind
    value: int
    step: int


class Objected(Event, frozen=True, tag="objected"):
    """All have answered: these object, perhaps nobody."""

    seats: tuple[Seat, ...]


class Stated(Event, frozen=True, tag="stated"):
    """A player's stated value is now this one."""

    seat: Seat
    how: str  # "offer", "ask" or "agree"
    value: int


class Withdrew(Event, frozen=True, tag="withdrew"):
    """An objector objects no longer."""

    seat: Seat


class BargainingEnded(Event, frozen=True, tag="bargaining_ended"):
    """This player ended the bargaining without agreement."""

    seat: Seat


class CountersExchanged(Event, frozen=True, tag="counters_exchanged"):
    """All agreed: another value of the same kind lies there now."""

    artist: Artist
    kind: Kind
    old: int
    new: int


class Challenged(Event, frozen=True, tag="challenged"):
    """All have answered: these demand a Trial of Strength, perhaps nobody."""

    seats: tuple[Seat, ...]


class MightCommitted(Event, frozen=True, tag="might_committed"):
    """A round of might is over: what each who was asked added."""

    might: dict[str, int]  # seat -> cards added


class TrialRolled(Event, frozen=True, tag="trial_rolled"):
    """All still in the comparison have rolled both dice, Pro last."""

    dice: dict[str, tuple[int, int]]  # seat -> dice
    totals: dict[str, int]  # seat -> dice and might


class TrialDecided(Event, frozen=True, tag="trial_decided"):
    """The Trial of Strength is over."""

    winner: str  # "pro" or "contra"


class MightTaxed(Event, frozen=True, tag="might_taxed"):
    """A participant's total was so high that a might card leaves the game."""

    seat: Seat
    card: CardId


class AgentReturned(Event, frozen=True, tag="agent_returned"):
    """An agent went back to its owner's reserve."""

    seat: Seat
    step: int


class CounterReturned(Event, frozen=True, tag="counter_returned"):
    """The contested counter lies beside the board again."""

    artist: Artist
    kind: Kind
    value: int


class FameMoved(Event, frozen=True, tag="fame_moved"):
    """A marker moved on the scale of fame."""

    artist: Artist
    why: str  # "counter", "great", "small", "paid" or "critic"
    by: int  # spaces; how far it really went may be less at the upper end
    space: int  # where it is now; below 0 is OUT


class WorksShown(Event, frozen=True, tag="works_shown"):
    """A player has shown works out of the hand."""

    seat: Seat
    cards: tuple[CardId, ...]


class WorksPaid(Event, frozen=True, tag="works_paid"):
    """The bank paid for every work of the artist that lies open."""

    seat: Seat
    artist: Artist
    works: int
    amount: int


class ArtistOut(Event, frozen=True, tag="artist_out"):
    """An artist is OUT: marker, counters and feather are gone from there."""

    artist: Artist


class ArtistJumped(Event, frozen=True, tag="artist_jumped"):
    """An artist jumped over three kinds of counters."""

    artist: Artist
    step: int
    rank: int
    vernissage: str | UnsetType = UNSET  # "great" or "small"; absent: no bonus


class NoteTaken(Event, frozen=True, tag="note_taken"):
    """A player had to borrow."""

    seat: Seat
    amount: int


class PileBought(Event, frozen=True, tag="pile_bought"):
    """A player paid for a brown pile; only that player is told what lies in it."""

    seat: Seat
    pile: int
    price: int
    cards: tuple[CardId, ...] | UnsetType = UNSET


class CardKept(Event, frozen=True, tag="card_kept"):
    """A player kept a card of the pile, and alone knows which."""

    seat: Seat
    pile: int
    card: CardId | UnsetType = UNSET


class NothingKept(Event, frozen=True, tag="nothing_kept"):
    """A player put the whole pile back."""

    seat: Seat
    pile: int


class GreyBought(Event, frozen=True, tag="grey_bought"):
    """A player bought the top grey card, and alone knows which it was."""

    seat: Seat
    price: int
    card: CardId | UnsetType = UNSET


class BuySkipped(Event, frozen=True, tag="buy_skipped"):
    """There was nothing left to buy."""

    seat: Seat


class GreyShuffled(Event, frozen=True, tag="grey_shuffled"):
    """The grey discards were shuffled into a new pile."""

    cards: int


class AgentsMoved(Event, frozen=True, tag="agents_moved"):
    """A player played a step change."""

    seat: Seat
    card: CardId
    agents: dict[Agent, int]  # keys as in `unlimited`


class FeatherTaken(Event, frozen=True, tag="feather_taken"):
    """A player played a critic: the feather is with this artist now."""

    seat: Seat
    card: CardId
    artist: Artist


class GameEnded(Event, frozen=True, tag="game_ended"):
    """The game is over. `reason`: two_out, artist_on_top, counter_on_top or stall."""

    reason: str


AnyEvent: TypeAlias = (
    HandDealt
    | HandRedrawn
    | StartRolled
    | StartDrawn
    | TurnBegun
    | DieRolled
    | FateSkipped
    | CounterPlaced
    | Objected
    | Stated
    | Withdrew
    | BargainingEnded
    | CountersExchanged
    | Challenged
    | MightCommitted
    | TrialRolled
    | TrialDecided
    | MightTaxed
    | AgentReturned
    | CounterReturned
    | FameMoved
    | WorksShown
    | WorksPaid
    | ArtistOut
    | ArtistJumped
    | NoteTaken
    | PileBought
    | CardKept
    | NothingKept
    | GreyBought
    | BuySkipped
    | GreyShuffled
    | AgentsMoved
    | FeatherTaken
    | GameEnded
)


# What a window says in public


class PlaceFacts(Facts, frozen=True):
    """Facts of a `place` window: what the die allows."""

    face: str
    kinds: tuple[Kind, ...]


class DisputeFacts(Facts, frozen=True):
    """Facts of `objection`, `bargain` and `challenge`: the counter it is about."""

    pro: Seat
    artist: Artist
    kind: Kind
    value: int


class MightFacts(Facts, frozen=True):
    """Facts of a `might` window: whose answer, to how much."""

    side: str  # "contra" or "pro": who is asked
    round: int  # 1, 2, 3 …
    might: dict[str, int]  # seat of every participant -> might committed so far


class RevealFacts(Facts, frozen=True):
    """Facts of a `reveal` window: what each work of the artist that lies open will pay."""

    artist: Artist
    pays: int


class BuyFacts(Facts, frozen=True):
    """Facts of a `buy` window: none beyond the seat that is asked."""


class PickFacts(Facts, frozen=True):
    """Facts of a `pick` window: the pile looked at."""

    pile: int


class PlayFacts(Facts, frozen=True):
    """Facts of a `play` window: whether a step change has been played already."""

    stepped: bool


# The table and the private part


class Counter(Struct, frozen=True, gc=False):
    """A fate counter."""

    kind: Kind
    value: int


class TableArtist(Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """An artist: on the staircase and the scale of fame, or OUT."""

    out: bool | UnsetType = UNSET  # true, and then nothing else is there
    step: int | UnsetType = UNSET
    counters: tuple[Counter, ...] | UnsetType = UNSET  # on the steps in front, nearest first
    space: int | UnsetType = UNSET  # 0 the lowest; those after the last of `scale` are IN
    worth: int | UnsetType = UNSET  # the number printed there


class TablePile(Struct, frozen=True, gc=False):
    """A brown pile."""

    price: int
    cards: int


class TableGrey(Struct, frozen=True, gc=False):
    """The grey cards that nobody holds."""

    price: int
    cards: int
    discards: dict[CardId, int]  # open -> its steps


class TablePlayer(Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """What everybody sees of one gallery."""

    cash: int
    notes: int
    agents: tuple[int, ...]  # the steps they stand on, ascending
    reserve: int
    shown: dict[CardId, Artist]  # works that lie open
    brown: int  # cards in hand; shown works and committed might are not
    grey: int
    hand: tuple[CardId, ...] | UnsetType = UNSET  # only after the end


class Trial(Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """A Trial of Strength."""

    contra: tuple[Seat, ...]
    might: dict[str, int]  # seat -> might committed in closed rounds
    rolls: dict[str, TrialRolled]  # "1", "2" … : the rolls, roll-offs after the first
    winner: str | UnsetType = UNSET  # "pro" or "contra"


class Dispute(Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """What happens about the counter of this turn; it stays on the table until the turn is over."""

    pro: Seat
    artist: Artist
    kind: Kind
    value: int  # of the counter that lies there now
    objectors: tuple[Seat, ...] | UnsetType = UNSET  # all who objected, once that is known
    withdrawn: tuple[Seat, ...] | UnsetType = UNSET
    stated: dict[str, int] | UnsetType = UNSET  # seat -> present value
    statements: dict[str, int] | UnsetType = UNSET  # seat -> how many so far
    trial: Trial | UnsetType = UNSET
    result: str | UnsetType = UNSET  # "unopposed", "withdrawn", "agreed", "unchallenged", "pro",
    # "contra"


class Table(Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """Everything on the table, the same for everyone."""

    start: Seat
    turn: int  # 1, 2, 3 …
    active: Seat
    artists: dict[Artist, TableArtist]
    feather: Artist | UnsetType = UNSET
    supply: dict[Kind, tuple[int, ...]]  # counters beside the board, by absolute value
    piles: dict[str, TablePile]  # "1", the cheapest, to "7"
    grey: TableGrey
    gone: dict[CardId, str]  # cards that left the game -> "unlimited", "critic" or "tax"
    players: dict[str, TablePlayer]  # by seat
    dispute: Dispute | UnsetType = UNSET
    recent: dict[str, dict[str, AnyEvent]]  # turn -> number -> event, of the last turns


class Hand(Private, frozen=True, kw_only=True):
    """What one player sees besides the table."""

    cards: tuple[CardId, ...]  # by id; committed might is not among them
    pile: tuple[CardId, ...] | UnsetType = UNSET  # top first, only while it is looked at
    answer: AnyAction | UnsetType = UNSET  # the seat's own, while a sealed window is open


# The catalogue


class CatalogueCard(Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """What a card is."""

    kind: str  # "work", "might", "critic", "unlimited" or "limited"
    artist: Artist | UnsetType = UNSET  # of a work
    steps: int | UnsetType = UNSET  # of a limited step change


class Catalogue(Struct, frozen=True, gc=False, kw_only=True):
    """What every id of this game is, and all numbers; never changes within an edition."""

    game: str
    edition: int
    artists: dict[Artist, str]  # -> full name; their order is the order of ties
    cards: dict[CardId, CatalogueCard]
    counters: dict[Kind, tuple[int, ...]]
    die: tuple[str, ...]
    steps: int
    scale: tuple[int, ...]  # Rubens, from the lowest space up
    in_scale: tuple[int, ...]  # what the IN spaces above pay
    prices: tuple[int, ...]  # of the piles
    grey_price: int
    capital: int
    loan: int
    note: int  # what a loan costs at the end
    out_cost: int  # of a work of an artist who is OUT
    feather: int  # spaces down
    great: int  # spaces up
    small: int
    statements: int
    tax_total: int
    stall_rounds: int
    reconstructed: tuple[str, ...]  # field paths: "scale"


class Why(IllegalWhy):
    """`facts.why` of an `illegal_action` in this game."""

    NOT_ASKED = "not_asked", "V-TURN-1", ("seat",), "The seat owes no answer."
    WRONG_WINDOW = "wrong_window", "V-TURN-1", ("open",), "Another kind of window is open."
    WRONG_KIND = "wrong_kind", "V-FATE-2", ("kind",), "The die does not allow that kind."
    NO_COUNTER = (
        "no_counter",
        "V-FATE-3",
        ("kind", "value"),
        "No such counter lies beside the board.",
    )
    NO_INFLUENCE = (
        "no_influence",
        "V-INF-1",
        ("artist",),
        "None of the player's agents stands on that artist's step.",
    )
    WRONG_SIDE = "wrong_side", "V-OBJ-2", ("pro",), "That is said by the other side."
    NO_EXCHANGE = (
        "no_exchange",
        "V-OBJ-2",
        ("value",),
        "No counter of the kind with that other value lies beside the board.",
    )
    NOTHING_TO_AGREE = (
        "nothing_to_agree",
        "V-OBJ-2",
        ("value",),
        "The other side has not named that value.",
    )
    ALREADY_STATED = "already_stated", "V-OBJ-2", ("value",), "That is the speaker's value already."
    TOO_MANY_STATEMENTS = (
        "too_many_statements",
        "V-OBJ-2",
        ("limit",),
        "The player has made as many statements as are allowed.",
    )
    NOT_ENOUGH_MIGHT = (
        "not_enough_might",
        "V-TRI-1",
        ("might",),
        "The hand holds fewer might cards.",
    )
    NOT_ENOUGH_WORKS = (
        "not_enough_works",
        "V-IN-1",
        ("works",),
        "The hand holds fewer works of the artist.",
    )
    NO_PILE = "no_pile", "V-BUY-1", ("pile",), "There is no card in such a pile."
    NO_GREY = "no_grey", "V-BUY-1", (), "There is no grey card to buy."
    NOT_IN_PILE = "not_in_pile", "V-BUY-1", ("card",), "The card is not in the pile."
    NOT_IN_HAND = "not_in_hand", "V-PLAY-1", ("card",), "The hand holds no such card."
    ONE_STEP_CHANGE = (
        "one_step_change",
        "V-PLAY-1",
        (),
        "Only a critic may follow a step change.",
    )
    NO_AGENT = "no_agent", "V-STEP-1", ("agent",), "The player has no such agent."
    NO_STEP = "no_step", "V-SET-2", ("step",), "The staircase has no such step."
    STEP_TAKEN = (
        "step_taken",
        "V-INF-2",
        ("step",),
        "One of the player's agents stands, or would stand, there.",
    )
    TOO_FAR = "too_far", "V-STEP-2", ("steps",), "The card does not reach so far."
    CHANGES_NOTHING = "changes_nothing", "V-STEP-4", (), "A step change must change something."
