"""Nobody sees through a room: every byte a socket gets, from the first to the last.

Two rooms that differ only in what a viewer may not know send him the same frames in the same order,
while the room waits, at the start, in play, to those who come late or come back, and when it is
closed. At the end everything is laid open, so the comparison stops there.
"""

from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from saleroom_protocol.codec import JSON, MSGPACK
from saleroom_protocol.games.kunstmarkt import HandDealt
from saleroom_protocol.sse import SSE
from saleroom_rules.contract import Step
from saleroom_rules.games import GAMES
from saleroom_rules.kunstmarkt.game import Kunstmarkt
from saleroom_rules.rng import Rng, seed_of
from saleroom_server.rooms.commands import Close, GiveUpSeat, Refusal
from saleroom_server.rooms.standing import Standing
from saleroom_server.rooms.views import Viewer
from tests.support.followers import Follower
from tests.support.founding import ANYBODY, INVITE, PEOPLE, SERVER_SEED, WATCH, picked
from tests.support.games import strings_in
from tests.support.rooms import HandRoom
from tests.support.toy.room import toy
from tests.support.toy.words import CardsDealt
from tests.support.worlds import HIDDEN, OTHER_WORLD

SEATS = 3
VIEWERS: tuple[Viewer, ...] = (*range(SEATS), None)
GAMES_PLAYED = [
    ("kunstmarkt", {}),
    ("kunstmarkt", {"hidden_cash": True}),
    ("vernissage", {"might_tax": True}),
    ("pictura", {}),
    ("toy", {}),
]
every_game = pytest.mark.parametrize(("game", "options"), GAMES_PLAYED)
few = settings(max_examples=5)
seeds = st.integers(0, 2**32)


class World:
    """A room as one viewer meets it: all of his sockets, and one for every seat to act with."""

    def __init__(self, standing: Standing, now: int, viewer: Viewer) -> None:
        self.viewer = viewer
        self.events = (SSE,) if viewer is None else ()  # nobody else reads them
        self.hand = HandRoom(standing=standing, now=now)
        for seat in range(SEATS):
            self.hand.joins(seat)
        self.left: list[Follower] = []  # sockets that have gone, at different moments
        for codec in (MSGPACK, JSON, *self.events):
            self.left.append(self.comes(codec))
            self.hand.is_gone(self.left[-1])
            self.hand.waits(2_000)
        self.comes()
        for codec in (JSON, *self.events):
            self.comes(codec)
        self.hand.waits(0)

    def comes(self, codec: Any = MSGPACK) -> Follower:
        """Let the viewer join with one more socket; as a player it takes the stream."""
        if self.viewer is None:
            return self.hand.joins(ANYBODY, "spectator", codec=codec, checks=codec is not SSE)
        return self.hand.joins(self.viewer, codec=codec)

    def acts(self, seat: int, action: dict[str, Any], window: int | None) -> None:
        self.hand.acts(self.hand.playing(seat), action, window, "a-new-one")

    def lives_on(self) -> None:
        """Let time pass, somebody come late, somebody come back, and the room be closed."""
        self.hand.waits(2_500)
        for codec in (JSON, *self.events):
            self.comes(codec)
        for follower in self.left:
            self.hand.resumes(follower)
        self.hand.does(Close("enough"))

    @property
    def heard(self) -> list[list[bytes]]:
        """Every frame the viewer got."""
        followers = self.hand.followers.values()
        return [one.frames for one in followers if one.viewer == self.viewer]


def meet(
    hand: HandRoom, viewer: Viewer, seat: int, action: Any, window: int | None, luck: Random
) -> bool:
    """Take an action in two worlds; False if they differ rightly."""
    laid_open = strings_in(action)
    other = OTHER_WORLD[hand.rules.key](hand.state, viewer, laid_open, luck)
    worlds = [
        World(replace(hand.standing, state=state), hand.now, viewer)
        for state in (hand.state, other)
    ]
    assert worlds[0].heard == worlds[1].heard
    assert worlds[0].hand.room.due() == worlds[1].hand.room.due()
    for world in worlds:
        try:
            world.acts(seat, action, window)
        except Refusal:
            assert seat != viewer, "what the viewer may do himself is the same in both"
            return False
    if "finished" in {world.hand.status for world in worlds}:
        return False
    for world in worlds:
        world.lives_on()
    assert worlds[0].heard == worlds[1].heard
    return True


