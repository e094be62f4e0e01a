"""Somebody at a terminal who plays a seat: told what happens, asked when it is their turn.

Whatever is typed, read from the stream, or answered by the server is taken one thing at a time, in
`Player.play`. A question is asked once for each situation, and only about the newest one; while
an action is under way nothing is asked.
"""

import asyncio
from asyncio import Task
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any

from saleroom_cli import scene
from saleroom_cli.console import tell
from saleroom_cli.keyboard import Keyboard
from saleroom_cli.online import over
from saleroom_cli.prompting import Decision, Drafts, Menu
from saleroom_cli.questions import FINAL, Question
from saleroom_cli.table import blocks, table_lines, together
from saleroom_cli.telling import Teller
from saleroom_cli.wording import explained
from saleroom_client import Refused, Room, Update
from saleroom_protocol.limits import TEXT_CHARS
from saleroom_protocol.messages import Said

Plain = Mapping[str, Any]
LEAVE, BACK, HELP = ("q", "quit"), "b", ("?", "h", "help", "/help")
SAY, RULES = "/say", "/rules"
FAREWELL = 2.0  # seconds to wait for receipts when the player leaves
UNREAD_MS = 1_000  # nobody has read a question in less: what is typed was meant for the one before


class Player:
    """One seat at one terminal.

    Attributes:
        left: whether the player went before the end.
    """

    def __init__(
        self, room: Room, teller: Teller, keyboard: Keyboard, clock: Callable[[], int]
    ) -> None:
        self.left = False
        self._room, self._teller, self._keyboard, self._clock = room, teller, keyboard, clock
        self._words = teller.words["play"]
        self._told = -1  # the seq of the last update that was told
        self._menu: Menu | None = None  # what was asked last
        self._drafts: Drafts = {}  # what was typed and is not sent
        self._known: frozenset[tuple[str, ...]] = frozenset()  # what was shown of the table
        self._offer: object = None  # what that menu is made of
        self._replaced_at: int | None = None  # when it took the place of one still open
        self._standing: object = None  # what the room was last said to wait for
        self._acting: set[Task[Any]] = set()
        self._saying: set[Task[Any]] = set()

    async def play(self) -> None:
        """Tell and ask until the game has ended or the player leaves.

        Raises:
            SaleroomError: the room cannot be followed to its end.
        """
        typed = asyncio.create_task(self._keyboard.line())
        news = asyncio.create_task(self._next())
        try:
            while not self.left:
                if typed.done() and self._wants(typed.result()):
                    self._take(typed.result())
                    typed = asyncio.create_task(self._keyboard.line())
                    continue
                waiting = {news, *self._under_way, *([] if typed.done() else [typed])}
                done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                if news in done:
                    update = news.result()
                    if update is None:
                        break
                    self._tell(update)
                    news = asyncio.create_task(self._next())
                self._settle(done & self._under_way)
            await self._part()
        finally:
            await over({typed, news, *self._under_way})

    def hear(self, said: Said) -> None:
        """Tell what was said in the room."""
        tell(scene.said(self._teller, self._room.document, said))

    @property
    def _under_way(self) -> set[Task[Any]]:
        """What was sent and is not answered."""
        return self._acting | self._saying

    def _wants(self, line: str | None) -> bool:
        """Whether a line is to be taken now: a file's lines wait for their turn."""
        if self._keyboard.attended:
            return True
        asked = self._menu is not None and bool(self._room.document.get("legal"))
        return not self._under_way and (asked or not _answers(line))

    async def _part(self) -> None:
        """Let what was sent be answered, if that does not take long."""
        if self._under_way:
            await asyncio.wait(self._under_way, timeout=FAREWELL)

    async def _next(self) -> Update | None:
        return await anext(self._room, None)

    # What happens

    def _tell(self, update: Update) -> None:
        self._teller.meet(update.document)
        for event in update.events:
            tell(self._teller.event(event))
        if self._told < 0:
            self._greet(update.document)
        elif update.whole:  # something may have been missed
            tell(self._words["fresh"])
            self._offer, self._known = None, frozenset()
        self._told = update.seq
        self._consider()

    def _greet(self, document: Plain) -> None:
        tell(self._words["you"].format(who=self._teller.seat(document, document["you"]["seat"])))
        tell(self._words["help"])
        if document["status"] != "waiting":
            tell(self._words["table"])
            self._seats(document)

    def _consider(self) -> None:
        """Ask about the newest situation, once; not while an answer is under way."""
        document = self._room.document
        if self._acting or self._told < self._room.latest.seq:
            return
        offer = _offer(document)
        if offer == self._offer:
            return self._announce(document)
        open_before = self._menu is not None
        self._offer, self._menu = offer, None
        if _asks(document):
            self._show(document)
            self._replaced_at = self._clock() if open_before else None
        else:
            self._announce(document)

    def _announce(self, document: Plain) -> None:
        """Say what the room waits for, if it is something new."""
        if self._standing != _standing(document) and not document.get("legal"):
            self._say_standing(document)
        self._standing = _standing(document)

    def _say_standing(self, document: Plain) -> None:
        self._standing = _standing(document)
        told = scene.standing(self._teller, document, self._clock())
        if told:
            tell(f"… {told}", "dim")
        if document["status"] == "waiting":
            self._seats(document)

    def _seats(self, document: Plain) -> None:
        for line in scene.seats(self._teller, document):
            tell(line)

    # What is asked

    def _show(self, document: Plain, *, whole: bool = False) -> None:
        """Show the table, or what is new on it, and what may be done."""
        self._show_table(document, whole)
        self._menu = None if self._acting else _menu(document, self._teller, self._drafts)
        if not document.get("legal"):
            self._say_standing(document)
        if self._menu is not None:
            tell("")
            tell(self._heading(document), "bold")
            self._ask(self._menu.question)

    def _show_table(self, document: Plain, whole: bool) -> None:
        parts = [*blocks(line for line in table_lines(self._teller, document) if line)]
        known = frozenset() if whole else self._known
        new = [part for part in parts if part.key not in known]
        self._known = frozenset(part.key for part in parts)
        if new:
            tell("")
        if known and new:
            tell(self._words["changed"], "dim")
        for line in together(new):
            tell(line)

    def _heading(self, document: Plain) -> str:
        if not document.get("legal"):
            return str(self._words["anytime"])
        seconds = scene.seconds_left(document, self._clock())
        if seconds is None:
            return str(self._words["your_move_untimed"])
        return str(self._words["your_move"].format(seconds=seconds))

    def _ask(self, question: Question) -> None:
        for line in question.lines():
            tell(line)

    # What is typed

    def _take(self, line: str | None) -> None:
        """Do what was typed."""
        command = _command(line)
        if line is None or command in LEAVE:
            self.left = True
        elif not line:
            self._show(self._room.document, whole=True)
        elif command in HELP:
            tell(self._words["help"])
        elif command == RULES:
            self._explain()
        elif command == SAY:
            self._say(line.partition(" ")[2].strip())
        elif self._menu is None:
            self._not_asked()
        elif command == BACK:
            self._ask(self._menu.back())
        else:
            self._answer(self._menu, line)

    def _explain(self) -> None:
        for line in explained(self._room.document["game"], self._teller.language):
            tell(line)

    def _not_asked(self) -> None:
        if self._acting:
            return tell(self._words["sent"])
        tell(self._words["unclear_idle"])
        self._say_standing(self._room.document)

    def _answer(self, menu: Menu, line: str) -> None:
        replaced_at, self._replaced_at = self._replaced_at, None
        hasty = replaced_at is not None and self._clock() - replaced_at < UNREAD_MS
        if hasty and self._keyboard.attended:
            tell(self._words["replaced"], "yellow")
            return self._ask(menu.question)
        answered = menu.answer(line)
        match answered:
            case None:
                tell(self._words["unclear"], "yellow")
                self._ask(menu.question)
            case Question():
                self._ask(answered)
            case Decision():
                self._menu, self._offer = None, None
                self._do(self._acting, self._act(answered, menu.spent))

    async def _act(self, decision: Decision, spent: Drafts) -> None:
        """Send what was decided; if it is refused, what was typed for it is at hand again."""
        try:
            await self._room.act(decision.action, window=decision.window)
        except Refused:
            self._drafts.update(spent)
            raise

    def _say(self, text: str) -> None:
        if not text:
            tell(self._words["help"])
        elif len(text) > TEXT_CHARS:
            tell(self._words["too_long"].format(most=TEXT_CHARS))
        else:
            self._do(self._saying, self._room.say(text))

    def _do(self, under_way: set[Task[Any]], work: Coroutine[Any, Any, Any]) -> None:
        under_way.add(asyncio.create_task(work))

    def _settle(self, done: set[Task[Any]]) -> None:
        """Tell what was refused of what has been answered, and go on."""
        for task in done:
            self._acting.discard(task)
            self._saying.discard(task)
            try:
                task.result()
            except Refused as refused:
                told = self._teller.refusal(refused.reason, refused.facts)
                tell(told, "yellow")
        if done:
            self._consider()


