"""Secrecy where it counts: every byte anybody is sent is searched for what it may not be.

That is every socket, and every reader of events.

A card's id stands in a frame as a string of its own, in MessagePack or in JSON, and nowhere else.
"""

import re
from collections.abc import Callable
from itertools import chain
from random import Random
from typing import Any, TypeVar

import msgspec
import pytest
from msgspec import UNSET, Struct

from saleroom_protocol.codec import JSON, MSGPACK
from saleroom_rules.rng import seed_of
from saleroom_server.rooms.commands import Close, GiveUpSeat, Start, TakeSeat
from saleroom_server.rooms.journal import decode
from tests.support.hand_clock import quiet
from tests.support.listeners import Listener, listening
from tests.support.memory_store import Fault
from tests.support.nodes import PEOPLE, Node
from tests.support.sockets import Socket, plain_entry
from tests.support.worlds import HIDDEN

Following = TypeVar("Following", Socket, Listener)
CODECS = [MSGPACK, JSON]
GAMES = {
    "open cash": ("kunstmarkt", {}),
    "hidden cash": ("kunstmarkt", {"hidden_cash": True}),
    "vernissage": ("vernissage", {"might_tax": True}),
    "pictura": ("pictura", {"general_trend": True, "favour_track": True, "start_points": True}),
    "toy": ("toy", {}),
}
# After the end all hands are open; what nobody ever held is not.
UNDEALT: dict[str, Callable[[Any], set[str]]] = {
    "kunstmarkt": lambda state: {*state.stock, *state.deck},
    "vernissage": lambda state: {*state.aside, *chain(*state.piles)},
    "pictura": lambda state: {*state.deck, *state.trend_deck, *state.patron_deck},
    "toy": lambda state: set(),
}
each_game = pytest.mark.parametrize(("game", "options"), GAMES.values(), ids=GAMES)


class Watched(Struct):
    """A socket, what it may see, how many of its frames were searched, what was hidden then."""

    socket: Socket | Listener
    viewer: int | None
    searched: int = 0
    hidden: set[str] = msgspec.field(default_factory=set)


class Vault:
    """A private room, everybody around it, and what nobody may be sent."""

    def __init__(self, node: Node, game: str, room: str, secrets: list[bytes]) -> None:
        self.node, self.game, self.room, self.secrets = node, game, room, secrets
        self.watched: list[Watched] = []
        self.frames = 0

    @property
    def standing(self) -> Any:
        return self.node.room(self.room).standing

    def watches(self, socket: Following, viewer: int | None) -> Following:
        self.watched.append(Watched(socket, viewer, hidden=self.hidden(viewer)))
        return socket

    async def listens(self, after: Listener | str = "") -> Listener:
        """Let one more reader of events come."""
        watch = self.standing.founding.watch
        came = self.watches(await listening(self.node, self.room, watch=watch, after=after), None)
        for one in self.watched:
            if one.socket is after:  # what it has missed comes first
                self.watched[-1].hidden &= one.hidden
        return came

    @property
    def listeners(self) -> list[Listener]:
        """The readers of events."""
        return [one.socket for one in self.watched if isinstance(one.socket, Listener)]

    def player(self, seat: int) -> Socket:
        """Return the socket that has a seat's stream now."""
        return next(
            one.socket
            for one in reversed(self.watched)
            if isinstance(one.socket, Socket) and one.viewer == seat and one.socket.closed is None
        )

    def hidden(self, viewer: int | None) -> set[str]:
        """Name the cards whose faces a viewer may not see now."""
        state = self.standing.state
        if state is None:
            return set()
        if self.standing.status != "finished":
            return HIDDEN[self.game](state, viewer)
        return UNDEALT[self.game](state)

    def given(self) -> set[str]:
        """Name what was of late given away openly: it may be in another hand by now."""
        journal = self.node.store.kept.rooms.get(self.room)
        entries: list[Any] = (
            [decode(body).entry for body in journal.entries[-6:]] if journal else []
        )
        answers = [answer for entry in entries for answer in getattr(entry, "answers", {}).values()]
        actions = [*answers, *(getattr(entry, "action", {}) for entry in entries)]
        return {action["give"] for action in actions if "give" in action}

    def search(self) -> None:
        """Search what has come since the last time."""
        given = self.given()
        for one in self.watched:
            frames = one.socket.frames[one.searched :]
            one.searched += len(frames)
            self.frames += len(frames)
            # Open cards may be hidden again: a frame from before that may still show them.
            now = self.hidden(one.viewer)
            all_along = one.hidden & now - given
            one.hidden = now if frames else all_along
            cards = b"|".join(map(str.encode, all_along)) or b"(?!)"
            named = re.compile(b"\xa3(?:" + cards + b')|"(?:' + cards + b')"')
            for frame in frames:
                assert named.search(frame) is None
                assert not [secret for secret in self.secrets if secret in frame]