def differences(game: str, options: dict[str, bool], seed: int) -> set[Viewer]:
    """Play a game, again and again in pairs of rooms; return who could not tell them apart.

    Raises:
        AssertionError: somebody could.
    """
    luck, met, odds = Random(seed), set(), 1.0 if game == "toy" else 0.3
    hand = HandRoom(game, options=_all_options(game, options), server_seed=f"{seed:064x}")
    hand.begins(0, 1, 2)
    for turn in range(60):
        if hand.standing.is_over:
            break
        seat = luck.choice(hand.asked)
        player, window = hand.playing(seat), hand.window["number"]
        action = picked(luck.choice(player.document["legal"]), luck.choice)
        viewer = VIEWERS[turn % len(VIEWERS)]
        if luck.random() < odds and meet(hand, viewer, seat, action, window, luck):
            met.add(viewer)
        hand.acts(player, action)
    return met


@every_game
@given(seed=seeds)
@few
def test_rooms_that_differ_in_secrets_alone_send_the_same_bytes(
    game: str, options: dict[str, bool], seed: int
) -> None:
    assert differences(game, options, seed)


class TellsWhatWasDrawn(Kunstmarkt):
    """A game that forgets to mask an event."""

    def tell(self, event: Any, viewer: Viewer) -> Any:
        return event


class HurriesWhoCannotOffer(Kunstmarkt):
    """A game that gives a bidder who has nothing to offer less time."""

    def window(self, state: Any) -> Any:
        window = super().window(state)
        if window is not None and len(self.legal(state, window.seats[0])) == 1:
            window = replace(window, seconds=2)
        return window


@pytest.mark.parametrize("leaky", [TellsWhatWasDrawn, HurriesWhoCannotOffer])
def test_a_leak_is_found(leaky: type[Kunstmarkt], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, "kunstmarkt", leaky())

    def look_for_it() -> None:
        for seed in range(20):
            differences("kunstmarkt", {}, seed)

    with pytest.raises(AssertionError):
        look_for_it()


def _all_options(game: str, options: dict[str, bool]) -> dict[str, Any]:
    return msgspec.structs.asdict(GAMES[game].options(**options))


def dealing(game: str, viewer: Viewer, luck: Random | None) -> Any:
    """Return a game that deals always the same, or so that a viewer cannot tell."""

    class Dealing(type(GAMES[game])):  # type: ignore[misc]
        def setup(self, seats: int, options: Any, rng: Rng) -> Step[Any, Any]:
            step: Step[Any, Any] = super().setup(seats, options, Rng(b"always the same"))
            if luck is None:
                return step
            state = OTHER_WORLD[game](step.state, viewer, (), luck)
            return Step(state, tuple(_dealt(event, state) for event in step.events))

    return Dealing()


def _dealt(event: Any, state: Any) -> Any:
    match event:
        case HandDealt(seat=seat):
            return HandDealt(seat, state.players[seat].pictures, state.players[seat].customers)
        case CardsDealt(seat=seat):
            return CardsDealt(seat, state.hands[seat])
        case _:
            return event


def waits_and_begins(hand: HandRoom, viewer: Viewer) -> list[list[bytes]]:
    """Let people come, sit, stand up, speak, and the game begin; return what a viewer got."""
    watching = [
        hand.joins(4, "spectator", codec=codec, checks=codec is not SSE)
        for codec in (MSGPACK, JSON, SSE)
    ]
    hand.does(hand.seat(0, entropy="ab" * 16))
    hand.seats(1, 2)
    players = [hand.joins(person) for person in range(SEATS)]
    hand.waits(1_000)
    hand.does(GiveUpSeat(PEOPLE[2], 2))
    hand.seats(2)
    players[2] = hand.joins(2)
    hand.says(players[1], "table", "Good luck!")
    hand.says(players[1], 2, "between us")
    hand.waits(2_000)
    assert hand.status == "running"
    late = hand.joins(5, "spectator")
    followers = [*players, *watching, late]
    return [follower.frames for follower in followers if follower.viewer == viewer]


