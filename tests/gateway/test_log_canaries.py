"""A whole game with everything that can go wrong, and nothing secret in the loudest log of it."""

import asyncio
import re
from random import Random
from typing import Any

import pytest

from saleroom_rules.games import GAMES
from saleroom_server.logs import Format
from tests.gateway.test_canaries import Vault, a_vault, goes_on
from tests.support.games import TOY
from tests.support.hand_clock import quiet
from tests.support.loud import loud
from tests.support.nodes import PEOPLE, Node
from tests.support.worlds import HIDDEN

PLAYED = [
    ("kunstmarkt", {"hidden_cash": True}, "json"),
    ("toy", {}, "console"),
]


def secrets(vault: Vault) -> set[str]:
    """Name what may be in no log: seeds, tokens, invitations, hands; and who plays."""
    written = {secret.decode(errors="ignore") for secret in vault.secrets}
    people = {word for caller in PEOPLE for word in (caller.player, caller.name) if word}
    cards = set().union(*(vault.hidden(seat) for seat in (None, 0, 1, 2)))
    return {secret for secret in written if len(secret) >= 8} | people | cards


def found(text: str, canaries: set[str]) -> list[str]:
    """Return the canaries that stand in a text as words of their own."""
    words = "|".join(map(re.escape, canaries))
    return re.findall(rf"(?<!\w)(?:{words})(?!\w)", text)


async def things_break(vault: Vault, luck: Random, patched: pytest.MonkeyPatch) -> None:
    """Let an act, and a task nobody waits for, raise what names a hidden card."""
    card = min(HIDDEN[vault.game](vault.standing.state, None))

    def breaks(*_: Any) -> Any:
        raise KeyError(card) from ValueError(f"holds {card}")

    async def raises() -> None:
        breaks()

    with patched.context() as broken:
        broken.setattr(type(GAMES.get(vault.game, TOY)), "apply", breaks)
        for seat in range(3):
            player = vault.player(seat)
            if "legal" in player.document(vault.room):
                player.acts(vault.room)
                await quiet()
    task: Any = asyncio.ensure_future(raises())
    await quiet()
    task.__del__()


@pytest.mark.parametrize(("game", "options", "style"), PLAYED)
async def test_no_log_says_what_somebody_may_not_know(
    node: Node,
    game: str,
    options: dict[str, Any],
    style: Format,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    luck, step = Random(2), 0
    with loud(style) as log:
        vault = await a_vault(node, game, options)
        canaries = secrets(vault)
        while vault.standing.status == "running":
            canaries |= secrets(vault)
            await goes_on(vault, luck, step)
            if step % 20 == 9 and vault.standing.status == "running":
                await things_break(vault, luck, monkeypatch)
            step += 1
        vault.player(0).sends(b"\xff canary")
        await node.clock.passes(60_000)
    text = log.getvalue()
    assert len(canaries) > 15
    assert found(text, canaries) == []
    said = {"room_made", "room_started", "room_finished", "store_failed", "store_works_again"}
    said |= {"command_fault", "KeyError", "never retrieved", "socket_closed"}
    assert {word for word in said if word not in text} == set()


def test_the_search_would_find_what_is_there() -> None:
    assert found('{"event": "odd", "hand": ["p07"]}', {"p07", "p08"}) == ["p07"]
    assert found("odd hand=p07", {"p07", "p0"}) == ["p07"]
