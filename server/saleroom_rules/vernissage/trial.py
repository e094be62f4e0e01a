"""The dice of a Trial of Strength, who wins it, and what that costs the others (V-TRI-2 to 5)."""

from msgspec.structs import replace

from saleroom_protocol.games.common import Seat
from saleroom_protocol.games.vernissage import (
    AgentReturned,
    AnyEvent,
    Counter,
    CounterReturned,
    MightTaxed,
    Trial,
    TrialDecided,
    TrialRolled,
)
from saleroom_rules.contract import Step
from saleroom_rules.rng import Rng
from saleroom_rules.vernissage import buy, effect, fame
from saleroom_rules.vernissage.cards import NUMBERS
from saleroom_rules.vernissage.state import State, counters_back, in_order


def fight(state: State, trial: Trial, *events: AnyEvent) -> Step[State, AnyEvent]:
    """Roll until it is decided, give the might back, and let the winner have it."""
    dispute = state.disputed()
    trial, rng = rolled(trial, dispute.pro, state.rng)
    state = replace(state, dispute=replace(dispute, trial=trial), rng=rng)
    state, taxed = _might_back(state, trial)
    events = (*events, *trial.rolls.values(), TrialDecided(str(trial.winner)), *taxed)
    return (
        _pro_wins(state, trial, *events) if trial.winner == "pro" else _contra_wins(state, *events)
    )


def rolled(trial: Trial, pro: Seat, rng: Rng) -> tuple[Trial, Rng]:
    """V-TRI-2: Contra roll, then Pro; while Pro ties with the best of them they roll again."""
    contra, rolls = trial.contra, trial.rolls
    while True:
        roll, rng = _roll((*contra, pro), trial.might, rng)
        rolls = {**rolls, str(len(rolls) + 1): roll}
        own = roll.totals[str(pro)]
        best = max(roll.totals[str(seat)] for seat in contra)
        if own != best:
            winner = "pro" if own > best else "contra"
            return replace(trial, rolls=rolls, winner=winner), rng
        contra = tuple(seat for seat in contra if roll.totals[str(seat)] == best)


def _roll(seats: tuple[Seat, ...], might: dict[str, int], rng: Rng) -> tuple[TrialRolled, Rng]:
    dice, totals = {}, {}
    for seat in map(str, seats):
        one, rng = rng.die("trial")
        two, rng = rng.die("trial")
        dice[seat] = one, two
        totals[seat] = one + two + might[seat]
    return TrialRolled(dice, totals), rng


def _might_back(state: State, trial: Trial) -> tuple[State, list[MightTaxed]]:
    """V-TRI-5: committed might returns to the hand, but for a card of who rolled too well."""
    last = {seat: total for roll in trial.rolls.values() for seat, total in roll.totals.items()}
    players, gone, events = list(state.players), state.gone, []
    for seat, player in enumerate(players):
        cards = player.committed
        if not cards:
            continue
        if state.might_tax and last[str(seat)] >= NUMBERS.tax_total:
            gone = {**gone, cards[0]: "tax"}
            events.append(MightTaxed(seat, cards[0]))
            cards = cards[1:]
        players[seat] = replace(player, hand=in_order((*player.hand, *cards)), committed=())
    return replace(state, players=tuple(players), gone=gone), events


def _pro_wins(state: State, trial: Trial, *events: AnyEvent) -> Step[State, AnyEvent]:
    """V-TRI-3: every Contra's agent beside the artist goes; the counter takes effect."""
    for seat in trial.contra:
        state, returned = _agent_back(state, seat)
        events = (*events, returned)
    return effect.take_effect(state, "pro", *events)


def _contra_wins(state: State, *events: AnyEvent) -> Step[State, AnyEvent]:
    """V-TRI-4: Pro's agent goes and the counter with it; the turn goes on with B."""
    dispute = state.disputed()
    state, returned = _agent_back(state, dispute.pro)
    artist = state.artists[dispute.artist]
    counter = Counter(dispute.kind, dispute.value)
    state = replace(
        fame.with_artist(state, dispute.artist, replace(artist, counters=artist.counters[:-1])),
        supply=counters_back(state.supply, (counter,)),
        dispute=replace(dispute, result="contra"),
    )
    back = CounterReturned(dispute.artist, counter.kind, counter.value)
    return buy.begin(state, *events, returned, back)


def _agent_back(state: State, seat: Seat) -> tuple[State, AgentReturned]:
    step = state.artists[state.disputed().artist].step
    player = state.players[seat].without_agent(step)
    return replace(state, players=state.with_player(seat, player)), AgentReturned(seat, step)