@every_game
@pytest.mark.parametrize("viewer", VIEWERS)
def test_waiting_and_starting_tell_nothing_either(
    game: str, options: dict[str, bool], viewer: Viewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard = []
    for luck in (None, Random(1), Random(2)):
        with monkeypatch.context() as patched:
            patched.setitem(GAMES, game, dealing(game, viewer, luck))
            secrets: dict[str, Any] = {
                "server_seed": f"{(luck and luck.getrandbits(200)) or 1:064x}",
                "invite": f"invitation {luck and luck.random()}",
                "watch": f"watchword {luck and luck.random()}",
                "commitment": "0" * 64,
            }
            hand = HandRoom(game, options=_all_options(game, options), **secrets)
            heard.append(waits_and_begins(hand, viewer))
    assert heard[0] == heard[1] == heard[2]


@every_game
@given(seed=seeds)
@few
def test_no_frame_names_a_hidden_card(game: str, options: dict[str, bool], seed: int) -> None:
    luck = Random(seed)
    hand = HandRoom(game, options=_all_options(game, options), server_seed=f"{seed:064x}")
    hand.begins(0, 1, 2)
    hand.joins(3, "spectator")
    while not hand.standing.is_over:
        before, count = hand.state, {one.session: len(one.frames) for one in hand.live}
        hand.moves(luck)
        entry: Any = hand.journal[-1].entry
        laid_open = strings_in(getattr(entry, "action", {}))
        late = hand.joins(6, "spectator")
        for follower in hand.live if hand.status == "running" else ():
            told = [JSON.encode(message) for message in follower.messages]
            fresh = b"".join(told[count.get(follower.session, 0) :])
            hidden = HIDDEN[game]
            secret = hidden(before, follower.viewer) & hidden(hand.state, follower.viewer)
            named = [card for card in secret - laid_open if f'"{card}"'.encode() in fresh]
            assert not named
        hand.is_gone(late)


@every_game
def test_no_frame_ever_holds_a_secret_of_the_room(game: str, options: dict[str, bool]) -> None:
    hand = HandRoom(
        game, options=_all_options(game, options), visibility="private", creator=PEOPLE[0].player
    )
    hand.does(hand.seat(0))
    for person in (1, 2):
        hand.does(hand.seat(person, invite=INVITE))
    hand.begins(0, 1, 2)
    hand.joins(3, "spectator", watch=WATCH, codec=JSON)
    hand.joins(4, "spectator", watch=WATCH, codec=SSE, checks=False)
    luck = Random(8)
    while not hand.standing.is_over:
        hand.moves(luck)
        if luck.random() < 0.05:
            hand.reloads()
    founding = hand.founding
    commitment, game_seed = seed_of(SERVER_SEED, founding.room, SEATS, {})
    told = b"".join(frame for one in hand.followers.values() for frame in one.frames)
    assert commitment.hex().encode() in told
    for secret in (SERVER_SEED, game_seed.hex(), INVITE, WATCH):
        assert secret.encode() not in told
    for secret_bytes in (bytes.fromhex(SERVER_SEED), game_seed):
        assert secret_bytes not in told


def test_whispers_and_sealed_answers_reach_nobody_else() -> None:
    hand, players = toy()
    watching = hand.joins(3, "spectator")
    sealed = {"do": "bid", "cards": list(hand.state.hands[0][:1])}
    hand.says(players[0], 1, "only for you")
    hand.acts(players[0], sealed)
    for other in (players[2], watching):
        told = b"".join(other.frames)
        assert b"only for you" not in told
        assert sealed["cards"][0].encode() not in told
    assert b"only for you" in b"".join(players[1].frames)


def test_nothing_that_is_printed_holds_a_secret() -> None:
    hand, players = toy()
    sealed = {"do": "bid", "cards": list(hand.state.hands[0][:1])}
    decision = hand.acts(players[0], sealed)
    printed = "".join(
        map(repr, (hand.standing, hand.founding, hand.room, decision, hand.journal, hand.state))
    )
    cards = [card for own in hand.state.hands for card in own]
    game_seed = hand.state.rng.seed
    for secret in (SERVER_SEED, INVITE, WATCH, game_seed.hex(), repr(game_seed), *cards):
        assert secret not in printed
    begun = HandRoom("toy")
    begun.seats(0, 1, 2)
    begun.now += 2_000
    start = begun.rings()
    assert start.events
    assert not [card for card in cards if card in repr(start)]