async def a_vault(node: Node, game: str, options: dict[str, Any]) -> Vault:
    """Make a private room with three people in it, one of whom came after another was kicked."""
    made = await node.makes(game=game, options=options, visibility="private", autostart=False)
    actor, invite = node.actor(made.room), made.invite
    founding = node.room(made.room).standing.founding
    seed = bytes.fromhex(founding.server_seed)
    tokens = [node.token(caller).encode() for caller in PEOPLE]
    secrets = [seed, seed.hex().encode(), made.invite.encode(), made.watch.encode(), *tokens]
    vault = Vault(node, game, made.room, secrets)
    for seat, caller in ((1, PEOPLE[1]), (2, PEOPLE[6])):
        await actor.ask(TakeSeat(caller, seat, "ab" * 16, invite))
    kicked = vault.watches(node.joined(made.room, PEOPLE[6]), None)
    await actor.ask(GiveUpSeat(PEOPLE[0], 2))
    assert kicked.last["reason"] == "kicked"
    await actor.ask(TakeSeat(PEOPLE[2], 2, UNSET, invite))
    for seat in range(3):
        codec = CODECS[seat % 2]
        vault.watches(node.joined(made.room, PEOPLE[seat], codec=codec), seat)
    for codec in CODECS:
        vault.watches(node.joined(made.room, None, "spectator", codec, watch=made.watch), None)
    await vault.listens()
    refused = vault.watches(node.greeted(PEOPLE[7]), None)
    refused.joins(made.room, "player")
    refused.joins(made.room, "spectator", watch=invite)
    await actor.ask(Start(PEOPLE[0]))
    contributions = node.room(made.room).standing.contributions
    _, game_seed = seed_of(founding.server_seed, made.room, 3, contributions)
    vault.secrets += [game_seed, game_seed.hex().encode()]
    for one in vault.watched:  # the first frames of the game are searched too
        one.hidden = vault.hidden(one.viewer) - dealt(one)
    return vault


def dealt(one: Watched) -> set[str]:
    """Return the first cards of a seat: it has seen them, though it may have had to redraw."""
    updates = [update.get("events", ()) for update in one.socket.told("update")]
    return {
        card
        for event in chain(*updates)
        if event["event"] == "hand_dealt" and event["seat"] == one.viewer
        for card in event.get("cards", ())
    }


async def goes_on(vault: Vault, luck: Random, step: int) -> None:
    """Let something happen: mostly a move; now and then people come, go, fail or ask in vain."""
    node, room = vault.node, vault.room
    watch = vault.standing.founding.watch
    if step % 10 == 3:
        codec = luck.choice(CODECS)
        late = node.joined(room, luck.choice([None, *PEOPLE]), "spectator", codec, watch=watch)
        vault.watches(late, None)
    if step % 20 == 3:
        await vault.listens()
    if step % 20 == 16:
        broken = luck.choice(vault.listeners)
        broken.drops()
        await vault.listens(broken if luck.random() < 0.5 else "1-s.1")
    if step % 15 == 7:
        seat = luck.randrange(3)
        former = vault.player(seat)
        followed = former.followed(room)
        again = node.greeted(PEOPLE[seat], former.codec, checks=True)
        again.rooms[room] = followed
        vault.watches(again, seat)
        again.joins(room, cursor={"epoch": followed.epoch, "seq": followed.seq})
    if step % 25 == 11:
        kicked = vault.watched[0].socket
        assert isinstance(kicked, Socket)
        kicked.joins(room, "player")
        kicked.asks("act", room=room, window=step, action={"do": "pass"})
        kicked.asks("say", room=room, to="table", text="Let me in!")
        node.store.fail(luck.choice([*Fault]))
    vault.search()
    await moves(vault, luck)
    await settles(vault)
    vault.search()
    await node.clock.passes(luck.choice([0, 700, 1_500]))
    await settles(vault)


