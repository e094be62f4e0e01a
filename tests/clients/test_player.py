"""Somebody at a terminal: what is told and asked, and what happens to what is typed."""

import asyncio
import gc
import io
from asyncio import Future
from collections.abc import AsyncIterator
from random import Random
from typing import Any, cast

import pytest

from saleroom_cli.console import Language
from saleroom_cli.keyboard import Keyboard
from saleroom_cli.online import Ears
from saleroom_cli.player import UNREAD_MS, Player
from saleroom_cli.telling import Teller
from saleroom_client import Refused, Room, RoomLeft
from saleroom_protocol.limits import TEXT_CHARS
from saleroom_protocol.messages import Said, Speaker
from saleroom_rules.games import GAMES
from tests.support.commands import ScriptedRoom, Typist
from tests.support.games import TOY
from tests.support.hand_clock import quiet
from tests.support.rooms import HandRoom
from tests.support.toy.room import BID, INSIST, PLACE, haggling, placing, toy

HI = Said(room="r", number=1, from_=Speaker(seat=1), to="table", text="Hi!", at=0)


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, "toy", TOY)


class Seat:
    """Seat 0 of a room moved by hand, and the person at its terminal."""

    def __init__(self, hand: HandRoom, capsys: pytest.CaptureFixture[str], **how: Any) -> None:
        self.hand, self._capsys = hand, capsys
        self.room = ScriptedRoom(hand.document(0))
        self.typist = Typist(**how)
        teller = Teller.of(GAMES[hand.founding.game], Language.EN)
        keyboard, room = cast("Keyboard", self.typist), cast("Room", self.room)
        self.player = Player(room, teller, keyboard, lambda: hand.now)
        self.playing = asyncio.create_task(self.player.play())

    async def sees(self) -> str:
        """Return what was printed since the last time."""
        await quiet()
        return self._capsys.readouterr().out

    async def types(self, *lines: str | None) -> str:
        """Type lines; return what was printed by that."""
        self.typist.types(*lines)
        return await self.sees()

    async def goes_on(self, *events: Any, whole: bool = False) -> str:
        """Let the seat learn of where the room has come to."""
        self.room.goes_on(self.hand.document(0), *events, whole=whole)
        return await self.sees()