def _command(line: str | None) -> str:
    return (line or "").partition(" ")[0].lower()


def _answers(line: str | None) -> bool:
    """Tell whether a line makes sense only to a question."""
    return bool(line) and _command(line) not in (*LEAVE, *HELP, SAY, RULES)


def _offer(document: Plain) -> object:
    """Return what a menu is made of."""
    legal = document.get("legal")
    number = document["window"]["number"] if legal else None
    return number, legal, document["you"]["anytime"]


def _asks(document: Plain) -> bool:
    """Tell whether there is anything to do but to give up."""
    anytime = document["you"]["anytime"]
    return bool(document.get("legal")) or any(entry["do"] != FINAL for entry in anytime)


def _standing(document: Plain) -> object:
    """Return what a room waits for; the same after each step of one turn."""
    window = document.get("window", {})
    return document["status"], document.get("starts_at"), window.get("kind"), _owing(window)


def _menu(document: Plain, teller: Teller, drafts: Drafts) -> Menu | None:
    """Return all there is to do; None if there is nothing."""
    if not document.get("legal") and not document["you"]["anytime"]:
        return None
    return Menu(document, teller, drafts)


def _owing(window: Plain) -> Sequence[int]:
    return [seat for seat in window.get("seats", ()) if seat not in window["answered"]]
