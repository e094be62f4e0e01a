"""C: the active player plays a step change, a critic, both or nothing (V-PLAY, V-STEP, V-CRIT)."""

from collections.abc import Sequence
from functools import cache
from itertools import combinations

from msgspec.structs import replace

from saleroom_protocol.games.common import Seat
from saleroom_protocol.games.forms import Form, Value, assign, one_of
from saleroom_protocol.games.vernissage import (
    AgentsMoved,
    AnyAction,
    AnyEvent,
    Artist,
    CardId,
    Critic,
    Done,
    FeatherTaken,
    Limited,
    PlayFacts,
    Unlimited,
    Why,
)
from saleroom_rules.contract import IllegalAction, Step
from saleroom_rules.vernissage import fame
from saleroom_rules.vernissage.cards import CRITICS, LIMITED, NUMBERS, STEPS, UNLIMITED
from saleroom_rules.vernissage.state import (
    Player,
    PlayWindow,
    State,
    game_over,
    opened,
    turn_over,
    wrong_window,
)

RESERVE = "reserve"


def begin(state: State, *events: AnyEvent, stepped: bool = False) -> Step[State, AnyEvent]:
    """Open the window unless the hand holds no card at all, which everybody sees (V-PLAY-0)."""
    if not state.player.hand:
        return turn_over(state, *events)
    return opened(state, PlayWindow(seats=(state.active,), facts=PlayFacts(stepped)), *events)


def legal(state: State, window: PlayWindow, seat: Seat) -> Sequence[AnyAction | Form]:
    """List step changes while none has been played, then critics, then `done` (V-PLAY-1)."""
    player = state.players[seat]
    listed: list[AnyAction | Form] = []
    if not window.facts.stepped:
        if any(card in UNLIMITED for card in player.hand):
            listed += _unlimited_forms(player.agents, player.reserve)
        for steps in sorted({LIMITED[card] for card in player.hand if card in LIMITED}):
            listed += _limited_forms(player.agents, player.reserve, steps)
    influenced = state.influenced(seat)
    if influenced and any(card in CRITICS for card in player.hand):
        listed.append(Form("critic", {}, {"artist": one_of(influenced)}))
    return [*listed, Done()]


def answer(
    state: State, window: PlayWindow, seat: Seat, action: AnyAction
) -> Step[State, AnyEvent]:
    """A step change leads to a second window, anything else ends the turn (V-PLAY-2)."""
    match action:
        case Unlimited(agents):
            return _unlimited(state, window, agents)
        case Limited():
            return _limited(state, window, action)
        case Critic(artist):
            return _critic(state, artist)
        case Done():
            return turn_over(state)
        case _:
            raise wrong_window(window)


def default(state: State, window: PlayWindow, seat: Seat) -> AnyAction:
    """Play nothing."""
    return Done()


def free_steps(agents: tuple[int, ...]) -> tuple[int, ...]:
    """V-INF-2, V-STEP-1: the steps on which no own agent stands."""
    return tuple([step for step in STEPS if step not in agents])


def reachable(agent: int | None, steps: int) -> range:
    """V-STEP-2: the steps a limited card brings an agent to; None is one in reserve."""
    if agent is None:
        return range(1, min(steps, STEPS[-1]) + 1)
    return range(max(agent - steps, 1), min(agent + steps, STEPS[-1]) + 1)


def agents_of(agents: tuple[int, ...], reserve: int) -> list[str]:
    """Name the agents as `unlimited` does: by step, then those in reserve."""
    return [*map(str, agents), *_in_reserve(reserve)]


def _in_reserve(count: int) -> list[str]:
    return [f"{RESERVE}_{number}" for number in range(1, count + 1)]


@cache
def _unlimited_forms(agents: tuple[int, ...], reserve: int) -> tuple[Form, ...]:
    """V-STEP-1: a form for every set of agents; those in reserve are alike, so the first of them.

    There are few ways for agents to stand, and the forms of one are asked for again and again.
    """
    free = free_steps(agents)
    return tuple(
        Form("unlimited", {}, {"agents": assign(dict.fromkeys(keys, free), distinct=True, least=n)})
        for n in range(1, len(agents) + reserve + 1)
        for placed in range(min(n, reserve) + 1)
        for stairs in combinations(map(str, agents), n - placed)
        for keys in ((*stairs, *_in_reserve(placed)),)
    )