async def settles(vault: Vault) -> None:
    """Wait until the room is in memory: the store may have failed."""
    await quiet()
    while vault.node.actor(vault.room).room is None:
        await vault.node.clock.passes(vault.node.limits.retry_ms)


async def moves(vault: Vault, luck: Random) -> None:
    """Let a seat that is asked answer, or time run out."""
    able = [seat for seat in range(3) if "legal" in vault.player(seat).document(vault.room)]
    if not able:
        return
    socket = vault.player(luck.choice(able))
    if luck.random() < 0.05:
        for _ in range(60):  # slowly: a pile that was looked at is soon hidden again
            await vault.node.clock.passes(1_000)
            await settles(vault)
            vault.search()
        return
    socket.acts(vault.room, plain_entry(socket.document(vault.room)["legal"], luck))


@each_game
async def test_no_socket_is_ever_sent_what_it_may_not_see(
    node: Node, game: str, options: dict[str, Any]
) -> None:
    luck, step = Random(1), 0
    vault = await a_vault(node, game, options)
    while vault.standing.status == "running":
        await goes_on(vault, luck, step)
        step += 1
    vault.search()
    assert vault.standing.status == "finished"
    vault.watches(node.joined(vault.room, PEOPLE[0], "player"), 0)
    vault.watches(node.joined(vault.room, PEOPLE[0], "spectator"), None)
    await vault.listens()
    await node.clock.passes(5_000)
    vault.search()
    assert vault.frames > 5 * step
    told = {message["type"] for one in vault.watched for message in one.socket.messages}
    assert told >= {"view", "update", "joined", "accepted", "refused", "left"}
    read = {kind for listener in vault.listeners for kind in listener.kinds}
    assert read == {"view", "update", "end"}
    assert len(vault.listeners) > step / 20
    assert not any(listener.is_served for listener in vault.listeners), "all are at their end"
    assert vault.watched[0].socket.told("said") == []


@each_game
async def test_a_room_closed_in_the_middle_of_a_game_tells_no_more_than_before(
    node: Node, game: str, options: dict[str, Any]
) -> None:
    luck = Random(5)
    vault = await a_vault(node, game, options)
    for step in range(8):
        await goes_on(vault, luck, step)
    await node.clock.passes(1_000)
    await node.actor(vault.room).ask(Close("enough"))
    watch = vault.standing.founding.watch
    for viewer in (0, 1, 2):
        vault.watches(node.joined(vault.room, PEOPLE[viewer]), viewer)
    vault.watches(node.joined(vault.room, None, "spectator", JSON, watch=watch), None)
    await vault.listens()
    await node.clock.passes(5_000)
    vault.search()
    assert vault.standing.status == "closed"
    assert vault.hidden(None)


async def test_the_search_would_find_what_is_there(node: Node) -> None:
    vault = await a_vault(node, "kunstmarkt", {})
    vault.search()
    for codec in CODECS:
        spy = node.joined(vault.room, PEOPLE[0], codec=codec)
        vault.watched = []
        vault.watches(spy, None)  # a seat's frames, searched as a spectator's
        with pytest.raises(AssertionError):
            vault.search()
    listener = await vault.listens()
    for data, searched in ((b'data: {"x":"%b"}', 0), (b"data: %b", 1)):
        card, *_ = vault.hidden(None)
        secret = vault.secrets[1]
        listener.frames = [data % (secret if searched else card.encode())]
        vault.watched = [Watched(listener, None, hidden=vault.hidden(None))]
        with pytest.raises(AssertionError):
            vault.search()
    vault.secrets = [vault.standing.founding.commitment.encode()]
    vault.watched = [Watched(spy, 0)]
    with pytest.raises(AssertionError):
        vault.search()
