"""A room: one serial machine, without clock, socket or task.

Theory of operation
-------------------
Rule 1. What must not be lost is the `Standing`, and it changes by entries alone. `decide` works out
the entries of a command against the present standing and changes nothing; the caller makes them
durable; `commit` then swaps the standing in and says what is to be told. Between the two no other
command may be decided: there is one decision in flight at most.

Rule 2. One committed decision is one `seq` is one update, for every viewer, whether it has entries
(a move) or not (somebody's connection came or went). A `silent` one is none: the repeat of a
request, a bell that rang for nothing.

Rule 3. Joining, leaving and talking change no standing and take no `seq`. They are done at once,
also while a decision is in flight: what a joining socket sees is the present state, and everything
committed later reaches it.

Rule 4. Nothing happens by itself. `due` says when the room next wants to be rung, a `Ring` then
finds out what for. Both read the same agenda, so a bell that comes late, twice or for a window long
closed finds nothing to do.

Rule 5. The bell alone closes a window. An answer decided before it counts, whatever the time.

Rule 6. What takes long is worked out elsewhere. `questions` says what of that is wanted; what is
`advised` then changes nothing but what may later be played for a seat.

Times are server milliseconds and come in from outside, as do the name of this load and the
house bots' thought.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from saleroom_protocol.document import ClockRestarted, WindowInfo
from saleroom_protocol.document import Presence as Flipped
from saleroom_protocol.games import record
from saleroom_protocol.games.common import Action, Event, Seat
from saleroom_protocol.games.record import OutcomeLine
from saleroom_protocol.http import RoomSummary
from saleroom_protocol.messages import Cursor
from saleroom_rules.contract import AnyRules
from saleroom_server.rooms import acting, commands, house, seating
from saleroom_server.rooms.advice import Advice, Question
from saleroom_server.rooms.chat import Chat
from saleroom_server.rooms.commands import Caller, Close, Command, Decision, Effect
from saleroom_server.rooms.draft import Draft
from saleroom_server.rooms.following import Following
from saleroom_server.rooms.front import Fronts, summary_of
from saleroom_server.rooms.limits import RoomLimits
from saleroom_server.rooms.presence import Presence
from saleroom_server.rooms.scene import Scene, sight_of
from saleroom_server.rooms.standing import Standing, open_window
from saleroom_server.rooms.stream import Stream
from saleroom_server.rooms.timing import Timing
from saleroom_server.rooms.views import Clock
from saleroom_server.rooms.winding import wound

# What a house bot of a level does, given the game and its seat's document: a plain action.
Thought: TypeAlias = Callable[[str, str, dict[str, Any]], dict[str, Any]]
_Duty: TypeAlias = tuple[int, Callable[[Draft], Decision]]  # from when on, and what


class Room:
    """One room, from the moment it is made or loaded."""

    def __init__(
        self,
        rules: AnyRules,
        standing: Standing,
        limits: RoomLimits,
        think: Thought,
        levels: frozenset[str],
        *,
        load: str,
        seq: int,
        now: int,
    ) -> None:
        """Nobody follows the room yet.

        Args:
            rules: the game.
            standing: what the journal says.
            limits: how long the room waits, and how much it keeps.
            think: what house bots do.
            levels: of house bots that may be added.
            load: the name of this load, by which its epochs are told from others.
            seq: from which its updates count on.
            now: server milliseconds.
        """
        self._rules, self._limits, self._think, self._levels = rules, limits, think, levels
        self._standing = standing
        seats = standing.founding.seats
        self._presence = Presence(seats, limits.presence_ms)
        self._chat = Chat(standing.room, seats, limits, now)
        self._begun_at = now  # by this machine: made or loaded
        self._counted_at = now  # when the number of spectators was last told anew
        self._starts_at: int | UnsetType = UNSET
        self._timing: Timing | None = None
        self._advice = Advice(rules)
        self._questioned: Any = None  # the state of which questions were asked last
        self._fronts = Fronts()
        self._wind(now, anew=True)
        self._stream = Stream(
            rules, standing.room, self._seen(0), limits, load=load, seq=seq, at=now
        )
        self._following = Following(
            standing.room, self._stream, self._presence, self._chat, limits, now
        )

    @property
    def standing(self) -> Standing:
        """What the journal says so far."""
        return self._standing

    @property
    def seq(self) -> int:
        """The number of the last update."""
        return self._stream.seq

    @property
    def window(self) -> WindowInfo | UnsetType:
        """The open window, as everybody sees it."""
        return self._stream.scene.sight.face.window

    @property
    def spectators(self) -> int:
        """How many sockets look on."""
        return self._stream.audience.spectators

    def summary(self) -> RoomSummary:
        """Return what the lobby tells of the room."""
        return summary_of(self._standing, self._presence, self.spectators)

    def sees(self, caller: Caller, watch: str) -> bool:
        """Whether somebody may know that the room exists; `watch` is the secret they bring."""
        return seating.sees(self._standing, caller, watch)

    def awaits(self, player: str | None, request: str, window: int | UnsetType) -> bool:
        """Whether an act would answer the open window its seat owes, or repeats an accepted one."""
        if request in self._standing.receipts.get(player or "", {}):
            return True
        now_open = open_window(self._rules, self._standing)
        if now_open is None or now_open.number != window:
            return False
        return self._standing.seat_of(player) in now_open.owing

    def remembers(self, player: str | None, request: str) -> bool:
        """Whether a say of this id was accepted."""
        return self._chat.remembers(player or "", request)

    def has_told_the_end(self, cursor: Cursor) -> bool:
        """Whether the room is over, and a spectator who has come so far knows."""
        return self._stream.has_told_the_end(None, cursor)

    def is_behind(self, command: commands.Join) -> bool:
        """Whether who joins has seen more than this: perhaps the room is another node's by now."""
        return self._stream.is_behind(command.asked)

    # Following and talking: at once, without a seq

    def join(self, command: commands.Join, now: int) -> list[Effect]:
        """Let a socket follow the room.

        Raises:
            Refusal: `unknown_room`, `not_seated`, `full`.
        """
        return self._following.join(self._standing, command, now)

    def leave(self, command: commands.Leave, now: int) -> list[Effect]:
        """Let a socket follow no longer, at its own wish.

        Raises:
            Refusal: `not_joined`, `unknown_room`.
        """
        self._following.check_joined(self._standing, command)
        return self._following.part(command.session, now)

    def gone(self, command: commands.Gone, now: int) -> list[Effect]:
        """Forget a socket that is closed."""
        return self._following.part(command.session, now)

    def refresh(self, command: commands.Refresh) -> list[Effect]:
        """Let a socket go on from a view of this moment."""
        return self._following.refresh(command.session)

    def attach(self, command: commands.Attach, now: int) -> list[Effect]:
        """Go on with the sockets of a node: each gets a view, those not named follow no longer."""
        return self._following.attach(self._standing, command, now)

    def watch(self, command: commands.Watch) -> list[Effect]:
        """Let a node show the room to its spectators, without asking for each of them."""
        return self._following.watch(command)

    def watching(self, command: commands.Watching) -> list[Effect]:
        """Take note of how many look on there."""
        return self._following.watching(command)

    def say(self, command: commands.Say, now: int) -> list[Effect]:
        """Let somebody speak; the receipt comes last.

        Raises:
            Refusal: `id_reused`, `not_joined`, `unknown_room`, and as `Chat.say`.
        """
        return self._following.say(self._standing, command, now)

    def mute(self, command: commands.Mute) -> None:
        """Let a player be heard no more, or again.

        Raises:
            Refusal: `unknown_room`, `not_host`.
        """
        seating.check_host(self._standing, command.caller)
        self._chat.mute(command.player, command.muted)

    def adopt(self, former: "Room") -> list[Effect]:
        """Take over the sockets that followed the room before it was loaded anew.

        Each gets a view of the new epoch and goes on from there.
        """
        return self._following.adopt(former._following)

    def dismiss(self) -> list[Effect]:
        """Let every socket go: the room is put away."""
        return self._following.dismiss()

    # Advice: neither a seq nor a word to anybody

    def questions(self) -> list[Question]:
        """Return what the rules' advice is wanted on, each question once."""
        state = self._standing.state
        if state is self._questioned:
            return []
        self._questioned = state
        window = open_window(self._rules, self._standing)
        return self._advice.questions(state, () if window is None else window.owing)

    def wants(self, question: Question) -> bool:
        """Whether advice on it would still be of use."""
        return not self._standing.is_over and self._advice.wants(question)

    def advised(self, question: Question, action: Action) -> None:
        """Take advice; what is of no use any more is forgotten.

        Raises:
            IllegalAction: it could not be played, and is forgotten too.
        """
        if self.wants(question):
            self._advice.take(self._standing.state, question, action)

    # Deciding and committing

    def decide(self, command: Command, now: int) -> Decision:
        """Work out what a command leads to. Nothing has happened yet.

        Raises:
            Refusal: it leads to nothing.
        """
        draft = Draft(self._rules, self._standing, self.seq + 1, now)
        match command:
            case commands.Act():
                return self._act(draft, command)
            case commands.Ring():
                return self._ring(draft)
            case commands.Restart():
                return self._restart(draft)
            case commands.TakeSeat():
                return seating.take_seat(draft, command)
            case commands.GiveUpSeat():
                return seating.give_up_seat(draft, command)
            case commands.AddBot():
                return seating.add_bot(draft, command, self._levels)
            case commands.Start():
                return seating.start(draft, command)
            case _:
                return seating.close(draft, command)

    def commit(self, decision: Decision, now: int) -> list[Effect]:
        """Make a decision come true, its entries being durable, and return what is to be told."""
        if decision.silent:
            return []
        effects: list[Effect] = []
        for seat in self._standing.sitters.keys() - decision.standing.sitters.keys():
            effects += self._following.free(seat, decision.left, now)
        begins = self._standing.status == "waiting" and decision.standing.status == "running"
        if begins and self._following.alone_since is not None:
            self._following.alone_since = now  # whoever sat down over HTTP has time to come
        self._standing = decision.standing
        self._presence.flip(decision.connected, now)
        self._wind(
            now,
            anew=decision.restarted,
            answered=decision.answered,
            speaker=decision.speaker,
        )
        return [*effects, self._publish(decision.events, now)]

    def fail(self, now: int) -> list[Effect]:
        """Stop for good, as far as this program goes: a default or a replay raised.

        Nothing of it is in the journal, so a program without the fault takes the room up again.
        """
        outcome = OutcomeLine(reason="internal_error")
        self._standing = replace(self._standing, status="failed", outcome=outcome)
        self._wind(now)
        return [self._publish((), now)]

    def due(self) -> int | None:
        """Return when the room wants to be rung next; None if never."""
        return min((time for time, _ in self._agenda()), default=None)

    # What commands lead to

    def _act(self, draft: Draft, command: commands.Act) -> Decision:
        receipt = acting.repeated(self._standing, command)
        if receipt is not None:
            return draft.decision(receipt, silent=True)
        self._following.check_joined(self._standing, command)
        return acting.act(draft, command, self._following.viewer(command), self._limits)

    def _restart(self, draft: Draft) -> Decision:
        """Tell that the clock began anew, where there is one."""
        if self._timing is None:
            return draft.decision(silent=True)
        told = (ClockRestarted(),)
        return replace(draft.decision(restarted=True), events=told)

    def _ring(self, draft: Draft) -> Decision:
        for time, duty in self._agenda():
            if time <= draft.at:
                return duty(draft)
        return draft.decision(silent=True)

    # The agenda

    def _agenda(self) -> Iterator[_Duty]:
        """Yield what will have to be done if nothing happens before; the more urgent first."""
        if self._standing.entry >= self._limits.entries and not self._standing.is_over:
            yield 0, lambda draft: seating.close(draft, Close("too_long"))
        match self._standing.status:
            case "running":
                yield from self._duties_of_play()
            case "waiting":
                yield from self._duties_of_waiting()
            case "paused":
                yield from self._duties_of_a_pause()
        flips_at = self._presence.due()
        if flips_at is not None:
            yield flips_at, self._flip
        if self._stream.scene.front.spectators != self._stream.audience.spectators:
            yield self._counted_at + self._limits.spectators_ms, lambda draft: draft.decision()

    def _duties_of_play(self) -> Iterator[_Duty]:
        window, clock = self._rules.window(self._standing.state), self._timing
        assert window is not None, "a running game is not over"
        assert clock is not None, "an open window has a clock"
        if clock.closes_at is not None:
            rings_at = clock.closes_at + self._limits.grace_ms + 1
            yield rings_at, lambda draft: acting.expire(draft, window, self._advice)
        for seat in window.owing:
            if self._standing.sitters[seat].kind == "house":
                yield (
                    house.answers_at(self._standing.room, clock, seat, self._limits),
                    partial(self._move, seat),
                )
        alone_since = self._following.alone_since
        if alone_since is not None and self._standing.has_people:
            paused_at = alone_since + self._limits.pause_after_ms
            yield paused_at, lambda draft: self._entry(draft, record.Paused)

    def _duties_of_waiting(self) -> Iterator[_Duty]:
        if self._starts_at is not UNSET:
            yield self._starts_at, lambda draft: self._entry(draft, record.Started)
        closes_at = self._begun_at + self._limits.waiting_ms
        yield closes_at, lambda draft: seating.close(draft, Close("not_started"))

    def _duties_of_a_pause(self) -> Iterator[_Duty]:
        alone_since = self._following.alone_since
        if alone_since is None:
            yield 0, lambda draft: self._entry(draft, record.Resumed)
            return
        patience = self._limits.pause_after_ms + self._limits.abandoned_after_ms
        closes_at = alone_since + patience
        yield closes_at, lambda draft: seating.close(draft, Close("abandoned"))

    def _entry(self, draft: Draft, entry_type: type[record.Entry]) -> Decision:
        draft.add(entry_type)
        return draft.decision()

    def _flip(self, draft: Draft) -> Decision:
        flips = self._presence.flips(draft.at)
        told = tuple(Flipped(seat=seat, connected=flag) for seat, flag in flips.items())
        return replace(draft.decision(connected=flips), events=told)

    def _move(self, seat: Seat, draft: Draft) -> Decision:
        """Let a house bot answer: as is advised, or as it thinks; it sees what its seat does."""
        window = self._rules.window(self._standing.state)
        assert window is not None, "a house bot is asked"
        advised = self._advice.on(self._standing.state, seat)
        if advised is not None:
            return house.act(draft, seat, window.number, partial(msgspec.to_builtins, advised))
        level = self._standing.sitters[seat].level
        document = self._stream.scene.document(seat)
        think = partial(self._think, self._rules.key, level, document)
        return house.act(draft, seat, window.number, think)

    # What is seen

    def _publish(self, events: tuple[Event, ...], now: int) -> Effect:
        watching = self._stream.audience.spectators
        if watching != self._stream.scene.front.spectators:
            self._counted_at = now
        return self._stream.publish(self._seen(watching), events, now)

    def _seen(self, spectators: int) -> Scene:
        front = self._fronts.front(self._standing, self._presence, spectators, self._starts_at)
        clock = Clock(0) if self._timing is None else self._timing.clock()
        return Scene(front, sight_of(self._rules, self._standing, clock))

    def _start_time(self, now: int) -> int | UnsetType:
        """Return when the room starts by itself; a seat given up takes that back."""
        standing = self._standing
        ready = standing.status == "waiting" and standing.founding.autostart and standing.is_full
        if not ready:
            return UNSET
        return self._starts_at or now + self._limits.start_delay_ms

    def _wind(
        self,
        now: int,
        *,
        anew: bool = False,
        answered: bool = False,
        speaker: Seat | None = None,
    ) -> None:
        """Set the start and the clock of the open window by what has happened."""
        self._starts_at = self._start_time(now)
        before = None if anew else self._timing
        shortened_ms = self._limits.shortened_ms
        self._timing = wound(
            before, self._rules, self._standing, shortened_ms, now, answered, speaker
        )