@cache
def _limited_forms(agents: tuple[int, ...], reserve: int, steps: int) -> tuple[Form, ...]:
    """V-STEP-2: a form for each agent that has somewhere to go, one for all in reserve."""
    free = free_steps(agents)
    forms = []
    for agent in (*agents, *((None,) if reserve else ())):
        steps_there = [step for step in reachable(agent, steps) if step in free]
        if steps_there:
            fixed: dict[str, Value] = {
                "steps": steps,
                "agent": RESERVE if agent is None else str(agent),
            }
            forms.append(Form("limited", fixed, {"to": one_of(steps_there)}))
    return tuple(forms)


def _unlimited(state: State, window: PlayWindow, agents: dict[str, int]) -> Step[State, AnyEvent]:
    """V-STEP-1: any own agents go to any steps; the card leaves the game."""
    player = state.player
    _check_step_change(window)
    card = _lowest(player, UNLIMITED, "unlimited")
    if not agents:
        raise IllegalAction(Why.CHANGES_NOTHING)
    _check_agents(player, agents)
    taken = set(player.agents)
    for step in agents.values():
        _check_step(step, taken)
        taken.add(step)
    state = replace(state, gone={**state.gone, card: "unlimited"})
    return _stepped(state, card, agents)


def _limited(state: State, window: PlayWindow, action: Limited) -> Step[State, AnyEvent]:
    """V-STEP-2: one own agent goes some steps; the card goes to the discards."""
    player = state.player
    _check_step_change(window)
    card = _lowest(player, {c for c, steps in LIMITED.items() if steps == action.steps}, "limited")
    in_reserve = action.agent == RESERVE
    if not (player.reserve if in_reserve else action.agent in map(str, player.agents)):
        raise IllegalAction(Why.NO_AGENT, agent=action.agent)
    key = f"{RESERVE}_1" if in_reserve else action.agent
    if action.agent == str(action.to):
        raise IllegalAction(Why.CHANGES_NOTHING)
    _check_step(action.to, player.agents)
    if action.to not in reachable(None if in_reserve else int(key), action.steps):
        raise IllegalAction(Why.TOO_FAR, steps=action.steps)
    state = replace(state, discards={**state.discards, card: action.steps})
    return _stepped(state, card, {key: action.to})


def _stepped(state: State, card: CardId, agents: dict[str, int]) -> Step[State, AnyEvent]:
    """Put the agents where they go; a critic may follow (V-PLAY-2)."""
    player = state.player.without_card(card)
    stay = [step for step in player.agents if str(step) not in agents]
    placed = sum(agent.startswith(RESERVE) for agent in agents)
    player = replace(
        player,
        agents=tuple(sorted((*stay, *agents.values()))),
        reserve=player.reserve - placed,
    )
    state = replace(state, players=state.with_player(state.active, player))
    return begin(state, AgentsMoved(state.active, card, agents), stepped=True)


def _critic(state: State, key: Artist) -> Step[State, AnyEvent]:
    """V-CRIT-1: the feather goes to the artist, fame falls, OUT is checked; the turn is over."""
    seat = state.active
    card = _lowest(state.player, CRITICS, "critic")
    if key not in state.influenced(seat):
        raise IllegalAction(Why.NO_INFLUENCE, artist=key)
    state = replace(
        state,
        players=state.with_player(seat, state.player.without_card(card)),
        gone={**state.gone, card: "critic"},
        feather=key,
    )
    events: tuple[AnyEvent, ...] = (FeatherTaken(seat, card, key),)
    state, fallen = fame.moved(state, key, -NUMBERS.feather, "critic")
    events = (*events, fallen)
    if fame.is_out(state.artists[key]):
        state, out = fame.left(state, key)
        events = (*events, out)
    reason = fame.ending(state, counter_on_top=False)
    return turn_over(state, *events) if reason is None else game_over(state, reason, *events)


def _check_step_change(window: PlayWindow) -> None:
    if window.facts.stepped:
        raise IllegalAction(Why.ONE_STEP_CHANGE)


def _lowest(player: Player, wanted: "frozenset[CardId] | set[CardId]", name: str) -> CardId:
    """Return the first of alike cards in the hand, or refuse."""
    for card in player.hand:
        if card in wanted:
            return card
    raise IllegalAction(Why.NOT_IN_HAND, card=name)


def _check_agents(player: Player, agents: dict[str, int]) -> None:
    """Refuse an agent there is not; of those in reserve the first are meant, so they come first."""
    placed = sum(agent.startswith(RESERVE) for agent in agents)
    known = agents_of(player.agents, min(placed, player.reserve))
    for agent in agents:
        if agent not in known:
            raise IllegalAction(Why.NO_AGENT, agent=agent)


def _check_step(step: int, taken: "set[int] | tuple[int, ...]") -> None:
    if step not in STEPS:
        raise IllegalAction(Why.NO_STEP, step=step)
    if step in taken:
        raise IllegalAction(Why.STEP_TAKEN, step=step)