class Terminals:
    """Makes seats, and sends everybody home."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self._seats: list[Seat] = []

    def sits(self, hand: HandRoom, **how: Any) -> Seat:
        self._seats.append(Seat(hand, self._capsys, **how))
        return self._seats[-1]

    async def close(self) -> None:
        for seat in self._seats:
            seat.playing.cancel()
            await asyncio.wait([seat.playing])


@pytest.fixture
async def terminals(capsys: pytest.CaptureFixture[str]) -> AsyncIterator[Terminals]:
    made = Terminals(capsys)
    yield made
    await made.close()


def kunstmarkt(**fields: Any) -> HandRoom:
    """Return a game that has begun, in which seat 0 is at its turn."""
    hand = HandRoom(**fields)
    hand.begins(0, 1, 2)
    while hand.asked != [0]:
        hand.acts(hand.playing(hand.asked[0]), {"do": "draw_customer"})
    return hand


async def test_who_waits_is_told_who_is_there_and_when_it_begins(terminals: Terminals) -> None:
    hand = HandRoom()
    hand.seats(0, 1)
    hand.joins(0)
    seat = terminals.sits(hand)
    told = await seat.sees()
    assert "You are Person a (seat 0)." in told
    assert "… The game begins when every seat is taken. At the table:\n  seat 0  Person a" in told
    assert "  seat 1  Person b · not connected" in told
    hand.seats(2)
    told = await seat.goes_on({"event": "seat_taken", "seat": 2, "name": "Person c"})
    assert told.startswith("Person c takes seat 2.\n… The game begins in 2 s.\n")
    assert "seat 2  Person c" in told
    assert await seat.goes_on() == "", "nothing new"


async def test_the_own_move_is_asked_for_with_table_numbers_and_seconds(
    terminals: Terminals,
) -> None:
    hand = kunstmarkt()
    seat = terminals.sits(hand)
    told = await seat.sees()
    assert "At the table:\n  seat 0  Person a\n" in told
    assert "Market\n" in told
    assert "Your move, 45 s left.\n  1  Draw a customer.\n" in told
    assert "Give up for good." in told
    hand.waits(20_000)
    assert "Your move, 25 s left.\n" in await seat.types("")


async def test_without_a_clock_no_seconds_are_told(terminals: Terminals) -> None:
    assert "\nYour move.\n" in await terminals.sits(kunstmarkt(pace="untimed")).sees()


async def test_an_action_is_sent_with_the_window_that_was_shown(terminals: Terminals) -> None:
    hand = kunstmarkt()
    seat = terminals.sits(hand)
    await seat.types("1")
    assert seat.room.acts == [({"do": "draw_customer"}, hand.window["number"])]


async def test_whose_move_it_is_is_told_once(terminals: Terminals) -> None:
    hand = kunstmarkt()
    seat = terminals.sits(hand)
    await seat.types("1")
    hand.acts(hand.playing(0), {"do": "draw_customer"})
    told = await seat.goes_on({"event": "customer_drawn", "seat": 0})
    assert told == "Person a draws a customer.\n… Person b (seat 1): has the turn, 45 s left\n"
    assert await seat.goes_on({"event": "presence", "seat": 2, "connected": False}) == (
        "Person c is not connected.\n"
    )


async def test_whose_move_it_is_is_not_told_again_after_each_step_of_it(
    terminals: Terminals,
) -> None:
    hand = HandRoom("pictura")
    hand.begins(0, 1, 2)
    luck = Random(1)
    while hand.window["kind"] != "action" or hand.asked == [0]:
        hand.moves(luck)
    seat = terminals.sits(hand)
    assert "): takes an action, 60 s left\n" in await seat.sees()
    (asked,) = hand.asked
    hand.acts(hand.playing(asked), {"do": "inventory"})
    assert hand.window["kind"] == "action", "patrons may be replaced"
    assert await seat.goes_on() == ""


async def test_who_types_when_not_asked_is_told_so(terminals: Terminals) -> None:
    hand = kunstmarkt()
    hand.acts(hand.playing(0), {"do": "draw_customer"})
    seat = terminals.sits(hand)
    await seat.sees()
    told = await seat.types("1")
    assert told == "You are not asked now.\n… Person b (seat 1): has the turn, 45 s left\n"
    assert seat.room.acts == []


async def test_enter_shows_table_and_what_may_be_done_even_then(terminals: Terminals) -> None:
    hand = kunstmarkt()
    hand.acts(hand.playing(0), {"do": "draw_customer"})
    seat = terminals.sits(hand)
    await seat.sees()
    told = await seat.types("")
    assert "Market\n" in told
    assert told.endswith("It is not your move, but you may:\n/resign  Give up for good.\n")


async def test_giving_up_takes_a_word(terminals: Terminals) -> None:
    seat = terminals.sits(kunstmarkt())
    assert "/resign  Give up for good." in await seat.sees()
    assert "Really give up?" in await seat.types("/resign")
    assert "That is no answer to it.\nReally give up?" in await seat.types("/resign")
    assert "Draw a customer." in await seat.types("no")
    assert seat.room.acts == []
    await seat.types("/resign", "YES")
    assert seat.room.acts == [({"do": "resign"}, None)]


async def test_what_is_no_answer_is_asked_again(terminals: Terminals) -> None:
    seat = terminals.sits(kunstmarkt())
    await seat.sees()
    assert (await seat.types("77")).startswith("That is no answer to it.\n  1  Draw a customer.\n")


async def test_forms_are_asked_key_by_key_and_b_goes_back(terminals: Terminals) -> None:
    hand, _ = placing()
    seat = terminals.sits(hand)
    assert "  1  place\n" in await seat.sees()
    assert (await seat.types("1")).startswith("spaces · a\n")
    assert "  1  place\n" in await seat.types("b")
    await seat.types("1", "1", "2")
    assert seat.room.acts == [(PLACE, hand.window["number"])]


async def test_several_cards_are_asked_for_at_once(terminals: Terminals) -> None:
    hand, _ = toy()
    seat = terminals.sits(hand)
    await seat.types("1", "0")
    assert seat.room.acts == [(BID, 1)]


async def test_nothing_is_asked_while_an_answer_is_under_way(terminals: Terminals) -> None:
    hand, players = haggling()
    seat = terminals.sits(hand)
    await seat.sees()
    receipt: Future[None] = asyncio.get_running_loop().create_future()
    seat.room.answers = [receipt]
    assert await seat.types("2") == ""
    assert seat.room.acts == [(INSIST, 2)]
    assert await seat.types("2") == "Sent; the server has not answered yet.\n"
    assert "  2  insist" not in await seat.types("", "2"), "not even when the table is shown"
    hand.acts(players[1], {"do": "say", "value": 2})
    assert await seat.goes_on({"event": "spoken", "seat": 1, "value": 2}) == "spoken\n"
    receipt.set_result(None)
    assert "Your move" in await seat.sees(), "the window is still open: ask again"
    assert len(seat.room.acts) == 1


async def test_a_refusal_is_told_in_words_and_the_newest_question_asked(
    terminals: Terminals,
) -> None:
    seat = terminals.sits(kunstmarkt())
    await seat.sees()
    seat.room.answers = [Refused("window_closed", {"window": 1, "closed_by": "expiry"})]
    told = await seat.types("1")
    assert told.startswith("Too late: that decision is closed.\n\nYour move")
    seat.room.answers = [Refused("illegal_action", {"why": "hand_full"})]
    assert (await seat.types("1")).startswith("You hold as many customers as you may.\n")


async def test_of_a_table_seen_before_what_has_changed_is_shown(terminals: Terminals) -> None:
    hand = kunstmarkt()
    seat = terminals.sits(hand)
    assert "\nMarket\n" in await seat.sees()
    hand.acts(hand.playing(0), {"do": "draw_customer"})
    while hand.asked != [0]:
        hand.acts(hand.playing(hand.asked[0]), {"do": "draw_customer"})
    told = await seat.goes_on()
    assert told.startswith("\nNew on the table; Enter shows all of it:\nLeft in the piles: ")
    assert "  Your customers:\n" in told, "what stands under one heading is told together"
    assert "Market" not in told
    assert "  Your pictures:\n" not in told
    assert "\nMarket\n" in await seat.types("")
    assert "\nMarket\n" in await seat.goes_on(whole=True)


async def test_an_arrangement_that_was_refused_can_be_sent_again(terminals: Terminals) -> None:
    hand = HandRoom("pictura")
    hand.begins(0, 1, 2)
    luck = Random(1)
    while not any(entry["do"] == "arrange" for entry in hand.document(0)["you"]["anytime"]):
        hand.moves(luck)
    seat = terminals.sits(hand)
    told = await seat.sees()
    number = told.rpartition("  Arrange your museum.\n")[0].split()[-1]
    await seat.types(number, "a1 c3")
    seat.room.answers = [Refused("rate_limited", {"retry_after_ms": 2000})]
    told = await seat.types("ok")
    assert "  Arrange your museum. (begun, not yet sent)\n" in told
    await seat.types(number, "ok")
    sent, again = seat.room.acts
    assert sent == again


async def test_what_is_asked_follows_the_situation_within_one_window(
    terminals: Terminals,
) -> None:
    hand, _ = haggling()
    seat = terminals.sits(hand)
    await seat.types("1")
    document = hand.document(0)
    document["legal"] = [{"do": "agree", "value": -1}]
    seat.room.goes_on(document)
    assert "  1  agree -1\n" in await seat.sees()
    hand.waits(UNREAD_MS)
    await seat.types("1")
    assert seat.room.acts == [({"do": "agree", "value": -1}, 2)]


async def test_what_was_typed_for_another_question_answers_none(terminals: Terminals) -> None:
    hand, _ = haggling()
    seat = terminals.sits(hand)
    await seat.sees()
    document = hand.document(0)
    document["legal"] = [{"do": "agree", "value": -1}]
    seat.room.goes_on(document)
    await seat.sees()
    hand.waits(UNREAD_MS - 1)
    told = await seat.types("1")
    assert told.startswith("The question has changed while you typed; here is the one")
    assert "  1  agree -1\n" in told
    assert seat.room.acts == []
    await seat.types("1")
    assert seat.room.acts == [({"do": "agree", "value": -1}, 2)]


async def test_only_the_newest_situation_is_asked_about(terminals: Terminals) -> None:
    seat = terminals.sits(kunstmarkt())
    seat.room.goes_on(seat.hand.document(0))
    assert (await seat.sees()).count("Your move") == 1


async def test_who_is_away_can_come_back_before_being_asked(terminals: Terminals) -> None:
    hand = kunstmarkt()
    seat = terminals.sits(hand)
    await seat.sees()
    hand.expires()
    while hand.asked != [0]:
        hand.acts(hand.playing(hand.asked[0]), {"do": "draw_customer"})
    hand.expires()
    told = await seat.goes_on({"event": "away", "seat": 0})
    assert told.startswith("Person a is away: it is not waited for any more.\n")
    number = told.rpartition("  Come back.")[0].split()[-1]
    hand.waits(UNREAD_MS)
    await seat.types(number)
    assert seat.room.acts == [({"do": "come_back"}, None)]


async def test_after_a_break_it_is_told_how_things_stand(terminals: Terminals) -> None:
    seat = terminals.sits(kunstmarkt())
    await seat.sees()
    told = await seat.goes_on(whole=True)
    assert told.startswith("Connected again; this is how things stand.\n\nMarket\n")
    assert "Your move" in told


async def test_chat_is_heard_and_said(terminals: Terminals) -> None:
    seat = terminals.sits(kunstmarkt())
    await seat.sees()
    ears = Ears()
    ears.heard(HI)
    assert await seat.sees() == ""
    ears.listen(seat.player.hear)
    ears.heard(HI)
    assert await seat.sees() == "Person b (seat 1): “Hi!”\n" * 2
    assert await seat.types("/say  Grüezi, ZÜRICH! ", "/SAY 1") == ""
    assert seat.room.said == ["Grüezi, ZÜRICH!", "1"]
    assert "Draw a customer." in await seat.types("b"), "the question is still open"


async def test_what_cannot_be_said_is_told(terminals: Terminals) -> None:
    seat = terminals.sits(kunstmarkt())
    await seat.sees()
    assert (await seat.types("/say")).startswith("Type a number")
    assert await seat.types("/say " + "x" * (TEXT_CHARS + 1)) == (
        f"That is too long: {TEXT_CHARS} characters at most.\n"
    )
    seat.room.answers = [Refused("muted", {})]
    assert await seat.types("/say a") == "The host has muted you.\n"
    assert seat.room.said == ["a"]


async def test_the_game_is_explained_to_who_asks(terminals: Terminals) -> None:
    seat = terminals.sits(kunstmarkt())
    await seat.sees()
    told = await seat.types("/rules")
    assert told.startswith("Der Prestel Kunstmarkt in short\n")
    assert seat.room.acts == []


async def test_a_game_of_a_later_version_cannot_be_explained(terminals: Terminals) -> None:
    hand, _ = haggling()
    seat = terminals.sits(hand)
    await seat.sees()
    assert (await seat.types("/rules")).startswith("This program does not know the game; ")


async def test_help_is_a_question_mark(terminals: Terminals) -> None:
    seat = terminals.sits(kunstmarkt())
    await seat.sees()
    assert await seat.types("?") == await seat.types("help")


@pytest.mark.parametrize("last", ["q", "Quit", None])
async def test_who_leaves_leaves(terminals: Terminals, last: str | None) -> None:
    seat = terminals.sits(kunstmarkt())
    await seat.types(last, "1")
    await seat.playing
    assert seat.player.left
    assert seat.room.acts == []


async def test_numbers_of_a_file_wait_until_the_player_is_asked(terminals: Terminals) -> None:
    hand = HandRoom()
    hand.seats(0, 1, 2)
    for person in range(3):
        hand.joins(person)
    seat = terminals.sits(hand, attended=False)
    receipt: Future[None] = asyncio.get_running_loop().create_future()
    seat.room.answers = [None, receipt]
    await seat.types("/say Hello", "1", "2", None)
    assert (seat.room.said, seat.room.acts) == (["Hello"], [])
    hand.waits(3_000)
    while hand.asked != [0]:
        hand.acts(hand.playing(hand.asked[0]), {"do": "draw_customer"})
    await seat.goes_on()
    assert [action for action, _ in seat.room.acts] == [{"do": "draw_customer"}]
    hand.acts(hand.playing(0), {"do": "draw_customer"})
    await seat.goes_on()
    receipt.set_result(None)
    await seat.sees()
    assert len(seat.room.acts) == 1, "the next number waits for the next question"
    assert not seat.playing.done(), "and the end of the file for that number"


async def test_numbers_of_a_file_wait_though_something_may_be_done_at_any_time(
    terminals: Terminals,
) -> None:
    hand, players = placing()
    hand.acts(players[0], PLACE)
    seat = terminals.sits(hand, attended=False)
    assert "It is not your move, but you may:" in await seat.types("1", None)
    assert seat.room.acts == []
    assert not seat.playing.done()


async def test_who_leaves_takes_the_receipts_along(terminals: Terminals) -> None:
    seat = terminals.sits(kunstmarkt())
    await seat.sees()
    receipt: Future[None] = asyncio.get_running_loop().create_future()
    seat.room.answers = [receipt]
    await seat.types("1", "q")
    assert not seat.playing.done()
    receipt.set_result(None)
    await seat.playing


async def test_the_end_of_the_game_is_the_end(terminals: Terminals) -> None:
    seat = terminals.sits(kunstmarkt())
    await seat.sees()
    seat.room.ends()
    await seat.playing
    assert not seat.player.left


async def test_what_ends_the_stream_ends_playing(
    terminals: Terminals, caplog: pytest.LogCaptureFixture
) -> None:
    seat = terminals.sits(kunstmarkt())
    await seat.sees()
    receipt: Future[None] = asyncio.get_running_loop().create_future()
    seat.room.answers = [receipt]
    await seat.types("1")
    receipt.set_exception(RoomLeft("r", "replaced"))
    seat.room.ends(RoomLeft("r", "replaced"))
    with pytest.raises(RoomLeft):
        await seat.playing
    gc.collect()
    assert caplog.text == "", "what became of the answer is nobody's business any more"


# The keyboard


async def test_a_line_is_read_only_when_the_one_before_it_was_taken() -> None:
    stream = io.StringIO("one\n two \n\nthree")
    keyboard = Keyboard(stream)
    assert not keyboard.attended
    assert [await keyboard.line() for _ in range(5)] == ["one", "two", "", "three", None]


class Gone(io.RawIOBase):
    """A terminal whose other end has been closed."""

    def isatty(self) -> bool:
        return True

    def readable(self) -> bool:
        return True

    def readinto(self, _: object) -> int:
        raise OSError(5, "Input/output error")


async def test_a_terminal_that_is_gone_types_nothing_more() -> None:
    keyboard = Keyboard(io.TextIOWrapper(io.BufferedReader(Gone())))
    assert keyboard.attended
    assert await keyboard.line() is None
